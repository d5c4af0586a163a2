"""`coopsim bench models` and `driven`: robots of packages, and what bare MuJoCo makes of the same files."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.features.accuracy.packages import command as models_bench
from coopsim.features.accuracy.packages import jobs as package_jobs
from coopsim.features.accuracy.packages import motion as model_motion
from coopsim.features.accuracy.packages.descriptions import Description, descriptions, robot_format
from coopsim.features.accuracy.packages.jobs import all_judged
from coopsim.features.accuracy.packages.verdicts import ModelVerdict, judged
from coopsim.testkit.bench import driven as driven_bench
from coopsim.testkit.bench.command import bench
from coopsim.testkit.bench.measuring.driven_models import MujocoHome, driven

LINK = '<geom type="capsule" fromto="0 0 0 0 0 .3" size=".03" mass="1"/>'
ARM = f"""<mujoco><option gravity="0 0 0"/><worldbody><body name="upper" pos="0 0 .5"><joint name="a" axis="0 1 0"
 damping=".2" pos="0 0 .05"/>{LINK}<body name="lower" pos=".05 0 .3"><joint name="b" axis="0 1 0" {{}}/>{LINK}
 </body></body>
</worldbody><actuator><motor joint="a"/><motor joint="b"/></actuator></mujoco>"""
BOX = """<mujoco><worldbody><body name="{}" pos="0 0 {}"><freejoint/><geom type="box" size="{} .1 .3"/></body>
</worldbody></mujoco>"""
PENDULUM = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{}"/></robot>'


def description(path: Path, text: str) -> Description:
    path.write_text(text)
    return Description("ours", path.name, path, "mjcf")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PENDULUM.format("revolute"), "urdf"),
        (PENDULUM.format("fixed"), ""),
        (f"<!-- <sdf> -->{PENDULUM.format('prismatic')}", "urdf"),
        ('<robot xmlns:xacro="x"><xacro:arm/><joint type="revolute"/></robot>', ""),
        ('<sdf><joint type="prismatic"/></sdf>', "sdf"),
        ("<mujoco><worldbody><joint/></worldbody></mujoco>", "mjcf"),
        ("<mujoco><asset/><joint/></mujoco>", ""),
        ("<scene><joint/></scene>", ""),
    ],
)
def test_a_robot_is_a_file_with_a_joint_that_moves(text: str, kind: str) -> None:
    assert robot_format(text.encode()) == kind


def test_a_package_has_each_robot_once_and_things_to_grasp_are_none(tmp_path: Path) -> None:
    for name in ("arms/a.urdf", "arms/copy.urdf", "objects/drawer.urdf", "readme.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PENDULUM.format("revolute"))
    assert [robot.name for robot in descriptions("ours", tmp_path)] == ["arms/a.urdf"]


def test_an_arm_falls_as_in_bare_mujoco_and_so_does_one_that_begins_beyond_its_limits(tmp_path: Path) -> None:
    verdict = judged(description(tmp_path / "arm.xml", ARM.format("")))
    assert (verdict.refused, verdict.home_refused, verdict.links) == ("", "", 2)
    assert verdict.error is not None
    assert verdict.moved is not None
    assert verdict.error < 1e-6 < 0.01 < verdict.moved
    assert models_bench.is_near(verdict)
    beyond = judged(description(tmp_path / "bent.xml", ARM.format('range="30 60" limited="true"')))
    assert beyond.moved is not None
    assert beyond.moved > 0.1
    assert models_bench.is_near(beyond)
    assert beyond.changed == ""


def test_a_broad_box_stands_and_one_that_is_dropped_falls(tmp_path: Path) -> None:
    stands = judged(description(tmp_path / "broad.xml", BOX.format("box", 0.3, 0.2)))
    falls = judged(description(tmp_path / "dropped.xml", BOX.format("box", 0.9, 0.2)))
    assert (stands.stands, stands.home_stands) == (True, True)
    assert (falls.stands, falls.home_stands) == (False, False)


def test_what_cannot_be_read_says_why_here_and_at_home(tmp_path: Path) -> None:
    verdict = judged(description(tmp_path / "bad.xml", "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"))
    assert "mass and inertia" in verdict.refused
    assert "mass and inertia" in verdict.home_refused


class _Deadly(Description):
    """A description that ends the process which reads it, as libraries in C may."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class _Endless(Description):
    """A description that is never read to its end."""

    def __reduce__(self) -> tuple[Any, ...]:
        return signal.pause, ()


def test_a_crash_or_an_endless_wait_takes_one_description_with_it_and_the_next_one_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, now = description(tmp_path / "broad.xml", BOX.format("box", 0.3, 0.2)), 0.0
    monkeypatch.setattr(package_jobs, "monotonic", lambda: now)
    subjects = [_Deadly("ours", "bad", tmp_path, "mjcf"), _Endless("ours", "endless", tmp_path, "mjcf"), good]
    verdicts = []
    for verdict in all_judged(subjects, 2):
        verdicts.append((verdict.name, verdict.refused or verdict.home_refused))
        now += 200.0  # the endless one has 300 s, the last one begins later
    assert verdicts == [
        ("bad", "the process died"),
        ("broad.xml", ""),
        ("endless", "not done after 300 s"),
    ]


