"""Changes of the world in the middle of a match: put back, judged by what types of robots can do, or told."""

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from coopsim.errors import StaleLayout
from coopsim.features.games.logic.carrying_on import carry_on
from coopsim.features.games.logic.game import removed_since
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.referee import RobotReports
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

A1, B1 = 0, 3


class Field:
    """A match in this process, and a stranger without a seat."""

    def __init__(self, stack: ExitStack) -> None:
        self.server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
        self.stranger, self.sim = (stack.enter_context(self.server.connect()) for _ in range(2))
        self.stepper = stack.enter_context(self.sim.stepper(every=10))
        self.match = Match(self.sim, self.stepper)
        stack.callback(self.close)
        self.observe()

    def close(self) -> None:
        self.match.close()

    def observe(self, times: int = 1) -> None:
        for _ in range(times):
            self.match.decide(self.stepper.step({}))

    def logged(self, rule: str) -> list[str]:
        return [f"{entry.source}: {entry.text}" for entry in self.match.model.log if entry.rule == rule]

    def judge(self, seconds: float, **told: tuple[int, float]) -> None:
        """Let the referee look at what robots tell, some time later."""
        self.match.model.time += seconds
        usual = {"shots": np.zeros(6), "targets": np.full(6, -1.0), "holding": np.full(6, -1.0), "doing": np.zeros(6)}
        for reading, (row, value) in told.items():
            usual[reading][row] = value
        self.match.referee.judge(RobotReports(**usual))


@pytest.fixture
def field() -> Iterator[Field]:
    with ExitStack() as stack:
        yield Field(stack)


@pytest.fixture
def near(field: Field) -> Field:
    """A1 and b1 stand 2 m apart, and nobody moves."""
    field.match.model.positions = field.match.model.positions.copy()
    field.match.model.positions[B1] = field.match.model.positions[A1] + (0.0, 2.0)
    field.match.referee.__post_init__()
    field.match.broker.force = lambda command: None  # type: ignore[method-assign]
    field.judge(0.0)
    return field


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        ("shooter", "rate", 50.0),
        ("shooter", "range", 20.0),
        ("intelligence", "speed", 3.0),
        ("motors", "max_speed", 3.0),
        ("border", "swims", 1),
    ],
)
def test_a_parameter_of_a_robot_is_put_back_and_told(field: Field, module: str, name: str, value: float) -> None:
    parameters = field.stranger.module(f"/b1/{module}").parameters
    before = parameters[name]
    parameters[name] = value
    field.observe(2)
    assert parameters[name] == before
    assert field.logged("tampered") == [f"b1: somebody set b1.{module}.{name} = {value}; it is {before} again"]


def test_a_flag_that_nobody_carries_is_put_back_and_told(field: Field) -> None:
    field.stranger.world.update("red", "position 3 3 0")
    field.observe(3)
    poses = {entity.name: entity.pose[:2] for entity in field.stranger.scene().entities}
    assert poses["red"] == (0.0, -4.0)
    assert field.match.model.flags["red"].place == (0.0, -4.0)
    (line,) = field.logged("tampered")
    assert line == "red: somebody changed red: position 3 3 0; it is put back"


def test_a_wall_that_comes_and_goes_is_told(field: Field) -> None:
    field.stranger.world.insert("[OBJECT_1]\ntype box\nname wall9\nposition 5 0 0.5\nsize 0.2 1 1\nmass 0")
    field.observe()
    field.stranger.world.remove("wall9")
    field.observe()
    texts = ["inserted wall9", "removed wall9"]
    assert field.logged("tampered") == [f"the world: {text}: it is not part of this match" for text in texts]


def test_a_robot_that_is_put_elsewhere_is_too_fast_and_hurts_nobody_for_a_while(field: Field) -> None:
    field.stranger.world.update("b1", "position 0 -3.8 0")
    field.observe(2)
    assert ("too fast", "b1") in field.match.referee.violations
    assert field.logged("too fast") == ["b1: b1 came farther than its type can: it drives 0.75 m/s at most"]
    assert field.logged("tampered") == ["b1: somebody changed b1: position 0 -3.8 0"]
    field.match.broker.force = lambda command: None  # type: ignore[method-assign]
    a1 = field.match.model.robots["a1"]
    field.judge(0.1, shots=(B1, 1.0), targets=(B1, float(a1.number)), holding=(B1, 0.0))
    assert (a1.health, field.match.model.flags["red"].carrier) == (100.0, "")


def test_shots_faster_than_the_type_do_not_count(near: Field) -> None:
    a1, b1 = near.match.model.robots["a1"], near.match.model.robots["b1"]
    shots = 0.0
    for _ in range(50):
        shots += 5.0
        near.judge(0.1, shots=(A1, shots), targets=(A1, float(b1.number)))
    assert 100.0 - b1.health <= 7 * a1.damage  # five seconds at 1 Hz, and what may have come late
    assert near.logged("illegal shot") == [
        "a1: a1 shot more often than the 1 Hz of its type; the like does not count from now on"
    ]


def test_shots_at_the_rate_of_the_type_all_count_also_when_looks_are_late(near: Field) -> None:
    a1, b1 = near.match.model.robots["a1"], near.match.model.robots["b1"]
    for shots in (1.0, 2.0, 5.0):
        near.judge(3.0 if shots == 5.0 else 1.0, shots=(A1, shots), targets=(A1, float(b1.number)))
    assert b1.health == 100.0 - 5 * a1.damage
    assert near.logged("illegal shot") == []


def test_shots_beyond_the_range_of_the_type_do_not_count(near: Field) -> None:
    b1 = near.match.model.robots["b1"]
    near.match.model.positions[B1] += (0.0, 8.0)
    near.match.referee.__post_init__()
    near.judge(1.0, shots=(A1, 1.0), targets=(A1, float(b1.number)))
    assert b1.health == 100.0
    assert near.logged("illegal shot")[0].startswith("a1: a1 hit at 10.0 m, and its type reaches 2.5 m")


def test_a_robot_that_is_removed_is_out_and_the_match_goes_on_g8(field: Field) -> None:
    before = field.match
    before.model.robots["a2"].health, before.referee._shots[A1 + 1] = 40.0, 7.0
    before.order("south_team", "a go_to 1 -4 line")
    field.stranger.world.remove("a1")
    with pytest.raises(StaleLayout):
        field.observe(2)
    before.close()
    removed = removed_since([before], field.stepper.robots)
    field.match = Match(field.sim, field.stepper, removed=removed)
    carry_on(before, field.match)
    field.observe(3)
    assert field.logged("out") == ["a1: a1 is out: it was removed from the simulation"]
    assert field.match.result()["casualties"] == {"south_team": 1, "north_team": 0}
    assert (field.match.model.robots["a2"].health, field.match.referee.reason) == (40.0, "")
    assert str(field.match.intelligences["a"].order).startswith("a go_to 1")
    assert [bot.player for bot in field.match.bots] == ["north_team"]


def test_a_flag_of_a_robot_that_is_removed_lies_where_it_was(field: Field) -> None:
    before = field.match
    blue = before.model.flags["blue"]
    before.model.robots["a1"].holding, blue.carrier, blue.place = "blue", "a1", (1.0, 2.0)
    field.stranger.world.remove("a1")
    with pytest.raises(StaleLayout):
        field.stepper.step({})
    before.close()
    field.match = Match(field.sim, field.stepper, removed=removed_since([before], field.stepper.robots))
    carry_on(before, field.match)
    flag = field.match.model.flags["blue"]
    assert (flag.carrier, flag.place) == ("", (1.0, 2.0))
