"""One engine in the place of another, while a simulation goes on (S-76)."""

import math
from dataclasses import replace

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.engines import JointSpec
from coopsim.errors import BadFile, EngineCannot, NoSuchPlugin
from coopsim.robots import RunSpec
from coopsim.scene import Object
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import checkpoint, restore, snapshot
from coopsim.state.edits import Insert, Remove, Reset, Restore, SetEngine, TakeSnapshot, Update

ENGINES = ("pymunk", "mujoco", "kinematic")
TALL = Object("tall", "box", (0.2, 0.2, 1.0), (0.0, -3.0, 0.0), mass=2.0)
UPPER = Object("upper", "box", (0.4, 0.4, 0.2), (2.0, 0.0, 0.4), mass=1.0)


def driving(engine: str, ticks: int = 120, spec: RunSpec | None = None) -> Simulation:
    """Return robots that have driven a while in curves."""
    simulation = Simulation(spec or make_spec(), engine=engine)
    for number, name in enumerate(simulation.layout.robot):
        simulation.command(name, "motors", 10, (0.3, 0.8 - 0.9 * number))
    run(simulation, ticks)
    return simulation


def run(simulation: Simulation, ticks: int) -> None:
    for _ in range(ticks):
        simulation.tick()


def with_things(*things: Object) -> RunSpec:
    spec = make_spec()
    world = spec.scenario.world
    return replace(spec, scenario=replace(spec.scenario, world=replace(world, objects=(*world.objects, *things))))


def poses(simulation: Simulation) -> dict[str, np.ndarray]:
    simulation.engine.fill()
    return dict(zip(simulation.engine.names, simulation.engine.poses.copy(), strict=True))


def set_engine(simulation: Simulation, engine: str) -> None:
    assert apply(simulation, SetEngine(engine)).params == (engine,)


@pytest.mark.parametrize("old", ENGINES)
@pytest.mark.parametrize("new", ENGINES)
def test_poses_velocities_readings_and_memory_are_kept(old: str, new: str) -> None:
    simulation = driving(old)
    before, speeds = poses(simulation), simulation.engine.planar[:, 3:].copy()
    way = simulation.reading("robot1", "odometry").copy()
    ranges = simulation.reading("robot2", "sonars").copy()
    set_engine(simulation, new)
    after = poses(simulation)
    assert simulation.engine_name == new
    assert list(after) == list(before)
    for name, pose in before.items():
        assert after[name] == pytest.approx(pose, abs=1e-12)
        assert after[name][:3].tolist() == pose[:3].tolist()
    assert simulation.engine.planar[:, 3:] == pytest.approx(speeds, abs=1e-12)
    assert simulation.reading("robot1", "odometry").tolist() == way.tolist()
    assert simulation.reading("robot2", "sonars") == pytest.approx(ranges, abs=1e-9)


@pytest.mark.parametrize("new", ["mujoco", "kinematic"])
def test_a_free_robot_goes_on_as_if_nothing_had_happened(new: str) -> None:
    plain, changed = driving("pymunk", 300), driving("pymunk", 150)
    set_engine(changed, new)
    run(changed, 150)
    row = plain.layout.robot["robot1"].body
    # pymunk's positions lag one step
    (x, y, _, vx, vy, w), (now_px, now_py, _, now_x, now_y, now_w) = (
        plain.engine.planar[row],
        changed.engine.planar[row],
    )
    assert math.dist((x, y), (now_px, now_py)) < 0.3 * 0.011
    assert math.hypot(now_x, now_y) == pytest.approx(math.hypot(vx, vy), abs=1e-6)
    assert now_w == pytest.approx(w, abs=1e-6)


def test_rows_that_stay_need_no_new_layout_and_others_get_one() -> None:
    simulation = driving("pymunk")
    generation = simulation.layout.generation
    set_engine(simulation, "mujoco")
    assert simulation.layout.generation == generation
    apply(simulation, Insert("[ROBOT_1]\ntype single\nname a_late_one\nposition 1 -2 0\n"))
    unsorted = list(simulation.engine.names)
    set_engine(simulation, "pymunk")
    assert list(simulation.engine.names) == sorted(unsorted)
    assert simulation.layout.generation == generation + 2
    assert [simulation.engine.names[place.body] for place in simulation.layout.robots] == [
        place.name for place in simulation.layout.robots
    ]


def test_what_the_new_engine_cannot_hold_is_named_and_everything_is_as_it_was() -> None:
    simulation = driving("mujoco", 10, with_things(replace(TALL, orientation=(0.0, 0.6, 0.0))))
    run(simulation, 100)
    twin = driving("mujoco", 10, with_things(replace(TALL, orientation=(0.0, 0.6, 0.0))))
    run(twin, 100)
    with pytest.raises(EngineCannot, match="pymunk engine cannot hold 'tall': it is tilted"):
        apply(simulation, SetEngine("pymunk"))
    assert (simulation.engine_name, simulation.layout) == ("mujoco", twin.layout)
    run(simulation, 50)
    run(twin, 50)
    assert simulation.state_hash() == twin.state_hash()


