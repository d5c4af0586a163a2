"""The client for MATLAB: its codec, run by Octave, reads every vector and packs what other languages read."""

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import msgpack
import pytest

ROOT = Path(__file__).parents[2]
GOOD = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))["good"]
INTEGERS = (0, 127, 128, 255, 256, 65535, 65536, 1 << 40, (1 << 64) - 1, -1, -32, -33, -128, -129, -32769, -(1 << 63))
TEXTS = ("", "x" * 31, "x" * 32, "x" * 256, "x" * 65536, "ä")
ROWS = tuple(struct.pack(f"<{len(row)}d", *row) for row in ((1.0, 2.0), (0.0,) * 40, (0.0,) * 9000))
LISTS = (list[float](), [float(k) for k in range(1, 16)], [float(k) for k in range(1, 17)])
VALUES = (*INTEGERS, *TEXTS, 0.25, -1.5, *LISTS, *ROWS)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    file = tmp_path_factory.mktemp("octave") / "vectors.hex"
    file.write_text("\n".join(vector["hex"] for vector in GOOD), encoding="utf-8")
    paths = ("--path", str(ROOT / "clients" / "matlab"), "--path", str(Path(__file__).parent))
    command = ["octave-cli", "--norc", *paths, "--eval", f"matlab_vectors('{file}')"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()


def test_octave_reads_every_vector(printed: list[str]) -> None:
    for vector, line in zip(GOOD, printed, strict=False):
        fields = json.loads(line) if line.startswith("[") else [line]
        names = ("version", "id", "target", "tick", "error", "text", "command", "params", "data")
        assert fields == [_hexed(vector[name]) for name in names], vector["name"]


def test_what_octave_packs_is_what_other_languages_pack(printed: list[str]) -> None:
    assert [bytes.fromhex(line) for line in printed[len(GOOD) :]] == [msgpack.packb(value) for value in VALUES]


def _hexed(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode().hex()
    return [_hexed(item) for item in value] if isinstance(value, list) else value
