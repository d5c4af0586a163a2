"""The ring of records and the command rows, also under a writer in another process."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import InternalError
from coopsim.simulation import command_kernel
from coopsim.state import Layout, Record, RecordHeader
from coopsim.transport import Ring, remove_abandoned_rings, shared_memory

RING_BYTES = 1 << 20


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(ring_bytes=RING_BYTES, command_floats=1000)
    yield ring
    ring.unlink()


def put(ring: Ring, tick: int, readings: int = 10, edits: bytes = b"") -> int:
    """Append a record whose every reading is its tick; return its size."""
    header = RecordHeader(tick=tick, bodies=1, readings=readings, commands=2, edits_bytes=len(edits))
    values = np.full(readings, float(tick))
    ring.append(header, (np.ones((1, 7)), np.zeros((1, 6)), values, np.array([tick, -tick], float)), edits)
    return header.size


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start Python code in another process."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )


def ticks(records: list[bytes]) -> list[int]:
    return [Record(raw).tick for raw in records]


def test_a_record_comes_back_as_it_was_written(ring: Ring) -> None:
    assert ring.latest() == b""
    put(ring, 7, edits=b"\x91\x81\xa4edit\xa5pause")
    record = Record(Ring.attach(ring.path).latest())
    assert (record.tick, record.poses.tolist(), record.twists.tolist()) == (7, [[1.0] * 7], [[0.0] * 6])
    assert (record.readings.tolist(), record.commands.tolist()) == ([7.0] * 10, [7.0, -7.0])
    assert record.edits == [{"edit": "pause"}]


def test_two_equal_records_have_equal_bytes_whatever_lay_there_before(ring: Ring) -> None:
    size = put(ring, 1, edits=b"\xa6secret")
    first = ring.latest()
    while ring.following(0)[2] == 0:  # until a lap is over and old bytes are written over
        put(ring, 2, readings=999)
    put(ring, 1, edits=b"\xa6secret")
    assert ring.latest() == first
    assert len(first) == size


def test_a_reader_that_keeps_up_loses_nothing_over_many_laps(ring: Ring) -> None:
    cursor, seen = 0, []
    for tick in range(1, 2001):
        put(ring, tick, readings=tick % 700)
        if tick % 50 == 0:
            records, cursor, lost = ring.following(cursor)
            seen += ticks(records)
            assert lost == 0
    assert seen == list(range(1, 2001))
    assert ring.following(cursor) == ([], cursor, 0)


def test_an_overtaken_reader_is_told_how_much_it_lost_and_goes_on_with_the_newest(ring: Ring) -> None:
    size = put(ring, 1)
    _, cursor, _ = ring.following(0)
    written = 1
    while written * size < 3 * RING_BYTES:
        written += 1
        put(ring, written)
    records, after, lost = ring.following(cursor)
    assert ticks(records) == [written]
    assert lost == after - cursor - size
    put(ring, written + 1)
    assert ticks(ring.following(after)[0]) == [written + 1]


def test_a_record_as_large_as_the_ring_fits_and_a_larger_one_is_refused(ring: Ring) -> None:
    room = (RING_BYTES - RecordHeader(bodies=1, commands=2).size) // 8
    put(ring, 1)
    put(ring, 2, readings=room)
    put(ring, 3)
    assert Record(ring.latest()).tick == 3
    with pytest.raises(InternalError, match="does not fit"):
        put(ring, 4, readings=room + 1)
    assert Record(ring.latest()).tick == 3


def test_a_record_that_belies_its_header_is_refused(ring: Ring) -> None:
    with pytest.raises(InternalError, match="what its header says"):
        ring.append(RecordHeader(tick=5, readings=3), (np.zeros(4),))
    assert ring.count == 0


WRITER = """
import sys
import numpy as np
from coopsim.state import RecordHeader
from coopsim.transport import Ring
ring = Ring.attach(sys.argv[1])
print("ready", flush=True)
for tick in range(1, int(sys.argv[2]) + 1):
    readings = tick * 37 % 4000
    ring.append(RecordHeader(tick=tick, readings=readings), (np.full(readings, float(tick)),))
