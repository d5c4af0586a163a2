"""Motors of robots that stand on legs of their own: they bear what rests on them, and learn which others yield."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.engines import WorldSpec
from coopsim.features.proof.verify import verify
from coopsim.features.space.engine import MujocoEngine
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.robots.engines import engine_type
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

GO = command_numbers(JOINTS).set_positions
THIGH, SHIN = 0.7, -1.4
CROUCH = np.tile([0.0, THIGH, SHIN], 4)


def leg(name: str, place: str, bends: str = "-150 10") -> str:
    """Return a leg of 0.7 kg that ends in a ball."""
    knee = f'<joint name="{name}_knee" axis="0 1 0" range="{bends}"/>'
    shin = f"""<body name="{name}_shin" pos="0 0 -.2">{knee}
    <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".01" mass=".1"/>
    <geom pos="0 0 -.2" size=".02" mass=".05"/></body>"""
    thigh = f"""<body name="{name}_thigh"><joint name="{name}_hip" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".015" mass=".5"/>{shin}</body>"""
    return f"""<body name="{name}" pos="{place}"><joint name="{name}_roll" axis="1 0 0" range="-45 45"/>
    <geom size=".02" mass=".05"/>{thigh}</body>"""


def quadruped(
    folder: Path, *, step: float = 0.01, effort: float = 40.0, knee_effort: float | None = None, has_locks: bool = False
) -> Path:
    """Write a robot of twelve motors whose base weighs much more than its legs, straight above the floor.

    With locks its knees bend one way: those in front backwards, those behind to the front.
    """
    places = {"fl": ".2 .1 0", "fr": ".2 -.1 0", "rl": "-.2 .1 0", "rr": "-.2 -.1 0"}
    bends = {name: "-150 0" if name.startswith("f") else "0 150" for name in places} if has_locks else {}
    legs = "".join(leg(name, place, bends.get(name, "-150 10")) for name, place in places.items())
    efforts = {"roll": effort, "hip": effort, "knee": effort if knee_effort is None else knee_effort}
    motors = "".join(
        f'<motor joint="{name}_{joint}" gear="{most}" ctrlrange="-1 1"/>'
        for name in places
        for joint, most in efforts.items()
    )
    base = f'<body name="trunk"><freejoint/><geom type="box" size=".25 .1 .05" mass="12"/>{legs}</body>'
    (folder / "r.xml").write_text(f"<mujoco><worldbody>{base}</worldbody><actuator>{motors}</actuator></mujoco>")
    (folder / "legged.robot").write_text("[ROBOT]\nmodel r.xml\n")
    run = f"[ROBOT_1]\ntype legged\nname a\nposition 0 0 0.43\n[SIMULATION]\nengine mujoco\nstep {step}\n"
    (folder / "run.scenario").write_text(run)
    return folder / "run.scenario"


def command(run: Simulation, goals: np.ndarray) -> None:
    """Set the joints to a posture, shape (12,) [rad]."""
    for name, begin in (("joints", 0), ("joints_2", 8)):
        run.command("a", name, GO, [*goals[begin : begin + 8], *[0.0] * 8][:8])


def crouched(run: Simulation, seconds: float, step: float, goals: np.ndarray = CROUCH) -> np.ndarray:
    """Return how far the joints are from a posture that they were set to, shape (12,) [rad]."""
    for _ in range(round(seconds / step)):
        command(run, goals)
        run.tick()
    names = list(run.engine.joints)
    legs = [f"a.{name}_{joint}" for name in ("fl", "fr", "rl", "rr") for joint in ("roll", "hip", "knee")]
    far: np.ndarray = run.engine.joint_position[[names.index(name) for name in legs]] - goals
    return far


def fastest(run: Simulation, ticks: int, step: float, goals: np.ndarray = CROUCH) -> float:
    """Return the largest speed of a joint after any of so many ticks [rad/s]."""
    speeds = []
    for _ in range(ticks):
        crouched(run, step, step, goals)
        speeds.append(float(np.abs(run.engine.joint_velocity).max()))
    return max(speeds)


def trunk_height(run: Simulation) -> float:
    return float(run.engine.poses[list(run.engine.names).index("a"), 2])


@pytest.mark.parametrize("step", [0.01, 0.02])
def test_a_robot_on_light_legs_stands_in_the_posture_that_it_is_set_to(
    step: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = quadruped(tmp_path, step=step)
    run = Simulation(load(scene))
    far = crouched(run, 4.0, step)
    assert np.abs(far).max() < 2e-3
    assert 0.25 < trunk_height(run) < 0.4
    assert np.abs(run.engine.joint_velocity).max() < 0.01
    monkeypatch.setattr(MujocoEngine, "is_grounded", False)
    far = crouched(Simulation(load(scene)), 0.6, step)
    assert np.abs(far).max() > 0.5  # its legs fold where a light leg sets the gain


def test_knees_of_a_robot_that_stands_bear_its_weight_by_closed_form(tmp_path: Path) -> None:
    run = Simulation(load(quadruped(tmp_path)))
    crouched(run, 4.0, 0.01)
    efforts = np.concatenate([np.split(run.reading("a", name), 3)[2] for name in ("joints", "joints_2")])
    # each foot bears a fourth of 14.8 kg, as far from its knee as the shin leans; what hangs on the knee pulls at it
    lever = 0.2 * np.sin(-(THIGH + SHIN))
    borne, hanging = 14.8 / 4.0 * 9.81 * lever, (0.1 * 0.5 + 0.05) * 9.81 * lever
    assert np.abs(efforts[2::3]).mean() == pytest.approx(borne - hanging, rel=0.05)


def test_kernels_and_calls_from_python_say_the_same_of_motors_that_bear_a_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = quadruped(tmp_path)
    compiled = crouched(Simulation(load(scene)), 1.0, 0.01)
    monkeypatch.setattr(MujocoEngine, "joint_calls", None)
    assert np.array_equal(crouched(Simulation(load(scene)), 1.0, 0.01), compiled)


def test_motors_that_cannot_do_what_is_wanted_yield_and_throw_nothing_about(tmp_path: Path) -> None:
    run = Simulation(load(quadruped(tmp_path, effort=5.0)))
    # 5 rad/s; 70 where others take a motor at its limit for one that moves as wanted
    assert fastest(run, 400, 0.01) < 15.0
    assert trunk_height(run) < 0.2


@pytest.mark.parametrize("effort", [8.0, 12.0])
def test_a_robot_whose_feet_slide_stands_with_motors_that_just_suffice(
    effort: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S-2: realism of feet."""
    scene = quadruped(tmp_path, effort=effort)
    run = Simulation(load(scene))
    assert fastest(run, 400, 0.01) < 2.5
    assert trunk_height(run) > 0.3
    monkeypatch.setattr(MujocoEngine, "is_rubbing", False)
    run = Simulation(load(scene))
    # feet of 0.15 kg were braked as if nothing stood on them, and lay still or slid from tick to tick
    assert fastest(run, 400, 0.01) > 10.0
    assert trunk_height(run) < 0.2


