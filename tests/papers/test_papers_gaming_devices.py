"""Swarm gaming (Hristoskova et al. 2012): a fixed camera and an automatic door take part in a match. G-96."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from test_papers_gaming_environment import PASSAGE
from two_squads import two_squads

from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

FIELD = f"""\
[AREA_1]
type border
points -8 -5  8 -5  8 5  -8 5
[ROBOT_1]
type fixed_camera
name gate
position 0 0 0
[ROBOT_2]
type game_infantry
name a
count 2
grid 1x2 0.8
position -4 0 0
[ROBOT_3]
type game_infantry
name b1
position 5 3.5 0
{two_squads()}"""


class Played:
    """A match of people."""

    def __init__(self, file: Path, robots: list[str], stack: ExitStack) -> None:
        server = LocalServer(Simulation(load(str(file))), is_hashed=False)
        self.sim = stack.enter_context(server.connect())
        self.stepper = stack.enter_context(self.sim.stepper(robots, every=10))
        self.match = Match(self.sim, self.stepper)
        self.model = self.match.model
        self.stepper.step({})

    def play(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            assert self.match.decide(self.stepper.step({})) is not None

    def positions(self) -> np.ndarray:
        return np.array([self.model.position(robot) for robot in self.model.squads["a"].robots])

    def texts_of(self, rule: str) -> list[str]:
        return [entry.text for entry in self.model.log if entry.rule == rule]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator:
    with ExitStack() as stack:

        def begin(text: str, robots: list[str]) -> Played:
            (tmp_path / "match.scenario").write_text(text)
            return Played(tmp_path / "match.scenario", robots, stack)

        yield begin


@pytest.fixture
def field(begun) -> Played:
    return begun(FIELD, ["a1", "a2", "b1"])


def test_a_fixed_camera_is_found_by_what_its_module_describes_and_is_in_the_way_g96(field: Played) -> None:
    assert field.texts_of("device") == ["gate can see"]
    assert field.model.cameras == {"gate": (0.0, 0.0)}
    assert field.match.field.grid(swims=False).is_blocked(np.array([(0.0, 0.0), (1.0, 0.0)])).tolist() == [True, False]
    assert "gate" not in field.model.robots


def test_a_squad_goes_to_whom_its_camera_sees_and_comes_back_g96(field: Played) -> None:
    assert field.match.order("one", "a defend gate") == ""
    field.play(25.0)
    assert field.texts_of("sees") == []  # its own robots are no intruders
    assert np.hypot(*field.positions().T).max() < 2.5
    field.match.order("two", "b go_to 4 0")
    while not field.texts_of("sees"):
        field.play(0.5)
        assert field.model.time < 60.0
    assert field.texts_of("sees") == ["gate sees b1: a goes there"]
    field.play(10.0)
    assert np.hypot(*(field.positions().mean(axis=0) - (4.0, 0.0))) < 2.5
    field.match.order("two", "b go_to 0 -4")  # behind the camera
    field.play(30.0)
    assert field.texts_of("sees")[-1] == "gate sees no enemy"
    assert np.hypot(*field.positions().T).max() < 2.5
    assert field.match.referee.violations == set()


def test_what_stands_behind_a_wall_is_not_seen_g96(begun, tmp_path: Path) -> None:
    wall = "[FLOOR]\n[OBJECT_1]\ntype box\nname wall\nsize 0.2 6 0.6\nposition 2 0 0\nmass 0\n"
    (tmp_path / "wall.world").write_text(wall)
    place = "position 5 3.5 0", "position 4 0 0"
    texts = FIELD.replace(*place), "[WORLD]\nfile wall.world\n" + FIELD.replace(*place)
    open_, shut = (begun(text, ["a1", "a2", "b1"]) for text in texts)
    for played, expected in ((open_, ["b1"]), (shut, [])):
        played.play(0.2)
        assert [robot.name for robot in played.match.view.seen_by("gate")] == expected


def test_a_camera_that_is_gone_is_said_once_and_the_match_goes_on_g96(field: Played) -> None:
    field.match.order("one", "a defend gate")
    field.play(1.0)
    field.match.surroundings.cameras["gate"].module = field.sim.module("/nobody/camera")
    field.play(3.0)
    assert field.texts_of("device") == ["gate can see", "gate is gone: it sees nobody any more"]


def test_squads_wait_before_a_door_that_is_shut_and_go_on_when_it_opens_g96(begun) -> None:
    played = begun(PASSAGE, ["a1", "a2", "a3", "b1"])
    door = played.sim.module("/door/driver")
    door.parameters["range"] = 0.0
    assert played.match.order("one", "a go_to 3.5 0") == ""
    freed = played.match.intelligences["a"].freed
    played.play(25.0)
    assert sorted(played.texts_of("waits")) == [f"a{n} waits for door to open" for n in (1, 2, 3)]
    assert played.texts_of("help") == []
    assert played.match.intelligences["a"].freed == freed  # none is stuck, and plans anew
    assert (played.positions()[:, 0] < 0.0).all()
    door.parameters["range"] = 1.5
    played.play(20.0)
    assert (played.positions()[:, 0] > 0.5).all()
    assert played.texts_of("help") == []  # who waited is not stuck when the door opens
    assert played.match.intelligences["a"].freed == freed


def test_ways_keep_off_the_post_of_a_door_and_off_what_its_open_leaf_bars_g96(begun) -> None:
    grid = begun(PASSAGE, ["a1", "a2", "a3", "b1"]).match.field.grid(swims=False)
    beside, within = (0.0, 0.4), (0.0, -0.1)  # an open leaf ends at y = 0.33
    assert grid.is_blocked(np.array([beside, within])).tolist() == [True, False]


def test_who_waits_too_long_before_a_door_asks_for_help_g96(begun) -> None:
    played = begun(PASSAGE, ["a1", "a2", "a3", "b1"])
    played.sim.module("/door/driver").parameters["range"] = 0.0
    played.match.order("one", "a go_to 3.5 0")
    played.play(70.0)
    assert any("comes no nearer to where it goes" in text for text in played.texts_of("help"))
