"""What the parts of a run are called in recordings: names there outlive those of classes."""

from coopsim.robots import load
from coopsim.robots.plain import from_plain, to_plain
from coopsim.scene import TargetSpec

NAMES = {"RunSpec", "Scenario", "World", "Floor", "Object", "Target", "RobotPlacement", "RobotBlueprint"}
NAMES |= {"DeviceBlueprint", "Visual", "LinkSpec", "Joint", "Controller", "Event", "Goal", "Settings"}


def marks(value: object) -> set[str]:
    """Return the names of all parts inside a plain value."""
    if isinstance(value, dict):
        own = {str(value["="])} if "=" in value else set()
        return own.union(*(marks(item) for item in value.values()))
    return set().union(*(marks(item) for item in value)) if isinstance(value, list) else set()


def test_a_run_is_written_with_names_that_older_versions_read() -> None:
    plain = to_plain(load("formation"))
    assert {"RunSpec", "Scenario", "World", "Target", "RobotPlacement", "DeviceBlueprint"} <= marks(plain) <= NAMES


def test_a_target_of_an_older_recording_is_read() -> None:
    plain = {"=": "Target", "name": "red", "position": [1.0, 2.0, 0.0], "color": [0.0, 1.0, 0.0]}
    assert from_plain(plain) == TargetSpec("red", (1.0, 2.0, 0.0), (0.0, 1.0, 0.0))
    assert to_plain(from_plain(plain))["="] == "Target"