def test_what_stands_almost_upright_is_straightened_for_an_engine_in_the_plane() -> None:
    simulation = driving("mujoco", 10, with_things(replace(TALL, orientation=(0.0, math.radians(0.5), 0.3))))
    before = poses(simulation)["tall"]
    assert abs(before[5]) > 1e-3
    set_engine(simulation, "pymunk")
    after = poses(simulation)["tall"]
    assert after[:2].tolist() == before[:2].tolist()
    assert after[4:6].tolist() == [0.0, 0.0]


def test_unknown_names_are_refused_with_the_nearest_one() -> None:
    simulation = driving("pymunk", 1)
    with pytest.raises(NoSuchPlugin, match=r"no engine 'mujco' \(mujco → mujoco\?\); known: .*kinematic"):
        apply(simulation, SetEngine("mujco"))
    assert simulation.engine_name == "pymunk"


def test_things_fall_once_an_engine_knows_height() -> None:
    simulation = driving("pymunk", 20, with_things(replace(UPPER, position=(-4.0, -4.0, 1.0))))
    assert poses(simulation)["upper"][2] == 1.0
    set_engine(simulation, "mujoco")
    run(simulation, 100)
    assert poses(simulation)["upper"][2] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_snapshot_knows_its_engine(engine: str) -> None:
    simulation = driving("pymunk", 50)
    set_engine(simulation, engine)
    run(simulation, 20)
    checkpoint(simulation)
    restored = Simulation(make_spec())
    restore(restored, snapshot(simulation))
    assert restored.engine_name == engine
    run(simulation, 60)
    run(restored, 60)
    assert restored.state_hash() == simulation.state_hash()


def test_a_kept_snapshot_brings_its_engine_back() -> None:
    simulation = driving("pymunk", 20)
    apply(simulation, TakeSnapshot("early"))
    before = poses(simulation)
    set_engine(simulation, "mujoco")
    run(simulation, 30)
    apply(simulation, Restore("early"))
    assert simulation.engine_name == "pymunk"
    assert poses(simulation)["robot1"].tolist() == before["robot1"].tolist()


def test_a_reset_keeps_the_engine_unless_that_cannot_hold_what_the_run_began_with() -> None:
    simulation = driving("mujoco", 10, with_things(replace(TALL, orientation=(0.0, 0.6, 0.0))))
    apply(simulation, Remove("tall"))
    set_engine(simulation, "pymunk")
    names = list(simulation.engine.names)
    with pytest.raises(EngineCannot, match="tall"):
        apply(simulation, Reset())
    assert list(simulation.engine.names) == names
    run(simulation, 5)
    set_engine(simulation, "mujoco")
    apply(simulation, Reset())
    assert "tall" in simulation.engine.names


def test_joints_are_carried_to_the_other_engine() -> None:
    carried, plain = (_joined("pymunk") for _ in range(2))
    set_engine(carried, "mujoco")
    for simulation in (carried, plain):
        simulation.command("robot1", "motors", 10, (-0.2, 0.0))
        run(simulation, 150)
    assert carried.engine.joints == ("bar",)
    assert carried.engine.planar[:, :2] == pytest.approx(plain.engine.planar[:, :2], abs=0.02)
    apply(carried, Remove("robot2"))
    assert not carried.joints
    set_engine(carried, "pymunk")
    assert carried.engine.joints == ()


def test_an_engine_without_joints_refuses_the_exchange_and_one_made_behind_our_back_is_named() -> None:
    simulation = _joined("pymunk")
    with pytest.raises(EngineCannot, match="'bar' is a pivot"):
        apply(simulation, SetEngine("kinematic"))
    simulation.engine.add_joint(JointSpec("hidden", "pivot", "robot1", "robot2", (-2.0, 0.75, 0.0)))
    with pytest.raises(EngineCannot, match="hidden cannot be carried"):
        apply(simulation, SetEngine("mujoco"))
    assert simulation.engine_name == "pymunk"


def test_joints_are_in_snapshots_and_can_be_taken_away() -> None:
    simulation = _joined("pymunk")
    restored = Simulation(make_spec())
    restore(restored, snapshot(simulation))
    assert restored.joints == simulation.joints
    set_engine(restored, "mujoco")
    restored.remove_joint("bar")
    assert (restored.engine.joints, restored.joints) == ((), {})


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_a_new_colour_lets_no_joint_go_and_moves_no_row(engine: str) -> None:
    simulation = _joined(engine)
    run(simulation, 10)
    names, before = simulation.engine.names, simulation.engine.planar.copy()
    apply(simulation, Update("robot1", "color blue\n"))
    assert (simulation.engine.joints, tuple(simulation.joints)) == (("bar",), ("bar",))
    assert simulation.engine.names == names
    assert np.array_equal(simulation.engine.planar, before)
    assert simulation.layout.entity["robot1"].color == (0.0, 0.0, 1.0)