def test_the_command_counts_what_loads_moves_and_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    good = ModelVerdict("ours", "good", "mujoco", links=2, error=1e-4, moved=0.5, stands=True, home_stands=True)
    far = ModelVerdict(
        "ours", "far", "mujoco", links=2, error=0.1, moved=0.5, stands=True, home_stands=False, changed="tendons"
    )
    refused = ModelVerdict("ours", "bad", "mujoco", refused="no file 'x.obj'")
    nowhere = ModelVerdict("ours", "odd", "mujoco", refused="as at home", home_refused="XML Error")
    monkeypatch.setattr(models_bench, "installed_packages", lambda: {"gymnasium": tmp_path})
    monkeypatch.setattr(models_bench, "_subjects", lambda *_, is_quick: ["some"])
    ours = [ModelVerdict(**{**verdict.plain(), "package": "gymnasium"}) for verdict in (good, far, refused, nowhere)]
    monkeypatch.setattr(models_bench, "all_judged", lambda subjects, jobs: iter(ours))
    done = CliRunner().invoke(bench, ["models", "--json"], standalone_mode=False)
    assert done.return_value == 1
    rows = {row["case"]: row for row in json.loads(done.stdout.splitlines()[-1])["results"]}
    assert rows["gymnasium: load, of 3 that load at home"]["value"] == 2
    assert rows["all: load, 2 of 3"]["ok"] is False
    assert rows["all: move as at home, 1 of 2"]["value"] == 0.5
    assert rows["all: stand or fall as at home, 1 of 2"]["value"] == 0.5
    assert rows["all: move otherwise, and why is not known, 0 of 2"]["ok"] is True
    assert rows["gymnasium: far"]["note"] == "tendons"
    assert rows["gymnasium: far"]["stands"] == "stands, at home falls"
    assert rows["gymnasium: bad"]["note"] == "refused: no file 'x.obj'"
    assert "install dm-control" in done.stderr


def test_the_commands_name_what_to_install_where_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((models_bench, "models"), (driven_bench, "driven")):
        monkeypatch.setattr(module, "installed_packages", dict)
        done = CliRunner().invoke(bench, [name])
        assert done.exit_code == 1
        assert "install dm-control" in done.output or "install robosuite" in done.output
    assert CliRunner().invoke(bench, ["models", "--package", "nothing"]).exit_code == 2


def test_an_arm_that_is_driven_over_the_network_moves_as_in_its_home_simulator(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM.format('range="-90 90" limited="true" armature=".01"'))
    outcome = driven(tmp_path / "arm.xml", MujocoHome(tmp_path / "arm.xml"), 150)
    assert outcome.ours.shape == (150, 2)
    assert outcome.way > 0.01
    assert outcome.error < 1e-3 * outcome.way


def test_joints_of_several_modules_are_driven_in_one_tick_as_in_their_home_simulator(tmp_path: Path) -> None:
    bodies = "".join(
        f'<body name="b{k}" pos="0 {k} 0"><joint name="j{k}" axis="0 1 0" damping=".{k}"/>{LINK}</body>'
        for k in range(9)
    )
    motors = "".join(f'<motor joint="j{k}"/>' for k in range(9))
    model = f"<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>"
    (tmp_path / "many.xml").write_text(model)
    outcome = driven(tmp_path / "many.xml", MujocoHome(tmp_path / "many.xml"), 100)
    ways = np.abs(outcome.home).mean(axis=0)
    assert (ways > 4e-3).all()
    assert (np.abs(outcome.ours - outcome.home).mean(axis=0) < 1e-3 * ways).all()


class _Bullet:
    """What the bench asks of PyBullet, of two joints with a damping each."""

    JOINT_FIXED, JOINT_SPHERICAL, JOINT_REVOLUTE = 4, 2, 0

    def __init__(self, position: float = 0.0) -> None:
        self.position = position
        self.given: dict[int, dict[str, Any]] = {}

    def getNumJoints(self, _robot: int) -> int:
        return 2

    def getJointInfo(self, _robot: int, joint: int) -> tuple[Any, ...]:
        return (joint, b"j", self.JOINT_REVOLUTE, 0, 0, 0, 0.5, 0.0, -1.0, 1.0, 0, 0, (b"arm", b"tip")[joint])

    def getJointState(self, _robot: int, joint: int) -> tuple[float, ...]:
        return (self.position * joint, 0.0)

    def calculateMassMatrix(self, _robot: int, _at: list[float]) -> list[list[float]]:
        return [[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e-4]]  # the first row is the base's

    def changeDynamics(self, _robot: int, joint: int, **values: Any) -> None:
        self.given[joint] = values


def test_pybullet_makes_steps_that_damping_does_not_outgrow(monkeypatch: pytest.MonkeyPatch) -> None:
    # a damping of 0.5 with an inertia of 1e-4 takes 5 times the velocity in 1 ms: cut into 25 steps it is a fifth
    assert model_motion._parts_of_step(_Bullet(), 0) == 25
    # where no count of steps that can be waited for is enough, few do
    monkeypatch.setattr(model_motion, "MOST_PARTS", 24)
    assert model_motion._parts_of_step(_Bullet(), 0) == model_motion.BEYOND < 24


@pytest.mark.parametrize(("position", "meets"), [(0.0, False), (0.9995, True), (-1.2, True)])
def test_a_stop_is_met_where_a_range_ends(position: float, meets: bool) -> None:
    assert model_motion._meets_stops(_Bullet(position), 0) is meets


def test_pybullet_is_told_what_links_weigh_as_their_files_say(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"><inertial/></link><link name="b"/></robot>')
    assert model_motion.massless_links(tmp_path / "r.urdf") == {"b"}
    moments = "<ixx>1</ixx><iyy>2</iyy><izz>3</izz>"
    text = f'<sdf><model><link name="tip"><inertial><inertia>{moments}</inertia></inertial></link></model></sdf>'
    (tmp_path / "m.sdf").write_text(text)
    assert model_motion.massless_links(tmp_path / "m.sdf") == set()
    bullet = _Bullet()
    model_motion._set_moments(bullet, 0, tmp_path / "m.sdf")
    assert bullet.given == {1: {"localInertiaDiagonal": [1.0, 2.0, 3.0]}}
