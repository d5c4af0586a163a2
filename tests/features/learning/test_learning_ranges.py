"""Domain randomisation: which parameters a range means, what is drawn, what is refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.learning.ranges import Ranges, Vary, varied
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation

NOISE, FORCE = Vary("all.sonars.noise", 0.0, 0.05), Vary("robot1.motors.max_force", 2.0, 4.0)


@pytest.fixture(scope="module")
def spec() -> RunSpec:
    return load("formation")


def test_ranges_have_one_form() -> None:
    pairs = {"all.sonars.noise": (0.0, 0.05), "robot1.motors.max_force": (2.0, 4.0)}
    assert varied(pairs) == varied([NOISE, FORCE]) == (NOISE, FORCE)
    assert varied({}) == varied([]) == ()


@pytest.mark.parametrize("pair", [(1.0, 0.5), (float("nan"), 1.0), (0.0, float("inf")), (float("-inf"), 0.0)])
def test_a_range_that_is_none_is_refused(pair: tuple[float, float]) -> None:
    with pytest.raises(BadArgument, match="x: expected a range LOW:HIGH of finite numbers, got"):
        varied({"x": pair})


def test_a_range_of_one_value_is_one() -> None:
    assert varied({"x": (2.0, 2.0)}) == (Vary("x", 2.0, 2.0),)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-(1 << 63), 1 << 64), min_size=1, max_size=5))
def test_what_is_drawn_lies_within_its_range_and_depends_on_its_own_seed_alone(seeds: list[int]) -> None:
    ranges = Ranges(load("formation"), (NOISE, FORCE))
    drawn = ranges.draw(seeds)
    assert drawn.shape == (len(seeds), 2)
    assert ((drawn >= (0.0, 2.0)) & (drawn <= (0.05, 4.0))).all()
    for seed, values in zip(seeds, drawn, strict=True):
        assert ranges.draw([seed])[0].tolist() == values.tolist()


def test_seeds_and_ranges_differ_from_each_other(spec: RunSpec) -> None:
    drawn = Ranges(spec, (Vary("all.sonars.noise", 0.0, 1.0), Vary("all.odometry.loss", 0.0, 1.0))).draw(range(200))
    assert len(np.unique(drawn)) == 400
    assert abs(drawn.mean(axis=0) - 0.5).max() < 0.1
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.2


def test_without_ranges_nothing_is_drawn_and_the_scenario_stays(spec: RunSpec) -> None:
    nothing = Ranges(spec, ())
    assert nothing.draw([1, 2, 3]).shape == (3, 0)
    assert nothing.with_values(spec, np.zeros(0)) is spec


def test_drawn_values_are_set_at_the_beginning_of_all_that_the_name_means(spec: RunSpec) -> None:
    scene = Ranges(spec, (NOISE, FORCE)).with_values(spec, np.array([0.01, 3.0]))
    simulation = Simulation(scene)
    simulation.tick()
    (block,) = simulation.tables.blocks
    robots = len(spec.scenario.robots)
    assert block.devices["sonars"].parameters["noise"].tolist() == [0.01] * robots
    forces = block.devices["motors"].parameters["max_force"]
    assert forces[block.row["robot1"]] == 3.0
    assert sorted({*forces.tolist()}) == sorted({3.0, forces[block.row["robot2"]]})


def test_the_scenario_with_the_largest_values_has_those(spec: RunSpec) -> None:
    highest = Ranges(spec, (NOISE,)).with_highest(spec)
    pairs = tuple((f"{robot.name}.sonars.noise", "0.05") for robot in spec.scenario.robots)
    assert (highest.scenario.events[-1].at, highest.scenario.events[-1].set) == (0.0, pairs)
    assert highest.scenario.events[:-1] == spec.scenario.events


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("all.sonars.nose", (0.0, 1.0), "no robot has it; expected robot.module.parameter, or all.module.parameter"),
        ("all", (0.0, 1.0), "no robot has it"),
        ("robot1.sonars.nose", (0.0, 1.0), "robot1 has no changeable number of this name"),
        ("robot1.lidar.noise", (0.0, 1.0), "robot1 has no changeable number of this name"),
        ("all.sonars.count", (1.0, 5.0), "has no changeable number of this name"),
        ("all.sonars.interval", (1.0, 5.0), "has no changeable number of this name"),
        ("all.sonars.noise", (-0.1, 0.1), "noise must"),
        ("all.odometry.loss", (0.0, 1.5), "loss must lie within 0 and 1"),
    ],
)
def test_what_is_no_parameter_that_may_change_is_refused(
    spec: RunSpec, name: str, values: Sequence[float], says: str
) -> None:
    with pytest.raises(BadArgument) as refusal:
        Ranges(spec, [Vary(name, *values)])
    assert says in str(refusal.value)


def test_a_robot_that_is_not_there_is_named(spec: RunSpec) -> None:
    with pytest.raises(CoopsimError, match="robot77"):
        Ranges(spec, [Vary("robot77.sonars.noise", 0.0, 1.0)])


def test_words_are_those_of_the_robots_rows(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    (block,) = simulation.tables.blocks
    column = block.devices["sonars"].parameters["noise"]

    def word_of(array: Any) -> int:
        return 1000 if array is column else 5000

    places, numbers = Ranges(spec, (NOISE, FORCE)).words(simulation, word_of)
    robots = len(spec.scenario.robots)
    stride = column.strides[0] // column.itemsize
    assert places[:robots].tolist() == [1000 + stride * block.row[robot.name] for robot in spec.scenario.robots]
    assert numbers.tolist() == [0] * robots + [1]
    assert places[-1] >= 5000


def test_a_parameter_that_no_compiled_call_takes_cannot_be_drawn(spec: RunSpec) -> None:
    with pytest.raises(BadArgument, match=r"robot1\.motors\.max_force cannot be drawn: no compiled call takes it"):
        Ranges(spec, (FORCE,)).words(Simulation(spec), lambda _array: -1)
