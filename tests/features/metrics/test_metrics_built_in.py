"""The built-in metrics, on runs of a few records that were made by hand, whole and cut into pieces."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from coopsim.features.metrics import control, loads, places, tools, travel
from coopsim.geometry import Floats
from coopsim.interfaces import MOTORS, SUPPORT, TOOL, width
from coopsim.metrics import ArrayPart, Formation, RunArrays
from coopsim.metrics.folding import FoldingMetric
from coopsim.state import EntityRow, Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.state.layout import NUMBER, STAMP, VALUES

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
_MODULES = (("motors", MOTORS), ("support", SUPPORT), ("tool", TOOL))
_WIDTHS = [width(interface.readings, {}) for _, interface in _MODULES]
COMMAND_WIDTH = 6
KIND = TypeLayout(
    "carrier",
    tuple(
        ModuleLayout(name, interface, {}, (), 0 if name == "motors" else -1, sum(_WIDTHS[:k]), _WIDTHS[k], True)
        for k, (name, interface) in enumerate(_MODULES)
    ),
    COMMAND_WIDTH,
    sum(_WIDTHS),
)


def entity(
    name: str, kind: str = "robot", x: float = 0.0, y: float = 0.0, row: int = -1, mass: float = 2.0
) -> EntityRow:
    return EntityRow(name, kind, "carrier", row, (x, y, 0.0, *UPRIGHT), (0.4, 0.4, 0.3), mass, (0.0, 0.0, 0.0), 0.3)


def part(ways: dict[str, Floats], begin: float = 0.0, others: Sequence[EntityRow] = ()) -> ArrayPart:
    """Return records, one a second, of robots 0.4 m wide on ways of the same length, shape (k, 2)."""
    names, count = list(ways), len(next(iter(ways.values()), ()))
    rows = [entity(name, row=row) for row, name in enumerate(names)]
    robots = [
        RobotPlace(name, KIND, row * KIND.command_width, row * KIND.reading_width, row)
        for row, name in enumerate(names)
    ]
    layout = Layout(1, (KIND,), tuple(robots), (*rows, *others), tuple(names))
    poses = np.zeros((count, len(names), 7))
    poses[:, :, 3] = 1.0
    for row, way in enumerate(ways.values()):
        poses[:, row, :2] = way
    twists, zeros = np.zeros((count, len(names), 6)), np.zeros(count)
    readings = np.zeros((count, len(names) * KIND.reading_width))
    commands = np.zeros((count, len(names) * KIND.command_width))
    times = begin + np.arange(float(count))
    return ArrayPart(layout, times, poses, twists, readings, commands, zeros.copy(), zeros.copy())


def set_reading(records: ArrayPart, row: int, module: str, reading: str, values: Any) -> None:
    """Write a reading of a robot, by name."""
    own = KIND.module(module)
    assert own is not None
    field = next(field for field in own.interface.readings if field.name == reading)
    offset, length = own.columns(field)
    begin = row * KIND.reading_width + offset
    records.readings[:, begin : begin + length] = np.reshape(values, (-1, length))


def folded(metric: FoldingMetric, *pieces: RunArrays) -> Any:
    """Return a metric of a run that comes in pieces."""
    fold = metric.begin()
    for piece in pieces:
        fold.add(piece)
    return fold.value()


def line(*xs: float, y: float = 0.0) -> Floats:
    return np.array([(x, y) for x in xs])


def run(ways: dict[str, Floats], **more: Any) -> RunArrays:
    return RunArrays((part(ways, **more),))


def test_the_time_of_a_run_is_from_its_first_record_to_its_last() -> None:
    pieces = run({"a": line(0.0, 0.0)}, begin=5.0), run({"a": line(0.0, 0.0, 0.0)}, begin=7.0)
    assert folded(travel.time, *pieces) == 4.0
    assert travel.time(RunArrays(())) == 0.0


def test_a_way_goes_on_from_one_piece_to_the_next() -> None:
    first, second = {"a": line(0.0, 1.0), "b": line(0.0, 0.0)}, {"a": line(3.0, 2.0), "b": line(0.0, 0.5)}
    assert folded(travel.path_length, run(first), run(second)) == {"mean": 2.25, "max": 4.0}


def test_a_robot_that_comes_later_has_no_way_from_nowhere() -> None:
    first, second = {"a": line(0.0, 1.0)}, {"a": line(1.0, 1.0), "b": line(9.0, 9.5)}
    assert folded(travel.path_length, run(first), run(second)) == {"mean": 0.75, "max": 1.0}
    assert travel.path_length(run({})) is None


def test_energy_counts_what_speeds_robots_up_and_not_what_brakes_them() -> None:
    records = part({"a": line(0.0, 0.0, 0.0, 0.0)})
    records.twists[:, 0, 0] = (0.0, 2.0, 1.0, 3.0)
    # of 2 kg: 4 J up, 3 J down, 8 J up
    assert travel.energy(RunArrays((records,))) == pytest.approx(12.0)


def test_energy_between_two_pieces_counts_once() -> None:
    first, second = part({"a": line(0.0, 0.0)}), part({"a": line(0.0, 0.0)}, begin=2.0)
    first.twists[:, 0, 0], second.twists[:, 0, 0] = (0.0, 1.0), (2.0, 2.0)
    assert folded(travel.energy, RunArrays((first,)), RunArrays((second,))) == pytest.approx(4.0)


PAIR = Formation(("a", "b"), np.array([[0.0, 0.0], [0.0, 1.0]]))


def test_the_formation_error_is_that_of_the_robot_that_is_farthest_from_its_place() -> None:
    ways = {"a": line(0.0, 1.0), "b": np.array([(0.0, 1.0), (1.0, 1.6)])}
    value = places.formation_error(RunArrays((part(ways),), (PAIR,)))
    assert value["max"] == pytest.approx(0.3)
    assert value["mean"] == pytest.approx(0.15)
    assert value["rms"] == pytest.approx(0.3 / 2**0.5)


def test_a_formation_is_free_only_when_nothing_was_near_for_five_seconds() -> None:
    box, still = entity("box", "object", x=1.2, mass=0.0), [0.0] * 8
    ways = {"a": line(*still), "b": line(*still, y=1.0)}
    near = places.formation_error(RunArrays((part(ways, others=[box]),), (PAIR,)))
    assert "free_rms" not in near
    away = places.formation_error(RunArrays((part(ways),), (PAIR,)))
    assert away["free_rms"] == pytest.approx(0.0)


def test_the_last_thing_near_a_formation_counts_in_the_next_piece_too() -> None:
    box, ways = entity("box", "object", x=1.2, mass=0.0), {"a": line(0.0, 0.0), "b": line(0.0, 0.0, y=1.0)}
    pieces = [RunArrays((part(ways, others=[box]),), (PAIR,)), RunArrays((part(ways, begin=2.0),), (PAIR,))]
    assert "free_rms" not in folded(places.formation_error, *pieces)


def test_a_run_without_formations_has_no_formation_error() -> None:
    assert places.formation_error(run({"a": line(0.0)})) is None


def test_clearance_is_the_smallest_gap_between_hulls_of_all_pieces() -> None:
    box = entity("box", "object", x=3.0, mass=0.0)
    pieces = run({"a": line(0.0, 1.0)}, others=[box]), run({"a": line(1.5, 0.0)}, others=[box])
    assert folded(places.clearance, *pieces) == pytest.approx(1.5 - 0.4)
    assert places.clearance(run({"a": line(0.0)})) is None


def test_a_touch_that_lasts_from_one_piece_into_the_next_is_one_contact() -> None:
    box = entity("box", "object", x=1.0, mass=0.0)
    away, touches = (0.0, 0.0), (0.8, 0.8)
    lasting = run({"a": line(*away, *touches)}, others=[box]), run({"a": line(*touches, *away)}, others=[box])
    assert folded(places.contacts, *lasting) == 1
    again = run({"a": line(*away, *touches)}, others=[box]), run({"a": line(*away, *touches)}, others=[box])
    assert folded(places.contacts, *again) == 2
    assert places.contacts(run({})) is None


def test_distances_are_from_middle_to_middle() -> None:
    value = places.distance(run({"a": line(0.0, 0.0), "b": line(1.0, 4.0), "c": line(2.0, 1.0)}))
    assert value == {"min": 1.0, "max": 4.0}


@pytest.mark.parametrize("count", [1, 31])
def test_one_robot_has_no_distance_and_of_a_crowd_none_is_looked_for(count: int) -> None:
    assert places.distance(run({f"r{k}": line(float(k)) for k in range(count)})) is None


def test_a_bar_weighs_only_while_it_lies_on_the_support() -> None:
    records = part({"a": line(0.0, 0.0, 0.0)})
    set_reading(records, 0, "support", "loaded", [1.0, 1.0, 0.0])
    set_reading(records, 0, "support", "force_x", [3.0, 0.0, 100.0])
    set_reading(records, 0, "support", "force_y", [4.0, 1.0, 100.0])
    set_reading(records, 0, "support", "angle", [np.pi / 2, -np.pi / 2 - 0.2, 0.0])
    arrays = RunArrays((records,))
    assert loads.bar_force(arrays) == pytest.approx({"mean": 3.0, "max": 5.0})
    assert loads.bar_angle(arrays) == pytest.approx({"mean": 0.1, "max": 0.2})


def test_robots_that_carry_nothing_have_no_bar() -> None:
    assert loads.bar_force(run({"a": line(0.0)})) is None
    assert loads.bar_angle(run({"a": line(0.0)})) is None


def command(records: ArrayPart, row: int, stamps: Sequence[float], number: int, speed: float) -> None:
    begin = row * COMMAND_WIDTH
    records.commands[:, begin + STAMP] = stamps
    records.commands[:, begin + NUMBER] = number
    records.commands[:, begin + VALUES] = speed


def test_a_tracking_error_counts_while_a_speed_is_asked_for() -> None:
    records = part({"a": line(*[0.0] * 4), "b": line(*[0.0] * 4)})
    command(records, 0, [1, 2, 3, 4], MOTORS.command("set_velocity").number, 0.5)
    command(records, 1, [1, 2, 3, 4], MOTORS.command("stop").number, 0.0)
    set_reading(records, 0, "motors", "v", [0.5, 0.4, 0.6, 0.1])
    set_reading(records, 1, "motors", "v", 9.0)
    value = control.tracking_error(RunArrays((records,)))
    assert value["p50"] == pytest.approx(0.1)
    assert value["max"] == pytest.approx(0.4)
    assert control.tracking_error(run({"a": line(0.0)})) is None


def test_commands_are_counted_by_their_stamps_over_pieces() -> None:
    first, second = part({"a": line(0.0, 0.0)}), part({"a": line(0.0, 0.0)}, begin=2.0)
    command(first, 0, [1, 3], 10, 0.1)
    command(second, 0, [3, 4], 10, 0.1)
    assert folded(control.commands, RunArrays((first,)), RunArrays((second,))) == 4.0
    assert control.commands(run({})) is None


def test_the_largest_force_is_that_of_all_readings_in_newtons() -> None:
    records = part({"a": line(0.0, 0.0)})
    set_reading(records, 0, "support", "force_x", [1.0, -7.0])
    set_reading(records, 0, "motors", "v", 50.0)
    assert control.force(RunArrays((records,))) == {"max": 7.0}
    assert control.force(run({})) is None


def test_lateness_is_what_the_last_record_says() -> None:
    records = part({"a": line(0.0, 0.0)})
    records.overruns[:], records.lateness[:] = (1.0, 3.0), (0.2, 0.5)
    assert control.lateness(RunArrays((records,))) == {"ticks": 3.0, "max": 0.5}


def test_the_gap_of_a_tool_to_a_target_is_measured_in_the_world() -> None:
    target = entity("red", "target", x=2.0, y=1.5)
    records = part({"a": line(1.0, 1.0)}, others=[target])
    # the robot looks to the left: what is ahead of it lies along y
    records.poses[:, 0, 3:] = (0.5**0.5, 0.0, 0.0, 0.5**0.5)
    set_reading(records, 0, "tool", "position", [(1.0, -1.0, 0.0), (0.0, 0.0, 0.0)])
    assert tools.tool_gap(RunArrays((records,))) == pytest.approx({"mean": 0.5, "max": 0.5})
    assert tools.tool_gap(run({"a": line(0.0)})) is None


def test_the_first_command_counts_also_where_it_was_there_from_the_first_record() -> None:
    records = part({"a": np.zeros((4, 2))})
    records.commands[:, STAMP] = 1.0, 1.0, 2.0, 2.0
    assert control.commands(RunArrays((records,))) == 2.0


def test_two_robots_have_one_distance() -> None:
    assert places.distance(run({"a": line(0.0, 0.0), "b": line(1.0, 4.0)})) == {"min": 1.0, "max": 4.0}
