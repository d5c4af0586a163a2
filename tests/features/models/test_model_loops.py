"""Closed loops of links: pivots in `.robot` files, equalities of MJCF, further joints of SDF."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.robots import check, load
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.testkit.recorded_run import RecordedRun

GEOM = '<geom type="box" size=".02 .02 .2" pos="0 0 -.2" mass="1" contype="0"/>'
# two cranks that hang, and a bar on one of them that reaches to the other's end
BARS = f"""<mujoco><worldbody>
<body name="left" pos="0 0 0"><joint name="l" axis="0 1 0"/>{GEOM}
 <body name="bar" pos="0 0 -.4"><joint name="b" axis="0 1 0"/>
  <geom type="box" size=".3 .02 .02" pos=".3 0 0" mass="2" contype="0"/></body></body>
<body name="right" pos=".6 0 0"><joint name="r" axis="0 1 0"/>{GEOM}</body>
</worldbody><equality>{{}}</equality></mujoco>"""
CLOSED = '<connect body1="bar" body2="right" anchor=".6 0 0" solref=".004 1"/>'
SCENE = "[ROBOT_1]\nmodel {}\nname a\nposition 0 0 1\norientation {}\n[SIMULATION]\nengine mujoco\nstep 0.002\n"


def run_of(folder: Path, model: str, text: str, orientation: str = "0 0 0") -> Simulation:
    (folder / model).write_text(text)
    (folder / "run.scenario").write_text(SCENE.format(model, orientation))
    return Simulation(load(folder / "run.scenario"))


def warned(path: Path) -> list[str]:
    problems = Problems()
    read_type(path, problems)
    return [problem.text for problem in problems.warnings]


def positions(run: Simulation) -> dict[str, float]:
    return dict(zip(run.engine.joints, run.engine.joint_position.tolist(), strict=True))


def released(run: Simulation, ticks: int, module: str = "joints") -> dict[str, float]:
    """Return positions of joints after ticks in which no motor acts."""
    for _ in range(ticks):
        run.command("a", module, 13)
        run.tick()
    return positions(run)


def test_bodies_that_mjcf_connects_move_as_in_mujoco(tmp_path: Path) -> None:
    text = BARS.format(CLOSED)
    run = run_of(tmp_path, "bars.mjcf", text, "0 25 0")
    angle = np.radians(25)
    tilted = text.replace(
        "<mujoco>", f'<mujoco><option timestep="0.002" gravity="{9.81 * np.sin(angle)} 0 {-9.81 * np.cos(angle)}"/>'
    )
    model = mujoco.MjModel.from_xml_string(tilted)
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    found = released(run, 500)
    expected = {name: float(data.joint(name).qpos[0]) for name in ("l", "b", "r")}
    assert abs(expected["l"]) > 0.1
    for name, value in expected.items():
        assert found[f"a.{name}"] == pytest.approx(value, abs=0.01)
    assert found["a.l"] == pytest.approx(found["a.r"], abs=1e-3)
    assert warned(tmp_path / "bars.mjcf") == []


def test_bodies_that_mjcf_welds_keep_their_place_to_each_other(tmp_path: Path) -> None:
    welded = '<weld body1="bar" body2="right"/>'
    found = released(run_of(tmp_path, "bars.mjcf", BARS.format(welded), "0 25 0"), 400)
    # a frame of three bars whose corners are stiff: it stays as it is
    assert max(map(abs, found.values())) < 5e-3
    assert abs(released(run_of(tmp_path, "open.mjcf", BARS.format(""), "0 25 0"), 400)["a.r"]) > 0.2


@pytest.mark.parametrize(
    ("equality", "says"),
    [
        ('<connect name="off" body1="bar" body2="right" anchor=".6 0 0" active="false"/>', "'off', which connects"),
        ('<weld name="far" body1="bar" body2="right" relpose="0 0 1 1 0 0 0"/>', "'far', which welds bodies"),
    ],
)
def test_equalities_that_do_not_hold_where_a_model_begins_are_told(equality: str, says: str, tmp_path: Path) -> None:
    run_of(tmp_path, "bars.mjcf", BARS.format(equality))
    assert [says in text and "is left out" in text for text in warned(tmp_path / "bars.mjcf")] == [True]


LINK = '<link name="{}"><pose>{} 0 0 0</pose><inertial><mass>1</mass></inertial></link>'
HINGE = (
    '<joint name="{}" type="{}"><parent>{}</parent><child>{}</child><pose>{} 0 0 0</pose>'
    "<axis><xyz>0 1 0</xyz></axis></joint>"
)


def sdf(kind: str) -> str:
    links = "".join(LINK.format(*link) for link in (("left", "0 0 -.4"), ("right", ".6 0 -.4"), ("bar", ".3 0 -.4")))
    joints = (
        ("l", "revolute", "world", "left", "0 0 .4"),
        ("r", "revolute", "world", "right", "0 0 .4"),
        ("b", "revolute", "left", "bar", "-.3 0 0"),
        ("close", kind, "right", "bar", ".3 0 0"),
    )
    return (
        f'<sdf version="1.9"><model name="m">{links}{"".join(HINGE.format(*joint) for joint in joints)}</model></sdf>'
    )


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_a_further_joint_of_a_link_of_sdf_closes_a_loop(kind: str, tmp_path: Path) -> None:
    found = released(run_of(tmp_path, "bars.sdf", sdf(kind), "0 25 0"), 300)
    assert abs(found["a.l"]) > 0.1
    assert found["a.l"] == pytest.approx(found["a.r"], abs=1e-3)
    assert found["a.l"] == pytest.approx(-found["a.b"], abs=1e-3)
    assert not [text for text in warned(tmp_path / "bars.sdf") if "loop" in text]


def test_a_fixed_joint_of_sdf_closes_a_loop_and_a_slide_is_told(tmp_path: Path) -> None:
    found = released(run_of(tmp_path, "bars.sdf", sdf("fixed"), "0 25 0"), 300)
    assert max(map(abs, found.values())) < 5e-3
    run_of(tmp_path, "bars.sdf", sdf("prismatic"))
    assert any("'close' of the type 'prismatic' would close a loop" in text for text in warned(tmp_path / "bars.sdf"))


LINKS = "".join(
    f"[LINK_{k}]\nname {name}\ntype box\nsize {size}\nmass {k}\nposition {at}\n"
    for k, (name, size, at) in enumerate(
        (
            ("left", "0.1 0.1 0.5", "0 0 -0.5"),
            ("right", "0.1 0.1 0.5", "0.8 0 -0.5"),
            ("bar", "0.8 0.1 0.1", "0.4 0 -0.55"),
        ),
        start=1,
    )
)
JOINT = "[JOINT_{}]\nname {}\ntype {}\nbodies {}\nanchor {}\n{}"
Y = "axis 0 1 0\n"
ROBOT = (
    "[ROBOT]\narticulated yes\n[BODY]\ntype box\nsize 0.1 0.1 0.1\nmass 1\nbolted yes\n"
    + LINKS
    + "".join(
        [
            JOINT.format(1, "l", "hinge", "base left", "0 0 0", Y),
            JOINT.format(2, "r", "hinge", "base right", "0.8 0 0", Y),
            JOINT.format(3, "b", "hinge", "left bar", "0 0 0", Y),
        ]
    )
)
CLOSING = JOINT.format(4, "close", "pivot", "right bar", "0 0 0", "")


def bars(folder: Path) -> Path:
    (folder / "bars.robot").write_text(ROBOT + CLOSING)
    (folder / "run.scenario").write_text(SCENE.format("", "0 20 0").replace("model ", "type bars"))
    return folder / "run.scenario"


def swung(run: Simulation, ticks: int = 150) -> np.ndarray:
    for _ in range(ticks):
        run.tick()
    return run.engine.joint_position.copy()


def test_a_pivot_closes_a_loop_of_a_robot_file_in_runs_snapshots_and_recordings(tmp_path: Path) -> None:
    scene = bars(tmp_path)
    run = Simulation(load(scene))
    begun, expected = snapshot(run), swung(run)
    found = positions(run)
    assert abs(found["a.l"]) > 0.05
    assert found["a.l"] == pytest.approx(found["a.r"], abs=1e-3)
    run.start_over()
    assert np.array_equal(swung(run), expected)
    again = Simulation(load(scene))
    restore(again, begun)
    assert np.array_equal(swung(again), expected)
    with RecordedRun(Simulation(load(scene)), tmp_path / "run.mcap") as recorded:
        recorded.tick(100)
    with Recording.open(tmp_path / "run.mcap") as recording:
        assert verify(recording, load(scene)).identical


@pytest.mark.parametrize(
    ("joint", "says"),
    [
        (JOINT.format(4, "close", "pivot", "right far", "0 0 0", ""), "both of its bodies hang on other joints"),
        (JOINT.format(4, "close", "support", "right bar", "0 0 0", ""), "welds, pivots and springs, not a support"),
        (JOINT.format(4, "close", "hinge", "right bar", "0 0 0", Y), "'bar' hangs on another joint already"),
    ],
)
def test_what_closes_no_loop_of_a_robot_is_told_with_its_line(joint: str, says: str, tmp_path: Path) -> None:
    far = "[LINK_4]\nname far\ntype box\nsize 1 1 1\nmass 1\nposition 2 0 0\n" if " far" in joint else ""
    (tmp_path / "bars.robot").write_text(ROBOT + far + joint)
    problems = [problem for problem in check(tmp_path / "bars.robot") if says in problem.text]
    assert len(problems) == 1
    assert problems[0].span.line > len(ROBOT.splitlines())


@pytest.mark.parametrize("model", ["nobody.urdf", "arm.usda"])
def test_a_model_that_is_not_there_or_cannot_be_read_is_named_with_the_suffixes_of_models(
    model: str, tmp_path: Path
) -> None:
    (tmp_path / "arm.usda").write_text("#usda 1.0\n")
    (tmp_path / "run.scenario").write_text(SCENE.format(model, "0 0 0"))
    problems = check(tmp_path / "run.scenario")
    texts = [problem.text for problem in problems]
    assert [problem.source for problem in problems] == [f"model {model}"]
    assert ("USD is not read" in texts[0]) == (model == "arm.usda")
    assert [f"no model '{model}' beside this file; a model ends in .xacro, .urdf, .mjcf" in text for text in texts] == [
        True
    ]
