import json

import numpy as np
import pytest

from coopsim.launch import child
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.launch.outcome import from_crash, from_problem, from_signal
from coopsim.launch.report import Summary
from coopsim.launch.ring_room import create_ring
from coopsim.robots import RunSpec
from coopsim.scene import RobotPlacement, Scenario
from coopsim.state import Layout, RecordHeader, RobotPlace, TypeLayout
from coopsim.transport import RecordReader, Ring, packed_layout, unpacked_layout
from coopsim.transport.control import ProcessFailed, SourceSummary


def summed_up(ring: Ring, layout: Layout) -> Summary:
    """Return what is told of a source that died, from the newest record and its layout in the ring."""
    ((packed, record),) = RecordReader(ring).read()
    assert unpacked_layout(packed) == layout
    return Summary.of(SourceSummary.of(unpacked_layout(packed), record, 2.5), {"robot1": "me"}, 0)


def layout_of_robot_in_row(generation: int, row: int, *bodies: str) -> Layout:
    kind = TypeLayout("bench", (), 0, 0)
    return Layout(generation, (kind,), (RobotPlace("robot1", kind, 0, 0, row),), (), bodies)


def publish(ring: Ring, layout: Layout, header: RecordHeader, poses: list[list[float]]) -> None:
    ring.announce(layout.generation, packed_layout(layout))
    ring.append(header._replace(generation=layout.generation), (np.array(poses), np.zeros((len(poses), 6))))


def test_a_physics_process_that_died_is_summed_up_from_its_last_record() -> None:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=8)
    layout = layout_of_robot_in_row(1, 1, "box", "robot1")
    header = RecordHeader(tick=41, time_ns=410_000_000, bodies=2, overruns=3, state_hash=bytes(range(16)))
    publish(ring, layout, header, [[9.0, 9.0, 0, 1, 0, 0, 0], [1.5, -2.0, 0, 0, 0, 0, 1.0]])
    plain = json.loads(json.dumps(summed_up(ring, layout).to_json()))
    ring.unlink()
    assert plain["robots"] == {"robot1": {"x": 1.5, "y": -2.0, "heading": pytest.approx(np.pi), "owner": "me"}}
    assert (plain["ticks"], plain["sim_time"], plain["overruns"]) == (41, 0.41, 3)
    assert plain["state_hash"] == "000102030405060708090a0b0c0d0e0f"


def test_bodies_that_came_or_went_are_not_given_wrong_names() -> None:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=8)
    before, after = layout_of_robot_in_row(1, 1, "box", "robot1"), layout_of_robot_in_row(2, 0, "robot1")
    publish(ring, before, RecordHeader(bodies=2), [[9.0, 9.0, 0, 1, 0, 0, 0], [8.0, 8.0, 0, 1, 0, 0, 0]])
    publish(ring, after, RecordHeader(bodies=1), [[3.0, 4.0, 0, 1, 0, 0, 0]])
    summary = summed_up(ring, after)
    ring.unlink()
    assert {name: (robot.x, robot.y) for name, robot in summary.robots.items()} == {"robot1": (3.0, 4.0)}


class Ended(child.Child):
    """A child that has ended with a code, without any process."""

    def __init__(self, name: str, code: int) -> None:
        self.name, self._code, self._last_words = name, code, None

    @property
    def code(self) -> int:
        return self._code


@pytest.mark.parametrize(
    ("physics", "host", "words"),
    [
        (0, -9, "the host was killed by SIGKILL"),
        (-11, 0, "the physics was killed by SIGSEGV"),
        (0, 1, "the host ended with exit code 1"),
        (-9, 1, "the physics was killed by SIGKILL"),
        (0, 0, "the physics ended with exit code 0"),
        (0, -77, "the host was killed by signal 77"),
    ],
)
def test_the_process_that_pulled_the_other_down_is_named(physics: int, host: int, words: str) -> None:
    ending = from_crash([Ended("physics", physics), Ended("host", host)])
    assert (ending.code, ending.reason) == (3, words)


def test_a_problem_is_the_runs_fault_and_a_bug_is_a_process_that_failed() -> None:
    assert from_problem("host", ProcessFailed(505, "taken")).code == 1
    assert from_problem("host", ProcessFailed(503, "bug")).code == 3


def test_signals_have_their_exit_codes() -> None:
    assert [from_signal(number).code for number in (2, 15, 1)] == [130, 143, 143]


def test_ends_travel_as_arguments() -> None:
    ends = ChildDescriptors("/dev/shm/coopsim-1-0.ring", 3, 4, 5, 6)
    assert ChildDescriptors.parse(ends.arguments()) == ends
    assert ends.descriptors == (3, 4, 5, 6)


def test_the_ring_has_room_for_the_commands_of_all_robots_and_for_two_seconds() -> None:
    robots = tuple(RobotPlacement(f"robot{n}", "single") for n in range(400))
    ring = create_ring(RunSpec(Scenario(robots=robots)), max_robots=1000)
    ring.unlink()
    assert ring.command_capacity >= 1000 * 10
    assert ring._size >= 200 * 400 * 700
