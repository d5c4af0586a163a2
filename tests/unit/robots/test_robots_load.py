"""From a scenario to a run, and every mistake of type, name and range at its place."""

import math
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from coopsim.errors import BadFile, NoSuchFile, PluginFailed
from coopsim.interfaces import BUMPERS, MOTORS, ODOMETRY, SONARS, TARGET, Interface
from coopsim.robots import RunSpec, TypeRegistry, check, load, load_type
from coopsim.robots.registry import InstalledDevices

DEVICES = {"bumpers": BUMPERS, "differential_drive": MOTORS, "odometry": ODOMETRY, "sonars": SONARS, "target": TARGET}
REGISTRY = TypeRegistry(devices=DEVICES, controllers=["formation", "wander"], engines=["pymunk"])
ROBOTS = "[ROBOT_1]\ntype single\nname robot1\n[ROBOT_2]\ntype single\nname robot2\n"
BODY = "[BODY]\nsize 0.4 0.4 0.2\nmass 8\n"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(text: str, name: str = "a.scenario") -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return file


def run(path: Path) -> RunSpec:
    return load(path, registry=REGISTRY)


def mistakes(path: Path) -> str:
    return "\n".join(
        f"{problem.span.line}:{problem.span.column}: {problem.text}"
        for problem in check(path, registry=REGISTRY)
        if not problem.is_warning
    )


def test_a_scenario_is_loaded_with_the_types_of_its_robots(write: Write) -> None:
    spec = run(write(ROBOTS))
    assert [robot.name for robot in spec.scenario.robots] == ["robot1", "robot2"]
    assert list(spec.types) == ["single"]
    assert spec.commands == ()


def test_a_run_can_be_pickled(write: Write) -> None:
    spec = run(write(ROBOTS + "[CONTROLLER_1]\nrun wander\nrobots robot1\n"))
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_a_world_alone_can_be_run_C_64(write: Write) -> None:
    spec = run(write("[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n", "a.world"))
    assert (len(spec.scenario.world.objects), spec.scenario.robots, spec.types) == (1, (), {})


def test_settings_that_a_file_leaves_out_are_the_interfaces_defaults() -> None:
    motors = load_type("bench", registry=REGISTRY).devices[0]
    assert (motors.kind, motors.name) == ("differential_drive", "motors")
    assert motors.settings == {
        **{parameter.name: parameter.default for parameter in MOTORS.parameters},
        "half_track": 0.14,
        "max_force": 20.0,
    }


def test_angles_of_settings_are_degrees_in_files_and_radians_in_the_blueprint(write: Write) -> None:
    write(BODY + "[DEVICE_1]\ntype target\nnoise_angle 10\n[DEVICE_2]\ntype sonars\nsector 180\n", "mine.robot")
    spec = run(write("[ROBOT_1]\ntype mine\n"))
    target, sonars = spec.types["mine"].devices
    assert target.settings["noise_angle"] == pytest.approx(math.radians(10))
    # the ring's own unit is degrees
    assert sonars.settings["sector"] == 180.0


def test_a_robot_file_beside_the_scenario_is_a_type_and_goes_before_a_built_in_one(write: Write) -> None:
    write(BODY, "single.robot")
    spec = run(write(ROBOTS))
    assert (spec.types["single"].mass, spec.types["single"].devices) == (8.0, ())


def test_the_first_actuator_paces_a_robot_unless_another_module_says_so(write: Write) -> None:
    drive = "[DEVICE_{}]\ntype differential_drive\nname {}\n{}"

    def pacing(first: str, second: str) -> list[str]:
        devices = "[DEVICE_1]\ntype sonars\n" + drive.format(2, "a", first) + drive.format(3, "b", second)
        write(BODY + devices, "mine.robot")
        return [device.name for device in run(write("[ROBOT_1]\ntype mine\n")).types["mine"].devices if device.paces]

    assert pacing("", "") == ["a"]
    assert pacing("", "paces yes\n") == ["b"]
    assert pacing("paces no\n", "") == ["b"]
    assert pacing("paces no\n", "paces no\n") == []


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        ("type sonar\n", "5:6: no device type 'sonar' (sonar → sonars?); known: bumpers, "),
        ("type sonars\ncuont 3\n", "6:1: sonars knows no setting 'cuont' (cuont → count?)"),
        ("type bumpers\nxyz 3\n", "6:1: bumpers knows no setting 'xyz'; it knows threshold"),
        ("type sonars\ncount 0\n", "6:7: count must lie within 1 and 360"),
        ("type sonars\ncount 1.5\n", "6:7: count must be a whole number, got 1.5"),
        ("type sonars\nreach far\n", "6:7: reach expects a number, got 'far'"),
        ("type sonars\nreach nan\n", "6:7: reach expects a finite number, got 'nan'"),
        ("type sonars\nreach 1 2\n", "6:1: reach takes 1 value, got 2"),
        ("type sonars\nelevation 95\n", "6:11: elevation must lie within -90 and 90 deg, got 95"),
        ("type sonars\ncount 2\nelevation 10 -91\n", "7:14: elevation must lie within -90 and 90 deg, got -91"),
        ("type sonars\nelevation 10 up\n", "6:14: elevation expects a number, got 'up'"),
        ("type sonars\nelevation 1 2\ncount 3\n", "6:1: elevation takes 1 value, or 3, as many as count says, got 2"),
        ("type target\nnoise_angle 90\n", "6:13: noise_angle must lie within 0 and 57.2958 deg, got 90"),
        ("type sonars\npaces yes\n", "6:7: 'sonars' takes no commands, so it cannot pace the robot"),
        ("type sonars\nreach 1\nREACH 2\n", "7:1: 'reach' is given twice"),
    ],
)
def test_a_wrong_device_is_reported_in_the_robot_file(write: Write, device: str, expected: str) -> None:
    file = write(BODY + "[DEVICE_1]\n" + device, "mine.robot")
    text = mistakes(file)
    assert text.startswith(expected)
    assert "\n" not in text


