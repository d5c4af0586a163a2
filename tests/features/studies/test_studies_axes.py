"""What is varied, and what is wrong about it."""

import math
from pathlib import Path

import pytest
from studies_scenes import scene

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.studies.axes import combinations, read_axis
from coopsim.features.studies.changes import with_values
from coopsim.features.studies.jittering import with_jitter
from coopsim.features.studies.job import Jitter
from coopsim.robots import load
from coopsim.robots.remarks import overlaps, solids


def test_ranges_hold_both_ends_and_lists_what_they_say() -> None:
    assert read_axis("a.b=0.6:1:0.2").values == ("0.6", "0.8", "1")
    assert read_axis("a.b=x, y,x").values == ("x", "y")
    axes = [read_axis("a.b=1:2:1"), read_axis("a.c=x,y")]
    assert combinations(axes) == [
        *({"a.b": "1", "a.c": "x"}, {"a.b": "1", "a.c": "y"}),
        *({"a.b": "2", "a.c": "x"}, {"a.b": "2", "a.c": "y"}),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spacing=1", "expected NAME=A:B:STEP"),
        ("a.b=", "expected NAME=A:B:STEP"),
        ("a.b=2:1:0.5", "the range is empty: 2 is not below 1"),
        ("a.b=1:2:0", "the step must be above 0"),
        ("a.b=1:x:1", "expected numbers"),
        ("a.b=1:2:0.5:3", "expected A:B:STEP"),
        ("a.b=1:nan:1", "expected A:B:STEP"),
    ],
)
def test_mistakes_are_told(text: str, expected: str) -> None:
    with pytest.raises(BadArgument, match=expected):
        read_axis(text)


def test_values_go_where_their_names_say(tmp_path: Path) -> None:
    spec = load(scene(tmp_path))
    values = {
        "robot1.sonars.noise": "0.1",
        "wander.speed": "0.2",
        "simulation.engine": "pymunk",
        "robot2.position": "-3 1 0",
        "red.position": "2 0 0",
    }
    scenario = with_values(spec, values).scenario
    assert scenario.events[0].set == (("robot1.sonars.noise", "0.1"),)
    assert scenario.controllers[0].arguments == (("speed", ("0.2",)),)
    assert scenario.settings.engine == "pymunk"
    assert (scenario.robots[1].position, scenario.targets[0].position) == ((-3.0, 1.0, 0.0), (2.0, 0.0, 0.0))
    assert with_values(spec, {}) == spec


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("robot1.sonars.nois", "1", r"no parameter 'nois' \(nois → noise\?\)"),
        ("robot1.sonars.noise", "x", "expects a number"),
        ("wander.sped", "1", r"no parameter 'sped' \(sped → speed\?\)"),
        ("wander.speed", "-1", "speed"),
        ("wandr.speed", "1", r"\(wandr → wander\?\)"),
        ("simulation.stp", "1", r"\(stp → step\?\)"),
        ("simulation.step", "7", "step"),
        ("simulation.engine", "pymonk", "pymonk"),
        ("robot1.position", "1 2", "takes 3 numbers"),
    ],
)
def test_names_and_values_that_mean_nothing_are_refused(tmp_path: Path, name: str, value: str, expected: str) -> None:
    with pytest.raises(CoopsimError, match=expected):
        with_values(load(scene(tmp_path)), {name: value})


def test_jitter_moves_each_robot_by_chance_and_the_same_seed_alike(tmp_path: Path) -> None:
    spec = load(scene(tmp_path))
    robots, again, reseeded = (with_jitter(spec, Jitter(0.1, 0.2), seed).scenario.robots for seed in (1, 1, 2))
    assert robots == again != reseeded
    for before, after in zip(spec.scenario.robots, robots, strict=True):
        assert 0.0 < math.dist(before.position, after.position) <= 0.1
        assert abs(after.orientation[2] - before.orientation[2]) <= 0.2


def test_jitter_lets_no_robot_begin_in_another_one_or_in_a_wall(tmp_path: Path) -> None:
    things = "[WALL_1]\ntype box\nsize 0.2 4 0.5\nposition 0.36 0 0\n"
    robots = [
        f"[ROBOT_{n}]\ntype single\nname r{n}\nposition 0 {0.52 * n - 1.3} 0\norientation 0 0 0\n" for n in range(1, 5)
    ]
    (tmp_path / "narrow.world").write_text("[FLOOR]\nsize 10 10 0.1\n" + things)
    (tmp_path / "narrow.scenario").write_text("[WORLD]\nfile narrow.world\n" + "".join(robots))
    spec = load(tmp_path / "narrow.scenario")
    moved = [with_jitter(spec, Jitter(0.3), seed) for seed in range(30)]
    assert [list(overlaps(solids(scenario))) for scenario in moved] == [[]] * 30
    assert all(
        math.dist(a.position, b.position) > 0.0
        for a, b in zip(spec.scenario.robots, moved[0].scenario.robots, strict=True)
    )


def test_jitter_moves_no_robot_otherwise_for_one_that_would_have_stood_in_another(tmp_path: Path) -> None:
    places = {}
    for first in (0.5, 4.5):
        at = {"r1": (first, 0), "r2": (0, 0), "r3": (0, 4)}
        robots = [f"[ROBOT_{name[1]}]\ntype single\nname {name}\nposition {x} {y} 0\n" for name, (x, y) in at.items()]
        (tmp_path / "near.scenario").write_text("".join(f"{robot}orientation 0 0 0\n" for robot in robots))
        spec = load(tmp_path / "near.scenario")
        runs = [with_jitter(spec, Jitter(0.5), seed).scenario.robots for seed in range(10)]
        places[first] = [{robot.name: robot.position[:2] for robot in robots} for robots in runs]
    pairs = list(zip(places[0.5], places[4.5], strict=True))
    assert any(near["r1"][1] != far["r1"][1] for near, far in pairs)
    assert all(near["r3"] == far["r3"] for near, far in pairs)
