"""`.robot` files: body and devices as written."""

from pathlib import Path

import pytest

from coopsim.scene import Problems, RobotFile, read_robot

BODY = "[BODY]\ntype cylinder\nsize 0.5 0.5 0.3\nmass 20\n"


def robot(tmp_path: Path, text: str, name: str = "mine.robot") -> tuple[RobotFile, Problems]:
    (tmp_path / name).write_text(text)
    return read_robot(tmp_path / name)


def test_a_robot_is_called_as_its_file_and_has_a_body_and_devices(tmp_path: Path) -> None:
    text = f"[ROBOT]\nsummary a small one\n{BODY}[DEVICE_1]\ntype sonars\nname front\ncount 11\npaces no\n"
    spec, problems = robot(tmp_path, text)
    assert str(problems) == ""
    assert (spec.name, spec.summary, spec.shape, spec.mass) == ("mine", "a small one", "cylinder", 20.0)
    device = spec.devices[0]
    assert (device.type, device.name, device.paces) == ("sonars", "front", False)
    assert [(entry.key, entry.values) for entry in device.settings] == [("count", ("11",))]
    assert (device.type_span.line, device.name_span.line, device.paces_span.line) == (8, 9, 11)


def test_a_device_without_a_name_is_called_after_its_type(tmp_path: Path) -> None:
    spec, _ = robot(tmp_path, BODY + "[DEVICE_1]\ntype sonars\n")
    assert (spec.devices[0].name, spec.devices[0].paces) == ("sonars", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ROBOT]\nsummary x\n", "1:1: a robot needs the section [BODY]"),
        ("[BODY]\nsize 1 1 1\n", "1:1: [BODY] needs the key 'mass'"),
        ("[BODY]\nsize 1 1 1\nmass 0\n", "3:6: mass of a robot must be greater than 0 kg"),
        ("[BODY]\nsize 1 2 1\nmass 1\n", "2:6: size: length and width of a cylinder"),
        ("[BODY]\ntype sphere\nsize 1 1 1\nmass 1\n", "2:6: type expects cylinder, box; got 'sphere'"),
        (BODY + "[DEVICE_1]\nname motors\n", "5:1: [DEVICE_1] needs the key 'type'"),
        (BODY + "[DEVICE_1]\ntype sonars\npaces maybe\n", "7:7: paces expects yes, no; got 'maybe'"),
        (BODY + "[DEVICE_1]\ntype sonars\nname a.b\n", "7:6: name 'a.b' is no name"),
        (BODY + "[DEVICES_1]\ntype sonars\n", "5:1: unknown section [DEVICES_1] (DEVICES_1 → DEVICE_1?)"),
    ],
)
def test_a_mistake_is_reported_at_its_place(tmp_path: Path, text: str, expected: str) -> None:
    _, problems = robot(tmp_path, text)
    assert problems.total == 1
    assert str(problems).startswith(f"{tmp_path / 'mine.robot'}:{expected}")


def test_a_file_name_that_is_no_name_is_reported(tmp_path: Path) -> None:
    _, problems = robot(tmp_path, BODY, "my robot.robot")
    assert "'my robot' cannot be the name of a robot type" in str(problems)