def test_a_step_that_springs_are_too_stiff_for_is_refused_before_it_is_made() -> None:
    stiff = JointSpec("bar", "support", "robot1", "robot2", stiffness=1e5, damping=4e3, carriage=0.5)
    simulation = Simulation(make_spec(), engine="pymunk")
    with pytest.raises(EngineCannot, match="too stiff for a step of 10 ms"):
        simulation.add_joint(stiff)
    assert (simulation.engine.joints, simulation.joints) == ((), {})

    simulation.set_step(0.001)
    simulation.add_joint(stiff)
    with pytest.raises(EngineCannot, match="too stiff for a step of 10 ms"):
        simulation.set_step(0.01)
    run(simulation, 3)
    assert simulation.time == pytest.approx(0.003)

    apply(simulation, SetEngine("mujoco"))
    simulation.set_step(0.01)
    with pytest.raises(EngineCannot, match="too stiff for a step of 10 ms"):
        apply(simulation, SetEngine("pymunk"))
    assert simulation.engine_name == "mujoco"
    run(simulation, 3)


def _joined(engine: str) -> Simulation:
    simulation = Simulation(make_spec(), engine=engine)
    simulation.add_joint(JointSpec("bar", "pivot", "robot1", "robot2", (-2.0, 0.75, 0.0)))
    simulation.command("robot1", "motors", 10, (0.3, 0.0))
    simulation.command("robot2", "motors", 10, (0.3, 0.0))
    run(simulation, 30)
    return simulation


def test_a_floor_that_tilts_is_felt_by_what_stands_on_it() -> None:
    simulation = driving("mujoco", 5, with_things(replace(TALL, size=(0.6, 0.6, 0.1), friction=0.05)))
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 12)
    x = poses(simulation)["tall"][0]
    apply(simulation, Update("floor", "orientation 0 15 0"))
    run(simulation, 100)
    assert poses(simulation)["tall"][0] > x + 0.3
    assert simulation.layout.entity["floor"].pose[5] == pytest.approx(math.sin(math.radians(7.5)))


def test_a_floor_that_an_engine_cannot_tilt_stays_level() -> None:
    simulation = driving("pymunk", 5)
    with pytest.raises(EngineCannot, match="cannot tilt the floor"):
        apply(simulation, Update("floor", "orientation 0 15 0"))
    assert simulation.scene.floor.orientation == (0.0, 0.0, 0.0)
    with pytest.raises(BadFile):
        apply(simulation, Update("floor", "orientation steep"))
    apply(simulation, Update("floor", "color red"))
    assert simulation.scene.floor.color == (1.0, 0.0, 0.0)


def test_a_smoother_floor_brakes_less() -> None:
    rough, smooth = driving("pymunk", 5), driving("pymunk", 5)
    apply(smooth, Update("floor", "friction 0.1"))
    ways = []
    for simulation in (rough, smooth):
        row = list(simulation.engine.names).index("crate")
        simulation.engine.set_state(np.array([row]), np.array([[2.0, 0.0, 0.0, 0.0, -1.0, 0.0]]))
        run(simulation, 100)
        ways.append(-float(simulation.engine.planar[row, 1]))
    assert ways[1] > 2.0 * ways[0] > 0.0


def test_balls_that_have_rolled_and_stacks_go_on_in_the_plane() -> None:
    ball = Object("ball", "sphere", (0.3, 0.3, 0.3), (0.0, 3.0, 0.0), mass=2.0)
    lower, upper = (Object(f"box_{k}", "box", (0.4, 0.4, 0.3), (3.0, -3.0, 0.3 * k), mass=2.0) for k in range(2))
    simulation = Simulation(with_things(ball, lower, upper), engine="mujoco")
    row = list(simulation.engine.names).index("ball")
    simulation.engine.set_state(np.array([row]), np.array([[0.0, 3.0, 0.0, 0.5, 0.0, 0.0]]))
    run(simulation, 100)
    simulation.engine.fill()
    middle, speed = _middle(poses(simulation)["ball"]), simulation.engine.planar[row, 3]
    assert abs(poses(simulation)["ball"][5]) > 0.1
    assert poses(simulation)["box_1"][2] < 0.3

    set_engine(simulation, "pymunk")
    now = poses(simulation)
    assert now["ball"][:3] == pytest.approx(middle - (0.0, 0.0, 0.15), abs=1e-12)
    assert simulation.engine.planar[row, 3] == speed
    assert now["box_1"][2] == pytest.approx(0.3, abs=1e-12)
    run(simulation, 100)
    assert poses(simulation)["box_1"][:2] == pytest.approx([3.0, -3.0], abs=1e-3)


def _middle(pose: np.ndarray) -> np.ndarray:
    """Return the middle of a ball of 0.3 m whose base is at a pose."""
    _, _, _, w, x, y, z = pose
    return pose[:3] + 0.15 * np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