def test_a_robot_that_slides_on_its_feet_comes_to_rest_by_coulombs_law(tmp_path: Path) -> None:
    """S-2: realism of feet."""
    run = Simulation(load(quadruped(tmp_path)))
    crouched(run, 3.0, 0.01)
    engine: MujocoEngine = run.engine
    row = np.array([list(engine.names).index("a")])
    twists = engine.twists[row]
    twists[:, 0] += 1.0
    engine.set_spatial_state(row, engine.poses[row], twists)
    speeds = []
    for _ in range(40):
        crouched(run, 0.01, 0.01)
        speeds.append(float(engine.twists[row[0], 0]))
    braking = 0.6 * 9.81  # m/s2, friction of floor and feet
    assert (speeds[1] - speeds[11]) / 0.1 == pytest.approx(braking, rel=0.1)
    assert np.abs(speeds[25:]).max() < 0.01


def test_knees_at_their_stops_bear_a_robot_whose_motors_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-2: realism of knees."""
    scene = quadruped(tmp_path, knee_effort=1.0, has_locks=True)
    spread = np.repeat([[0.0, -0.3, 0.0], [0.0, 0.3, 0.0]], 2, axis=0).ravel()
    run = Simulation(load(scene))
    assert fastest(run, 300, 0.01, spread) < 2.0
    assert trunk_height(run) > 0.39
    assert np.abs(crouched(run, 0.01, 0.01, spread)).max() < 0.03
    monkeypatch.setattr(MujocoEngine, "is_rubbing", False)
    run = Simulation(load(scene))
    assert fastest(run, 300, 0.01, spread) > 10.0
    assert trunk_height(run) < 0.25


@pytest.mark.parametrize(("step", "substeps"), [(0.01, 4), (0.02, 2), (0.02, 4)])
def test_a_robot_on_light_legs_stands_in_substeps(step: float, substeps: int, tmp_path: Path) -> None:
    """S-2: realism of legs."""
    scene = quadruped(tmp_path, step=step)
    scene.write_text(f"{scene.read_text()}substeps {substeps}\n")
    run = Simulation(load(scene))
    assert fastest(run, round(3.0 / step), step) < 6.0
    assert np.abs(crouched(run, step, step)).max() < 1e-3


def test_steps_cut_for_springs_and_into_substeps_are_both_counted_where_motors_reckon_with_contacts() -> None:
    engine = engine_type("mujoco+4")(WorldSpec(()))
    assert engine.contact_step(0.02) == pytest.approx(np.sqrt(0.02 * 0.005))
    assert engine_type("mujoco")(WorldSpec(())).contact_step(0.02) == 0.02


def test_a_robot_that_falls_from_a_tower_stays_finite_and_stands_up(tmp_path: Path) -> None:
    scene = quadruped(tmp_path)
    scene.write_text(scene.read_text().replace("0 0 0.43", "0 0 30"))
    run = Simulation(load(scene))
    crouched(run, 2.6, 0.01)
    most = 0.0
    for _ in range(40):
        far = crouched(run, 0.1, 0.01)
        most = max(most, float(np.abs(run.engine.joint_velocity).max()))
    assert most < 100.0
    assert np.abs(far).max() < 0.1


@pytest.mark.parametrize(("way", "word"), [("is_grounded", b" grounded"), ("is_rubbing", b" rubbing")])
def test_a_recording_repeats_with_the_motors_of_its_version(
    way: str, word: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = quadruped(tmp_path, effort=12.0)

    def recorded(name: str) -> Path:
        with RecordedRun(Simulation(load(scene)), tmp_path / name) as run:
            command(run.simulation, CROUCH)
            run.tick(60)
        return tmp_path / name

    def is_repeated(path: Path) -> bool:
        with Recording.open(path) as recording:
            return bool(verify(recording, load(scene)).identical)

    now = recorded("now.mcap")
    assert is_repeated(now)
    monkeypatch.setattr(MujocoEngine, way, False)
    former = recorded("former.mcap")
    begun = Simulation(load(scene)).engine.snapshot()
    assert word not in begun[:90]
    monkeypatch.undo()
    assert is_repeated(former)
    assert word in Simulation(load(scene)).engine.snapshot()[:90]