"""


def _whole(raw: bytes) -> bool:
    record = Record(raw)
    return record.readings.size == record.tick * 37 % 4000 and bool((record.readings == record.tick).all())


def test_readers_never_see_half_a_record_while_another_process_writes(ring: Ring) -> None:
    last, newest, cursor, followed, lost = 20_000, 0, 0, 0, 0
    with child(WRITER, ring.path, last) as writer:
        while newest < last:
            raw = ring.latest()
            records, cursor, missed = ring.following(cursor)
            assert all(_whole(record) for record in [*records, *([raw] if raw else [])])
            if raw:
                assert Record(raw).tick >= newest
                newest = Record(raw).tick
            followed, lost = followed + len(records), lost + missed
            assert newest or writer.poll() is None
    assert followed <= last
    assert followed == last or lost > 0


def test_command_rows_come_over_as_written(ring: Ring) -> None:
    with ring.writing(4) as rows:
        rows[:3] = [1.0, 10.0, 0.3]
    out = np.zeros(3)
    assert Ring.attach(ring.path).latch(4, out)
    assert out.tolist() == [1.0, 10.0, 0.3]


def test_rows_of_another_generation_are_never_latched(ring: Ring) -> None:
    for generation in (4, 5):
        with ring.writing(generation) as rows:
            rows[0] = generation
    out = np.full(1, -1.0)
    assert not ring.latch(6, out)  # the area of 4, whose rows mean something else
    assert out.tolist() == [-1.0]
    assert ring.latch(5, out)
    assert out.tolist() == [5.0]


def test_a_writer_in_the_midst_leaves_the_latch_without_an_answer(ring: Ring) -> None:
    out = np.full(2, -1.0)
    with ring.writing(0) as rows:
        rows[0] = 9.0
        assert not ring.latch(0, out, patience=0.0)
    assert out.tolist() == [-1.0, -1.0]
    assert ring.latch(0, out)


def test_a_writer_that_fails_leaves_the_rows_readable(ring: Ring) -> None:
    with pytest.raises(ZeroDivisionError), ring.writing(0) as rows:
        rows[0] = 1 / 0
    assert ring.latch(0, np.zeros(1))


COMMANDER = """
import sys
from coopsim.transport import Ring
ring = Ring.attach(sys.argv[1])
print("ready", flush=True)
for value in range(1, int(sys.argv[2]) + 1):
    with ring.writing(1) as rows:
        rows[:] = value
"""


@pytest.mark.parametrize("is_compiled", [False, True], ids=["plain", "compiled"])
def test_command_rows_are_never_torn_while_another_process_writes(ring: Ring, is_compiled: bool) -> None:
    out, last, seen = np.zeros(ring.command_capacity), 20_000, 0.0
    place, spare = command_kernel.rows_address(ring, Layout(1, (), (), ())), np.zeros(out.size)
    assert place is not None
    assert command_kernel.copy_rows(place, spare, out) == command_kernel.NOT_YET  # it is compiled from here on
    with child(COMMANDER, ring.path, last) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        while seen < last:
            if (
                command_kernel.copy_rows(place, spare, out) == command_kernel.TAKEN
                if is_compiled
                else ring.latch(1, out)
            ):
                assert (out == out[0]).all()
                assert out[0] >= seen
                seen = out[0]


def test_more_commands_than_there_is_room_for_are_refused(ring: Ring) -> None:
    with pytest.raises(InternalError, match="1000"):
        ring.latch(0, np.zeros(1001))


def test_the_name_carries_the_owner_and_is_private(ring: Ring) -> None:
    assert ring.path.name.startswith(f"coopsim-{os.getpid()}-")
    assert ring.path.stat().st_mode & 0o777 == 0o600


def test_unlinked_memory_stays_usable_for_those_who_have_it(ring: Ring) -> None:
    attached = Ring.attach(ring.path)
    ring.unlink()
    ring.unlink()
    put(ring, 3)
    assert Record(attached.latest()).tick == 3


def test_rings_of_dead_launchers_are_removed_and_those_of_living_ones_stay(ring: Ring) -> None:
    with child("") as dead:
        pass
    abandoned = Ring.create(ring_bytes=RING_BYTES, command_floats=8, owner=dead.pid)
    removed = remove_abandoned_rings()
    assert abandoned.path.name in removed
    assert ring.path.name not in removed
    assert (abandoned.path.exists(), ring.path.exists()) == (False, True)


@pytest.mark.parametrize("content", [b"", b"x" * 100, bytes(20_000)])
def test_what_is_no_ring_is_not_attached(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "some.ring"
    file.write_bytes(content)
    with pytest.raises(InternalError, match=r"some\.ring"):
        Ring.attach(file)


def test_a_ring_that_is_gone_is_not_attached(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="cannot be opened"):
        Ring.attach(tmp_path / "gone.ring")


def test_too_little_room_is_said_before_anything_is_made() -> None:
    with pytest.raises(InternalError, match="too little room for 1073741"):
        Ring.create(ring_bytes=1 << 50)


def test_the_room_of_a_ring_is_kept_for_it() -> None:
    ring = Ring.create(ring_bytes=4 << 20, command_floats=100)
    try:
        status = ring.path.stat()
        assert status.st_blocks * 512 >= status.st_size
    finally:
        ring.unlink()


def test_a_folder_that_is_full_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full, roomy = tmp_path / "full", tmp_path / "roomy"
    full.mkdir()
    roomy.mkdir()
    monkeypatch.setattr(shared_memory, "_folders", lambda: [full, roomy])
    reserve = os.posix_fallocate

    def refuse(descriptor: int, start: int, size: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{descriptor}")).parent == full:
            raise OSError(errno.ENOSPC, "No space left on device")
        reserve(descriptor, start, size)

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    ring = Ring.create(ring_bytes=1 << 20, command_floats=100)
    assert ring.path.parent == roomy
    assert list(full.iterdir()) == []