def test_module_names_and_the_pacing_module_are_unique(write: Write) -> None:
    drive = "[DEVICE_{}]\ntype differential_drive\nname motors\npaces yes\n"
    file = write(BODY + drive.format(1) + drive.format(2), "mine.robot")
    assert mistakes(file).split("\n") == [
        "10:6: the module name 'motors' is already taken on line 6",
        "11:7: only one module paces a robot, and 'motors' does",
    ]


def test_a_device_plugin_that_fails_is_a_problem_of_the_line_that_names_it(write: Write) -> None:
    class Broken(dict[str, Interface]):
        def __getitem__(self, kind: str) -> Interface:
            raise PluginFailed(f"{kind}.py:3: NameError: x")

    registry = TypeRegistry(Broken(DEVICES), [], [])
    (problem,) = check(write(BODY + "[DEVICE_1]\ntype sonars\n", "mine.robot"), registry=registry)
    assert problem.text == "device type sonars cannot be used: sonars.py:3: NameError: x"


def test_mistakes_in_a_robot_file_are_reported_once_however_many_robots_use_it(write: Write) -> None:
    write(BODY + "[DEVICE_1]\ntype sonar\n", "mine.robot")
    problems = check(write("[ROBOT_1]\ntype mine\n[ROBOT_2]\ntype mine\n"), registry=REGISTRY)
    assert [Path(problem.span.file).name for problem in problems] == ["mine.robot"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[ROBOT_3]\ntype singel\n",
            "8:6: no robot type 'singel' (singel → single?); known: abb_irb_120, amtec_lwa_7dof, bench, car, conveyor",
        ),
        ("[SIMULATION]\nmode lockstp\n", "8:6: no mode 'lockstp' (lockstp → lockstep?); known: real-time, "),
        ("[SIMULATION]\npolicy kill\n", "8:8: no policy 'kill'; known: stop, hold, wait, evict"),
        ("[SIMULATION]\nengine pymonk\n", "8:8: no engine 'pymonk' (pymonk → pymunk?)"),
        ("[CONTROLLER_1]\nrun wander\nrobots robot3\n", "9:8: no robot 'robot3' (robot3 → robot"),
        ("[CONTROLLER_1]\nrun wander\nrobots robot1 robot1\n", "9:15: 'robot1' is named twice"),
        ("[CONTROLLER_1]\nrun formaton\nrobots robot1\n", "8:5: 'formaton' is neither a control law nor a command (f"),
        ("[CONTROLLER_1]\nrun sh 'x\nrobots robot1\n", "8:5: cannot be read as a command: No closing quotation"),
        ("[EVENT_1]\nat 1\nset robot3.sonars.noise 0\n", "9:5: no robot 'robot3'"),
        ("[EVENT_1]\nat 1\nset robot1.sonar.noise 0\n", "9:5: robot1 has no module 'sonar' (sonar → sonars?); it has "),
        ("[EVENT_1]\nat 1\nset robot1.sonars.nois 0\n", "9:5: sonars has no parameter 'nois' (nois → noise?); it has "),
        ("[EVENT_1]\nat 1\nset robot1.noise 0\n", "9:5: expects robot.module.parameter, got 'robot1.noise'"),
        ("[EVENT_1]\nat 1\nset robot1.sonars.count 3\n", "9:5: count is fixed by the .robot file"),
        ("[EVENT_1]\nat 1\nset robot1.sonars.noise 9\n", "9:25: noise must lie within 0 and 1 m, got 9"),
        ("[EVENT_1]\nat 1\nset robot1.sonars.noise 0 0\n", "9:5: noise takes 1 value, got 2"),
    ],
)
def test_a_wrong_name_type_or_range_is_reported(write: Write, text: str, expected: str) -> None:
    message = mistakes(write(ROBOTS + text))
    assert message.startswith(expected)
    assert "\n" not in message


