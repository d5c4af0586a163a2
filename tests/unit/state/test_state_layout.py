"""Names to rows and columns."""

import pickle

import pytest

from coopsim.interfaces import MOTORS, ODOMETRY, SONARS, TARGET, Field
from coopsim.interfaces.simulation import MODES
from coopsim.state import MODES as RECORDED_MODES
from coopsim.state import EntityRow, Layout, ModuleLayout, RobotPlace, TypeLayout

SONAR = ModuleLayout("sonars", SONARS, {"count": 11}, (), -1, 4, 11, False)
SIGHT = ModuleLayout("target", TARGET, {"targets": 6}, ("red", "blue"), -1, 15, 38, False)
WHEELS = ModuleLayout("motors", MOTORS, {}, (), 0, 0, 4, True)
DEAD_RECKONING = ModuleLayout("odometry", ODOMETRY, {}, (), -1, 53, 5, False)
SINGLE = TypeLayout("single", (WHEELS, SONAR, SIGHT, DEAD_RECKONING), 4, 58)
FLOOR = EntityRow("floor", "floor", "floor", -1, (0, 0, 0, 1, 0, 0, 0), (10, 10, 0.1), 0.0, (1, 1, 1), 1.0)


@pytest.mark.parametrize(
    ("module", "command", "field", "offset", "length"),
    [
        (WHEELS, "state", 0, 0, 1),
        (WHEELS, "state", 3, 3, 1),
        (SONAR, "ranges", 0, 4, 11),
        (SIGHT, "targets", 0, 15, 6),
        (SIGHT, "targets", 1, 21, 24),
        (SIGHT, "names", 1, 45, 8),
        (DEAD_RECKONING, "pose", 2, 55, 1),
        (DEAD_RECKONING, "encoders", 0, 56, 1),
    ],
)
def test_a_reading_lies_in_its_columns(
    module: ModuleLayout, command: str, field: int, offset: int, length: int
) -> None:
    assert module.columns(module.interface.command(command).gives[field]) == (offset, length)


def test_a_field_that_is_no_reading_has_no_columns() -> None:
    with pytest.raises(KeyError, match="banana"):
        SONAR.columns(Field("banana", "m"))


def test_the_columns_of_a_module_are_as_many_as_it_says() -> None:
    for module in SINGLE.modules:
        assert sum(module.columns(field)[1] for field in module.interface.readings) == module.reading_width


def test_modules_robots_and_entities_are_found_by_name() -> None:
    place = RobotPlace("robot1", SINGLE, 0, 0, 0)
    layout = Layout(1, (SINGLE,), (place,), (FLOOR,), ("robot1",), 4, 58)
    assert layout.robot["robot1"] is place
    assert layout.entity == {"floor": FLOOR}
    assert SINGLE.module("target") is SIGHT
    assert SINGLE.module("arm") is None


def test_a_layout_survives_the_way_to_another_process() -> None:
    layout = Layout(3, (SINGLE,), (RobotPlace("robot1", SINGLE, 0, 0, 0),), (FLOOR,), ("robot1",), 4, 58)
    back = pickle.loads(pickle.dumps(layout))
    assert back == layout
    assert back.robot["robot1"].type.module("sonars").columns(SONARS.command("ranges").gives[0]) == (4, 11)


def test_command_rows_keep_their_meaning_only_while_type_and_slots_are_the_same() -> None:
    more_readings = TypeLayout("single", (WHEELS,), 4, 4)
    moved = TypeLayout("single", (ModuleLayout("motors", MOTORS, {}, (), 4, 0, 4, True),), 8, 4)
    assert more_readings.slots == TypeLayout("single", (WHEELS,), 4, 90).slots
    assert moved.slots != more_readings.slots
    assert TypeLayout("bench", (WHEELS,), 4, 4).slots != more_readings.slots


def test_records_and_the_clock_speak_of_the_same_modes() -> None:
    assert RECORDED_MODES == MODES
