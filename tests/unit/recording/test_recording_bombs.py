"""Files that are small and claim to be large: refused, or read as far as they go, before memory or time is taken."""

import json
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from mcap.opcode import Opcode
from recording_scenes import write

from coopsim.errors import CannotRecord
from coopsim.recording import Recording, recover
from coopsim.recording.channels import KEYFRAMES
from coopsim.recording.chunks import PREFIX, ChannelMessage
from coopsim.recording.container import Container
from coopsim.recording.limits import MOST_CHUNK_BYTES

MOST_SECONDS, MOST_MEGABYTES = 8.0, 200.0
READ = """
import json, sys, time
from coopsim.errors import CoopsimError
from coopsim.recording import Recording, recover
import coopsim.recording.scan, lz4.frame

def info(path):
    with Recording.open(path) as found:
        return [found.layout(each) for each in found.generations], found.attachment_names, len(found)

def blocks(path):
    with Recording.open(path) as found:
        return sum(len(block) for _, block in found.blocks())

def peak():
    words = open("/proc/self/status").read().split()
    return int(words[words.index("VmHWM:") + 1]) / 1024

before, said = peak(), []
for path in sys.argv[1:]:
    for read in (info, blocks, lambda it: recover(it, it + ".whole")):
        began = time.process_time()
        try:
            read(path)
        except CoopsimError:
            pass
        said.append((path, time.process_time() - began, peak() - before))
print(json.dumps(said))
"""


def record(opcode: int, content: bytes) -> bytes:
    return PREFIX.pack(opcode, len(content)) + content


def chunk(raw_size: int, packed: bytes, crc: int = 0, name: bytes = b"zstd") -> bytes:
    """Return a chunk that says so of itself."""
    head = struct.pack("<QQQII", 0, 0, raw_size, crc, len(name)) + name
    return record(Opcode.CHUNK, head + struct.pack("<Q", len(packed)) + packed)


def zeros(size: int) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(bytes(size))


def one_large_chunk(_: bytes) -> bytes:
    return chunk(1 << 30, zeros(1 << 28))


def sizes_that_nobody_says(_: bytes) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    packed = packer.compress(bytes(1 << 28)) + packer.flush()
    return b"".join(chunk(size, packed) for size in (1 << 20, 1 << 26, 1 << 40))


def records_without_end(_: bytes) -> bytes:
    raw = record(0, b"") * (MOST_CHUNK_BYTES // 9)
    return chunk(len(raw), zstandard.compress(raw), zlib.crc32(raw)) * 4


def chunk_beginnings(_: bytes) -> bytes:
    return chunk(1 << 20, b"x" * 40)[:-40] * (20_000_000 // 57)


def nested_chunk_beginnings(_: bytes) -> bytes:
    """Return beginnings of which each claims the rest of the file, and is right about that."""
    inside, parts, rest = b"\x28\xb5\x2f\xfd" + bytes(8), [], 0
    for _ in range(60_000):
        parts.append(claiming(inside, rest))
        rest += len(parts[-1])
    return b"\xee" * 9 + b"".join(reversed(parts))


def claiming(inside: bytes, rest: int) -> bytes:
    length = len(inside) + rest
    head = struct.pack("<QQQII", 0, 0, 1 << 20, 1, 4) + b"zstd" + struct.pack("<Q", length)
    return PREFIX.pack(Opcode.CHUNK, len(head) + length) + head + inside


def many_records(_: bytes) -> bytes:
    return record(Opcode.MESSAGE_INDEX, bytes(6)) * 1_500_000


def empty_records(_: bytes) -> bytes:
    return record(Opcode.MESSAGE_INDEX, b"") * 2_000_000


def nested_message(_: bytes) -> bytes:
    message = struct.pack("<HIQQ", 2, 0, 0, 0) + b"\x90" * (MOST_CHUNK_BYTES - 100)
    raw = record(Opcode.MESSAGE, message)
    return chunk(len(raw), zstandard.compress(raw), zlib.crc32(raw))


def nested_layout(_: bytes) -> bytes:
    message = struct.pack("<HIQQ", 4, 0, 0, 0) + b"[" + b"[]," * ((MOST_CHUNK_BYTES - 100) // 3) + b"0]"
    raw = record(Opcode.MESSAGE, message)
    return chunk(len(raw), zstandard.compress(raw), zlib.crc32(raw))


BOMBS: tuple[Callable[[bytes], bytes], ...] = (
    *(one_large_chunk, sizes_that_nobody_says, records_without_end, chunk_beginnings, nested_chunk_beginnings),
    *(many_records, empty_records, nested_message, nested_layout),
)


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, float]]:
    """Return seconds of CPU and megabytes that each bomb takes, all of them read by one process."""
    folder = tmp_path_factory.mktemp("bombs")
    write(folder / "whole.mcap", 10)
    begin = (folder / "whole.mcap").read_bytes()
    header = begin[: 8 + 9 + int.from_bytes(begin[9:17], "little")]
    for bomb in BOMBS:
        (folder / f"{bomb.__name__}.mcap").write_bytes(header + bomb(header))
    files = [str(folder / f"{bomb.__name__}.mcap") for bomb in BOMBS]
    done = subprocess.run(
        [sys.executable, "-c", READ, *files], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    worst: dict[str, tuple[float, float]] = {}
    for path, seconds, megabytes in json.loads(done.stdout):
        before = worst.get(Path(path).stem, (0.0, 0.0))
        worst[Path(path).stem] = max(before[0], seconds), max(before[1], megabytes)
    return worst


@pytest.mark.parametrize("bomb", [bomb.__name__ for bomb in BOMBS])
def test_a_bomb_takes_little_time_and_memory(costs: dict[str, tuple[float, float]], bomb: str) -> None:
    seconds, megabytes = costs[bomb]
    assert seconds < MOST_SECONDS
    assert megabytes < MOST_MEGABYTES


def test_the_writer_makes_no_chunk_that_it_could_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    container = Container(path, {}, {})
    with pytest.raises(CannotRecord, match="a chunk of 64 MiB"):
        container.append([ChannelMessage(KEYFRAMES, 0, bytes(MOST_CHUNK_BYTES + 1))])
    with Recording.open(path) as recording:
        assert len(recording) == 0


def test_a_bomb_is_refused_by_its_claim(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 100)
    with (tmp_path / "a.mcap").open("ab") as file:
        file.write(one_large_chunk(b""))
    assert recover(tmp_path / "a.mcap", tmp_path / "b.mcap").records == 100
