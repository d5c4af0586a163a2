"""Layouts in the ring: found by whoever begins to read, met by whoever reads on."""

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import coopsim
from coopsim.interfaces import MOTORS
from coopsim.state import EntityRow, Layout, ModuleLayout, Record, RecordHeader, RobotPlace, TypeLayout
from coopsim.transport import RecordReader, Ring, packed_layout, unpacked_layout

_RING = 1 << 20
_KIND = TypeLayout("bench", (ModuleLayout("motors", MOTORS, {}, (), 0, 0, 4, True),), 4, 4)
_SOMEWHERE = (0.5, 1.5, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(ring_bytes=_RING, command_floats=8)
    yield ring
    ring.unlink()


def layout(generation: int, robots: int = 1) -> Layout:
    names = [f"robot{number}" for number in range(1, robots + 1)]
    places = tuple(RobotPlace(name, _KIND, 4 * row, 4 * row, row) for row, name in enumerate(names))
    size, blue = (0.4, 0.3, 0.2), (0.0, 0.0, 1.0)
    rows = tuple(
        EntityRow(place.name, "robot", "bench", place.body, _SOMEWHERE, size, 20.0, blue, 0.5) for place in places
    )
    return Layout(generation, (_KIND,), places, rows, tuple(names), 4 * robots, 4 * robots)


def begin(ring: Ring, it: Layout) -> None:
    ring.announce(it.generation, packed_layout(it))
    publish(ring, it.generation)


def publish(ring: Ring, generation: int, size: int = 0) -> None:
    """Append a record whose revision is its number in the ring."""
    header = RecordHeader(revision=ring.count, generation=generation, keyframe_bytes=size)
    ring.append(header, (np.zeros(0),), b"", bytes(size))


def found(reader: RecordReader) -> list[tuple[int, int]]:
    """Return revision and generation of every record, and see to it that its layout is the right one."""
    read = [(unpacked_layout(packed).generation, record) for packed, record in reader.read()]
    assert all(generation == record.generation for generation, record in read)
    return [(record.header.revision, generation) for generation, record in read]


def test_what_robots_have_in_common_is_one_object_and_signs_of_zeros_stay() -> None:
    crowd = layout(3, 3)
    below = replace(crowd.entities[1], pose=(0.5, -0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    read = unpacked_layout(packed_layout(replace(crowd, entities=(crowd.entities[0], below, crowd.entities[2]))))

    first, second, third = read.entities
    assert first.type is second.type
    assert first.kind is third.kind
    assert read.robots[2].name is third.name
    assert first.mass is third.mass
    assert [math.copysign(1.0, number) for number in second.pose[:3]] == [1.0, -1.0, 1.0]


def test_a_layout_comes_back_equal_and_small() -> None:
    crowd = layout(3, 10_000)
    packed = packed_layout(crowd)
    assert unpacked_layout(packed) == crowd
    assert len(packed) < 1 << 20


def test_an_interface_that_holds_numbers_of_numpy_travels() -> None:
    kind = TypeLayout("bench", _KIND.modules, np.int64(4), np.int64(4))  # type: ignore[arg-type]
    assert unpacked_layout(packed_layout(Layout(1, (kind,), (), ()))).types == (_KIND,)


def test_only_the_first_record_of_a_generation_carries_its_layout(ring: Ring) -> None:
    begin(ring, layout(1))
    publish(ring, 1)
    begin(ring, layout(2))
    publish(ring, 2)
    carried = [bool(Record(raw).packed_layout) for raw in ring.following(0)[0]]
    assert carried == [True, False, True, False]


def test_a_reader_of_the_whole_run_meets_every_layout_before_its_records(ring: Ring) -> None:
    reader = RecordReader(ring, 0)
    got = []
    for generation in range(1, 2001):
        begin(ring, layout(generation, generation % 5))
        publish(ring, generation)
        if generation % 100 == 0:
            got += found(reader)
    assert got == [(number, 1 + number // 2) for number in range(4000)]


@pytest.mark.parametrize("size", [0, 700, 50_000, 130_000])
def test_whoever_begins_late_finds_the_present_layout_however_often_the_ring_went_round(ring: Ring, size: int) -> None:
    packed = packed_layout(layout(2, 7))
    begin(ring, layout(1))
    begin(ring, layout(2, 7))
    while ring.position < 3 * _RING:
        publish(ring, 2, size)
        assert ring.layout(2) == packed
    assert unpacked_layout(packed) == layout(2, 7)
    assert found(RecordReader(ring)) == [(ring.count - 1, 2)]
    assert ring.layout(1) == b""


def test_a_record_that_leaves_nothing_else_in_the_ring_brings_the_layout(ring: Ring) -> None:
    begin(ring, layout(1))
    publish(ring, 1, ring.largest - RecordHeader().size)
    publish(ring, 1)
    assert found(RecordReader(ring)) == [(2, 1)]


def test_a_reader_that_was_overtaken_goes_on_with_the_newest_record_and_its_layout(ring: Ring) -> None:
    reader = RecordReader(ring, 0)
    begin(ring, layout(1))
    assert found(reader) == [(0, 1)]
    begin(ring, layout(2, 3))
    while ring.position < 3 * _RING:
        publish(ring, 2)
    assert found(reader) == [(ring.count - 1, 2)]


def test_room_for_the_recorder_counts_the_layout_that_comes_along(ring: Ring) -> None:
    begin(ring, layout(1))
    ring.acknowledge(ring.position)
    size = RecordHeader(keyframe_bytes=1000).size
    while ring.has_room(size):
        publish(ring, 1, 1000)
    assert found(RecordReader(ring, 0)) == [(number, 1) for number in range(ring.count)]


_LATE = """
import sys
from coopsim.transport import RecordReader, Ring, unpacked_layout
reader = RecordReader(Ring.attach(sys.argv[1]))
for _ in range(2):
    for packed, record in reader.read():
        places = unpacked_layout(packed).robots
        print(record.header.revision, record.generation, *(place.name for place in places), flush=True)
    sys.stdin.readline()
"""


def test_a_process_that_knows_only_the_name_attaches_late_and_reads_on(ring: Ring) -> None:
    begin(ring, layout(1))
    while ring.position < 2 * _RING:
        publish(ring, 1)
    count = ring.count
    command = [sys.executable, "-c", _LATE, str(ring.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as late:
        assert late.stdin is not None
        assert late.stdout is not None
        said = [late.stdout.readline()]
        publish(ring, 1)
        begin(ring, layout(2, 2))
        rest, _ = late.communicate("\n\n", timeout=30)
    assert [*said, *rest.splitlines(keepends=True)] == [
        f"{count - 1} 1 robot1\n",
        f"{count} 1 robot1\n",
        f"{count + 1} 2 robot1 robot2\n",
    ]
    assert late.returncode == 0


def test_nothing_is_pickled_between_processes_but_orders_to_processes_of_ones_own() -> None:
    source = Path(coopsim.__file__).parent
    files = {str(path.relative_to(source)) for path in source.rglob("*.py") if "import pickle" in path.read_text()}
    of_studies = {"features/studies/pool.py", "features/studies/serving.py"}
    assert files <= {"launch/config.py", *of_studies, "simulation/warming.py", "features/doctor/second_compiler.py"}