def test_two_controllers_cannot_drive_one_robot(write: Write) -> None:
    text = "[CONTROLLER_1]\nrun wander\nrobots robot1\n[CONTROLLER_2]\nrun wander\nrobots robot2 robot1\n"
    assert mistakes(write(ROBOTS + text)) == "12:15: 'robot1' is named twice; one controller drives a robot"


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("speeed 3", "12:1: control law wander knows no key 'speeed' (speeed → speed?)"),
        ("zzz 3", "12:1: control law wander knows no key 'zzz'; it knows "),
        ("speed fast", "12:7: speed expects a number, got 'fast'"),
        ("SPEED 1e9", "12:7: speed must lie within "),
        ("speed 1 2", "12:1: speed takes 1 value, got 2"),
    ],
)
def test_a_key_that_the_control_law_does_not_declare_is_a_mistake(write: Write, line: str, mistake: str) -> None:
    text = f"[CONTROLLER_1]\nrun wander\nrobots robot1 robot2\n{line}\n"
    path = write(ROBOTS + "# one more line\n# and another\n" + text)
    assert mistakes(path).startswith(mistake)
    with pytest.raises(BadFile):
        run(path)


def test_what_a_control_law_declares_may_be_written_in_either_way(write: Write) -> None:
    text = "[CONTROLLER_1]\nrun wander\nrobots robot1 robot2\nspeed 0.3\nendpoint tcp://127.0.0.1:1\n"
    assert mistakes(write(ROBOTS + text)) == ""


def test_a_law_that_declares_no_parameters_takes_any_key(write: Write) -> None:
    registry = TypeRegistry(devices=DEVICES, controllers=["mine"], engines=["pymunk"], law_parameters=lambda _: None)
    path = write(ROBOTS + "[CONTROLLER_1]\nrun mine\nrobots robot1\nanything 1 2\n")
    assert [problem for problem in check(path, registry=registry) if not problem.is_warning] == []


def test_a_built_in_world_is_found_with_and_without_its_suffix(write: Write) -> None:
    for name in ("arena", "arena.world"):
        assert len(run(write(ROBOTS + f"[WORLD]\nfile {name}\n")).scenario.world.objects) == 4


def test_a_controller_that_is_no_control_law_is_a_command_to_be_allowed(write: Write) -> None:
    text = "[CONTROLLER_1]\nrun sh -c true\nrobots robot1\n[CONTROLLER_2]\nrun wander\nrobots robot2\n"
    assert [controller.run for controller in run(write(ROBOTS + text)).commands] == ["sh -c true"]


def test_values_of_events_are_si_and_radians_in_the_run(write: Write) -> None:
    text = "[EVENT_1]\nat 1\nset robot1.Target.noise_angle 18\nset robot1.sonars.NOISE 5e-1\n"
    with pytest.raises(BadFile, match="has no module 'Target'"):
        run(write(ROBOTS + text))
    settings = run(write(ROBOTS + text.replace("Target", "target"))).scenario.events[0].set
    assert settings == (("robot1.target.noise_angle", repr(math.radians(18))), ("robot1.sonars.noise", "0.5"))


def test_the_error_of_a_bad_file_carries_all_problems_of_all_files(write: Write) -> None:
    write("[FLOOR]\nsize 1\n", "bad.world")
    with pytest.raises(BadFile) as caught:
        run(write("[WORLD]\nfile bad.world\n[ROBOT_1]\ntype singel\n"))
    assert [Path(problem.span.file).name for problem in caught.value.problems] == ["a.scenario", "bad.world"]
    assert "(singel → single?)" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_a_file_of_another_kind_is_refused(write: Write) -> None:
    expected = "1:1: expected a file with suffix .scenario, .world, .robot; got 'notes.txt'"
    assert mistakes(write("hello\n", "notes.txt")) == expected


def test_a_type_of_robot_is_no_scene_and_told_where_it_belongs(write: Write) -> None:
    with pytest.raises(BadFile) as caught:
        run(write("[BODY]\nsize 0.3\n", "mine.robot"))
    (problem,) = caught.value.problems
    expected = "'mine.robot' is a type of robot and no scene: name it, `type mine` in a section [ROBOT_1]"
    assert str(problem).endswith(f"1:1: {expected}")


@pytest.mark.parametrize("name", ["none.scenario", "folder/none.world", "x\0y"])
def test_a_missing_file_is_one_problem_to_check_and_no_such_file_to_load(name: str) -> None:
    (problem,) = check(name, registry=REGISTRY)
    assert str(problem).startswith(f"{name}:1:1: ")
    with pytest.raises(NoSuchFile, match="cannot be read" if "\0" in name else "there is no such file"):
        load(name, registry=REGISTRY)


def test_an_unknown_robot_type_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="singel → single"):
        load_type("singel", folder=tmp_path, registry=REGISTRY)


def test_installed_devices_are_looked_up_by_their_registered_names() -> None:
    installed = InstalledDevices()
    assert sorted(installed) == list(installed)
    assert "differential_drive" in installed
    assert "no such device" not in installed
    with pytest.raises(KeyError):
        installed["no such device"]


def test_two_hundred_robots_that_do_not_exist_end_in_a_hundred_problems(write: Write) -> None:
    names = " ".join(f"x{number}" for number in range(200))
    assert len(check(write(f"{ROBOTS}[CONTROLLER_1]\nrun wander\nrobots {names}\n"), registry=REGISTRY)) == 100
