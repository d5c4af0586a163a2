"""Edits: who comes, goes and changes, at any time."""

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadArgument, BadFile, CoopsimError, NoSuchName
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import (
    ClockReset,
    DeviceCommand,
    GetParameter,
    Insert,
    Remove,
    Reset,
    Restore,
    SetParameter,
    TakeSnapshot,
    Update,
)

CRATE = "[OBJECT_1]\ntype box\nname box7\nsize 0.5 0.5 0.5\nposition -1 0 0\nmass 3\n"


def test_an_inserted_object_is_seen_at_once_c_57(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    generation = simulation.layout.generation
    done = apply(simulation, Insert(CRATE))
    assert done.params == ("box7",)
    assert simulation.layout.generation == generation + 1
    assert simulation.reading("robot1", "sonars")[5] == pytest.approx(0.5)


def test_an_updated_object_moves_and_a_removed_one_is_gone_c_57(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(simulation, Insert(CRATE))
    apply(simulation, Update("box7", "position -1.25 0 0"))
    assert simulation.reading("robot1", "sonars")[5] == pytest.approx(0.25)
    apply(simulation, Remove("box7"))
    assert simulation.reading("robot1", "sonars")[5] == 3.0


def test_a_change_of_mass_leaves_a_moving_object_where_it_is(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    row = list(simulation.engine.names).index("crate")
    simulation.engine.set_state(np.array([row]), np.array([[1.0, 1.0, 0.5, 0.0, 0.0, 0.0]]))
    apply(simulation, Update("crate", "mass 9"))
    row = list(simulation.engine.names).index("crate")
    assert simulation.engine.planar[row, :3].tolist() == [1.0, 1.0, 0.5]
    assert simulation.engine.mass[row] == 9.0


def test_robots_come_and_go_and_the_others_keep_command_and_memory(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    simulation.command("robot2", "motors", 10, (0.3, 0.0))
    for _ in range(100):
        simulation.tick()
    way = simulation.reading("robot2", "odometry")[0]
    assert way > 0.2
    apply(simulation, Remove("robot1"))
    apply(simulation, Insert("[ROBOT_1]\ntype single\nname late\nposition -3 -3 0\n"))
    assert simulation.reading("robot2", "odometry")[0] == way
    assert set(simulation.layout.robot) == {"robot2", "late"}
    for _ in range(100):
        simulation.tick()
    assert simulation.reading("robot2", "odometry")[0] > way + 0.2


def test_a_refused_edit_changes_nothing(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    before, layout = simulation.state_hash(), simulation.layout
    for edit, error in (
        (Insert(CRATE.replace("box7", "robot1")), BadFile),
        (Insert("[OBJECT_1]\ntype pyramid\n"), BadFile),
        (Insert("[ROBOT_1]\ntype nosuch\nname x\n"), CoopsimError),
        (Remove("nobody"), NoSuchName),
        (Remove("floor"), BadArgument),
        (Update("crate", "size -1 0 0"), BadFile),
        (SetParameter("robot1", "sonars", "reach", 99.0), BadArgument),
        (SetParameter("robot1", "sonars", "count", 3), BadArgument),
    ):
        with pytest.raises(error):
            apply(simulation, edit)
    assert simulation.state_hash() == before
    assert simulation.layout == layout


def test_parameters_are_read_and_set_while_running(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    where = "robot2", "sonars", "reach"
    assert apply(simulation, GetParameter(*where)).params == (3.0,)
    assert apply(simulation, SetParameter(*where, 1)).params == (1.0,)
    simulation.tick()
    assert simulation.reading("robot2", "sonars").max() == 1.0
    assert simulation.reading("robot1", "sonars").max() == 3.0


def test_reset_puts_everything_back_and_time_goes_on(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    start, layout = simulation.state_hash(), simulation.layout
    simulation.command("robot1", "motors", 10, (0.4, 0.3))
    apply(simulation, SetParameter("robot1", "sonars", "reach", 1))
    for _ in range(100):
        simulation.tick()
    apply(simulation, Reset())
    assert simulation.state_hash() == start
    assert simulation.layout == layout  # the same rows: clients go on with their layout
    assert simulation.tick_count == 100
    simulation.tick()
    assert simulation.engine.planar[simulation.layout.robot["robot1"].body, 3] == 0.0


def test_reset_of_poses_keeps_parameters_and_who_is_there(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    start = simulation.engine.planar[simulation.layout.robot["robot1"].body].copy()
    reach = "robot1", "sonars", "reach"
    apply(simulation, SetParameter(*reach, 1))
    apply(
        simulation,
        SetParameter("robot1", "target", "robots", "robot2"),
    )
    apply(simulation, Insert(CRATE))
    apply(simulation, Remove("crate"))
    simulation.command("robot1", "motors", 10, (0.0, 0.3))
    for _ in range(100):
        simulation.tick()
    assert simulation.reading("robot1", "odometry")[2] > 0.2

    apply(simulation, Reset("poses"))

    assert simulation.engine.planar[simulation.layout.robot["robot1"].body].tolist() == start.tolist()
    assert simulation.reading("robot1", "odometry").tolist() == [0.0] * 5
    assert "box7" in simulation.engine.names
    assert "crate" not in simulation.engine.names
    assert apply(simulation, GetParameter(*reach)).params == (1.0,)
    assert apply(simulation, GetParameter("robot1", "target", "robots")).params == ("robot2",)
    assert simulation.tick_count == 100
    simulation.tick()
    assert simulation.reading("robot1", "motors")[1] == 0.0  # the command given before is void


def test_reset_of_poses_puts_a_moved_entity_where_it_was_moved_to(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(simulation, Update("robot1", "position -4 1 0"))
    simulation.command("robot1", "motors", 10, (0.4, 0.0))
    for _ in range(50):
        simulation.tick()
    apply(simulation, Reset("poses"))
    assert simulation.engine.planar[simulation.layout.robot["robot1"].body, :2].tolist() == [-4.0, 1.0]


@pytest.mark.parametrize("what", ["poses", "all"])
def test_a_reset_may_change_the_seed_of_all_noise(spec: RunSpec, what: str) -> None:
    simulation, reseeded = Simulation(spec), Simulation(spec, seed=7)
    for sim in (simulation, reseeded):
        apply(sim, Reset(what, 7 if sim is simulation else None))
        apply(sim, SetParameter("robot1", "sonars", "noise", 0.1))
        sim.tick()
    assert simulation.seed == 7
    assert simulation.state_hash() == reseeded.state_hash()


def test_a_reset_of_something_else_is_refused(spec: RunSpec) -> None:
    with pytest.raises(BadArgument, match="all or poses, got 'time'"):
        apply(Simulation(spec), Reset("time"))


def test_clock_reset_also_sets_time_to_zero(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    for _ in range(10):
        simulation.tick()
    apply(simulation, ClockReset())
    assert (simulation.time_ns, simulation.tick_count) == (0, 10)


def test_odometry_is_reset_by_message_c_57(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(
        simulation,
        DeviceCommand("robot1", "odometry", 12, [1.0, 2.0, 0.5]),
    )
    assert simulation.reading("robot1", "odometry")[:3].tolist() == [1.0, 2.0, 0.5]


def test_targets_come_and_go_with_their_slots(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    width = simulation.layout.robots[0].type.reading_width
    apply(simulation, Insert("[TARGET]\nblue 0 0 0\n"))
    assert simulation.layout.robots[0].type.reading_width == width + 3
    assert simulation.reading("robot1", "target")[3:6].tolist() == pytest.approx([2.0, 0.0, 1.0])


def test_there_is_an_end_to_the_room_for_robots() -> None:
    simulation = Simulation(make_spec(1))
    simulation.command_limit = simulation.layout.command_size
    with pytest.raises(BadArgument, match="--max-robots"):
        apply(simulation, Insert("[ROBOT_1]\ntype single\nname late\nposition 3 3 0\n"))
    assert set(simulation.layout.robot) == {"robot1"}


@pytest.mark.parametrize("text", ["[ROBOT_1]\ntype single\nname late\nposition 3 3 0\n", CRATE])
def test_what_would_make_records_larger_than_their_memory_is_refused_and_nothing_changes(text: str) -> None:
    simulation = Simulation(make_spec(1))
    before, layout = simulation.state_hash(), simulation.layout
    simulation.record_limit = 8 * (13 + simulation.readings.size + simulation.commands.size) + 500
    with pytest.raises(BadArgument, match="--max-robots"):
        apply(simulation, Insert(text))
    assert (simulation.state_hash(), simulation.layout, simulation.scene.names) == (
        before,
        layout,
        [row.name for row in layout.entities],
    )
    simulation.tick()


def test_a_snapshot_is_restored_by_name_and_time_goes_on(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(simulation, TakeSnapshot("start"))
    start = simulation.state_hash()
    apply(simulation, Insert(CRATE))
    simulation.command("robot1", "motors", 10, (0.4, 0.0))
    for _ in range(50):
        simulation.tick()
    apply(simulation, Restore("start"))
    assert simulation.state_hash() == start
    assert "box7" not in simulation.scene
    assert simulation.tick_count == 50
    with pytest.raises(NoSuchName, match="taken: start"):
        apply(simulation, Restore("nothing"))


def test_there_are_only_so_many_snapshots(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    for number in range(16):
        apply(simulation, TakeSnapshot(f"s{number}"))
    apply(simulation, TakeSnapshot("s3"))
    with pytest.raises(BadArgument, match="overwrite"):
        apply(simulation, TakeSnapshot("one more"))


def test_a_refused_name_is_told_even_where_the_old_one_has_gone() -> None:
    simulation = Simulation(make_spec(3))
    apply(simulation, SetParameter("robot1", "target", "robots", "robot3"))
    apply(simulation, Remove("robot3"))
    with pytest.raises(BadArgument, match="there is no robot9"):
        apply(simulation, SetParameter("robot1", "target", "robots", "robot9"))
    assert simulation.tables.blocks[0].devices["target"].parameters["robots"][0] == "robot3"


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
def test_an_insert_of_many_bodies_costs_the_engine_one_change(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(make_spec(robots=1), engine=engine)
    changes: list[int] = []
    add_all = type(simulation.engine).add_all
    monkeypatch.setattr(
        type(simulation.engine), "add_all", lambda it, given: (changes.append(len(given)), add_all(it, given))[1]
    )
    boxes = [
        f"[OBJECT_{k}]\ntype box\nsize .1 .1 .1\nposition {k % 10} {k // 10 + 3} 0\nmass 1\n" for k in range(1, 31)
    ]
    done = apply(simulation, Insert("".join(boxes)))
    assert len(done.params) == 30
    assert changes == [30]
