"""Senses that control laws share: the time, the make of robots, rows of commands, targets and the map."""

import math
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.laws.senses import Clock, body_of, map_poses, need_modules, one_type, target_slot


class Timed:
    """A simulation whose clock says a mode and a step, and counts how often it is asked."""

    def __init__(self, step: float = 0.01) -> None:
        self.asked, self.mode, self.step = 0, "lockstep", step
        self.clock = SimpleNamespace(status=self.status)

    def status(self) -> SimpleNamespace:
        self.asked += 1
        return SimpleNamespace(mode=self.mode, step=self.step)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30))
def test_time_that_passes_adds_up_to_the_ticks(steps: list[int]) -> None:
    clock: Any = Clock(Timed())  # type: ignore[arg-type]
    assert clock.elapsed(7) == 0.0
    tick, passed = 7, 0.0
    for step in steps:
        tick += step
        passed += clock.elapsed(tick)
    assert passed == pytest.approx(0.01 * (tick - 7))
    assert clock.time == pytest.approx(0.01 * tick)


def test_a_reset_of_the_clock_is_no_time_and_a_pause_half_a_second_at_most() -> None:
    clock = Clock(Timed())  # type: ignore[arg-type]
    assert [clock.elapsed(tick) for tick in (100, 5, 6, 1000)] == pytest.approx([0.0, 0.0, 0.01, 0.5])


def test_another_mode_is_heard_of_in_time_without_asking_at_every_tick() -> None:
    sim = Timed()
    clock = Clock(sim)  # type: ignore[arg-type]
    clock.elapsed(0)
    sim.mode, sim.step = "real-time", 0.02
    passed = [clock.elapsed(tick) for tick in range(1, 201)]
    assert clock.mode == "real-time"
    assert (passed[0], passed[-1]) == pytest.approx((0.01, 0.02))
    assert sim.asked == 3


def stepper(**robots: str) -> Any:
    """Return a stepper of robots of types `rover` with motors and sonars, and `buoy` with sonars alone."""
    kinds = {"rover": ({"sonars": 1}, {"motors": 1}), "buoy": ({"sonars": 1}, {})}
    types = {
        name: SimpleNamespace(gives=SimpleNamespace(modules=gives), takes=SimpleNamespace(modules=takes))
        for name, (gives, takes) in kinds.items()
    }
    return SimpleNamespace(robots=tuple(robots), layout=SimpleNamespace(robots=robots, types=types))


def test_a_law_names_the_robot_and_the_modules_that_it_lacks() -> None:
    need_modules(stepper(a="rover", b="rover"), "motors", "sonars")
    with pytest.raises(BadArgument, match="b is a buoy and has no motors, arm: this control law cannot drive it"):
        need_modules(stepper(b="buoy"), "sonars", "motors", "arm")


def test_robots_of_several_types_are_refused_by_a_law_for_one() -> None:
    assert one_type(stepper(a="rover", b="rover"), "") == "rover"
    with pytest.raises(BadArgument, match="all of one type"):
        one_type(stepper(a="rover", b="buoy"), "all of one type")


class Modules:
    """Modules of one robot, and the world."""

    def __init__(self) -> None:
        self.resets: dict[str, tuple[float, ...]] = {}
        entity = SimpleNamespace(size=(0.4, 0.6, 0.3), pose=(1.0, 2.0, 0.1, math.cos(0.35), 0.0, 0.0, math.sin(0.35)))
        self.world = SimpleNamespace(get=lambda _: entity)
        self.scene = lambda: SimpleNamespace(entities=())  # nobody is drawn as a polygon

    def call_all(self, calls: Iterable[tuple[str, str, Sequence[float]]]) -> list[NoSuchName | None]:
        resets = list(calls)
        self.resets.update({path[1:].partition("/")[0]: tuple(pose) for path, _, pose in resets})
        return [NoSuchName("no odometry") if path.startswith("/bare/") else None for path, _, _ in resets]

    def module(self, path: str) -> Any:
        name = path.rpartition("/")[2]
        if name == "motors":
            return SimpleNamespace(parameters={"half_track": "0.2", "max_speed": 0.5})
        if name == "sonars":
            return SimpleNamespace(parameters={"count": 3, "sector": 180.0, "reach": 3.0})
        targets = SimpleNamespace(gives=[SimpleNamespace(shape=lambda _: (2, 3))])
        described = SimpleNamespace(command=lambda _: targets)
        return SimpleNamespace(refresh=lambda: described, names=lambda: SimpleNamespace(names=["red", "blue", "spare"]))


def test_the_make_of_a_robot_is_asked_of_its_modules() -> None:
    body = body_of(Modules(), "a")  # type: ignore[arg-type]
    assert (body.radius, body.half_track, body.fastest, body.reach) == (0.3, 0.2, 0.5, 3.0)
    assert body.bearings.tolist() == pytest.approx([-math.pi / 2, 0.0, math.pi / 2])


def test_odometry_begins_where_robots_stand_on_the_map() -> None:
    sim: Any = Modules()
    poses = map_poses(sim, ["a", "b"])
    assert poses == pytest.approx(np.array([(1.0, 2.0, 0.7)] * 2))
    assert sim.resets == {"a": pytest.approx((1.0, 2.0, 0.7)), "b": pytest.approx((1.0, 2.0, 0.7))}


def test_a_robot_whose_odometry_cannot_be_reset_is_said() -> None:
    with pytest.raises(NoSuchName, match="no odometry"):
        map_poses(Modules(), ["a", "bare"])  # type: ignore[arg-type]


def test_a_target_is_a_slot_and_one_that_is_not_there_is_guessed() -> None:
    sim: Any = Modules()
    assert target_slot(sim, "a", "blue") == 1
    with pytest.raises(NoSuchName, match=r"no target 'bleu'.*blue.*there are: red.*blue"):
        target_slot(sim, "a", "bleu")
    with pytest.raises(NoSuchName, match="no target 'spare'"):
        target_slot(sim, "a", "spare")
