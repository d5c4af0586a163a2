"""The client in clients/python_stdlib passes the vectors."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import make_vectors
import pytest

CLIENT = Path(__file__).parents[2] / "clients" / "python_stdlib" / "coopsim_tcp.py"
VECTORS = json.loads(make_vectors.FILE.read_text(encoding="utf-8"))
FIELDS = ("version", "id", "target", "tick", "error", "text", "command", "params", "data")
# a client may be lenient about lengths: the server that it talks to is not
STRICT = [case for case in VECTORS["bad"] if case["error"] != 103]


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.fixture(scope="module")
def client() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coopsim_tcp", CLIENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("case", _named(VECTORS["good"]))
def test_a_good_message_decodes_to_its_meaning(client: ModuleType, case: dict[str, Any]) -> None:
    """D-9: a controller needs nothing of coopsim but its messages."""
    fields = client.decode(bytes.fromhex(case["hex"]))
    assert fields[:8] == [case[name] for name in FIELDS[:8]]
    assert list(map(repr, fields[8])) == [repr(float(value)) for value in case["data"]]


@pytest.mark.parametrize(
    "case", _named([vector for vector in VECTORS["good"] if vector["canonical"] and not vector["binary"]])
)
def test_a_meaning_encodes_to_its_bytes(client: ModuleType, case: dict[str, Any]) -> None:
    fields = [case[name] for name in FIELDS[:8]]
    run = [case["run"]] * (case["run"] > 0)
    assert client.pack([*fields, [float(value) for value in case["data"]], *run]).hex() == case["hex"]


@pytest.mark.parametrize("case", _named(STRICT))
def test_bad_bytes_are_refused(client: ModuleType, case: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        client.decode(bytes.fromhex(case["hex"]))


def test_it_needs_the_standard_library_alone_and_less_than_100_lines_of_code() -> None:
    lines = [line for line in CLIENT.read_text().splitlines() if line.strip() and '"""' not in line]
    imports = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imports <= sys.stdlib_module_names
    assert len(lines) < 100


def test_its_driver_turns_away_from_what_is_near(client: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(CLIENT.parent)
    drive = __import__("drive")
    assert drive.decide([3.0] * 11) == (0.3, 0.0)
    assert drive.decide([3.0] * 4 + [0.3] * 3 + [3.0] * 4)[0] == 0.0
    assert drive.decide([0.5] * 5 + [3.0] * 6)[1] > 0.0
    assert drive.decide([3.0] * 6 + [0.5] * 5)[1] < 0.0
