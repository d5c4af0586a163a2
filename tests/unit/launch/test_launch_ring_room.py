"""Shared memory grows with the robots of a run, and a run without room is refused with what would fit."""

import os
import re
from pathlib import Path

import pytest

from coopsim.errors import BadArgument
from coopsim.launch.ring_room import RingRoom, create_ring, robots_like
from coopsim.robots import RunSpec, command_width, load_type
from coopsim.scene import RobotPlacement, Scenario
from coopsim.state import Layout

_COUNT = 10_000


def crowd(kind: str, count: int = _COUNT) -> RunSpec:
    robots = tuple(RobotPlacement(f"robot{number}", kind) for number in range(count))
    return RunSpec(Scenario(robots=robots), types={kind: load_type(kind)})


def leave_free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let the folders of shared memory say that they have `size` bytes left."""
    statvfs = os.statvfs

    def short(folder: Path) -> os.statvfs_result:
        fields = list(statvfs(folder))
        fields[1], fields[4] = 1, size
        return os.statvfs_result(fields)

    monkeypatch.setattr(os, "statvfs", short)


@pytest.mark.parametrize("kind", ["single", "game_infantry", "scout"])
def test_ten_thousand_robots_of_a_type_have_room_for_all_their_commands(kind: str) -> None:
    ring = create_ring(crowd(kind), max_robots=20_000)
    ring.unlink()
    assert ring.command_capacity >= _COUNT * command_width(load_type(kind)) + 10_000 * 20


def test_a_crowd_larger_than_the_largest_number_of_robots_has_room_too() -> None:
    ring = create_ring(crowd("game_infantry"), max_robots=1)
    ring.unlink()
    assert ring.command_capacity == _COUNT * command_width(load_type("game_infantry"))


def test_wide_commands_make_records_larger() -> None:
    narrow, wide = RingRoom.of_run(crowd("single")), RingRoom.of_run(crowd("game_infantry"))
    extra = command_width(load_type("game_infantry")) - 20
    assert wide.record_bytes - narrow.record_bytes == 8 * extra * _COUNT
    assert wide.wanted(_COUNT) >= wide.least > 2 * wide.record_bytes


def test_where_memory_is_short_room_for_later_robots_is_given_up_first(monkeypatch: pytest.MonkeyPatch) -> None:
    room = RingRoom.of_run(crowd("game_infantry"))
    least = room.least + 16 * room.command_floats
    leave_free(monkeypatch, least + (1 << 20))
    ring = create_ring(crowd("game_infantry"), max_robots=200_000)
    ring.unlink()
    assert ring.command_capacity >= room.command_floats
    assert ring.largest >= room.least


def test_a_crowd_without_room_is_refused_with_what_would_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    room = RingRoom.of_run(crowd("game_infantry"))
    leave_free(monkeypatch, (room.least + 16 * room.command_floats) // 2)
    with pytest.raises(BadArgument, match="10000 robots need them") as refusal:
        create_ring(crowd("game_infantry"), max_robots=20_000)
    fitting = re.search(r"about (\d+) of the same types", str(refusal.value))
    assert fitting is not None
    assert int(fitting[1]) == pytest.approx(_COUNT / 2, rel=0.01)
    create_ring(crowd("game_infantry", int(fitting[1]) * 9 // 10), max_robots=1).unlink()


def test_a_recording_of_wide_rows_counts_as_more_robots() -> None:
    assert robots_like(Layout(1, (), (), (), (), 590_000, 10_000)) == 29_500
    assert robots_like(Layout(1, (), (), (), (), 20, 960_000)) == 10_001


def test_no_robots_need_no_room() -> None:
    room = RingRoom.of_run(RunSpec(Scenario()))
    assert (room.robots, room.commands_for(0)) == (0, 0)


def test_a_replay_has_room_for_the_commands_of_types_that_it_does_not_know() -> None:
    robots = tuple(RobotPlacement(f"robot{number}", "wide") for number in range(1000))
    room = RingRoom.of_run(RunSpec(Scenario(robots=robots)))
    assert room.commands_for(2950) == 2950 * 20
