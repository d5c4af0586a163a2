"""Clients of a simulation in the same process: the same modules, the same lockstep, no sockets."""

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from coopsim.client import aio
from coopsim.client import connect as connect_client
from coopsim.errors import (
    BadArgument,
    EngineCannot,
    NoReply,
    NoSuchName,
    NotInThisMode,
    OwnedByAnother,
    SimulationEnded,
)
from coopsim.inprocess import LocalServer, connect
from coopsim.message import Message, decode
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state import Record

LATE = "[ROBOT_1]\ntype single\nname late\nposition 2 -2 0\n"


def simulation() -> Simulation:
    return Simulation(load("formation"))


def test_a_step_is_one_tick_and_brings_its_readings() -> None:
    sim_ = simulation()
    with connect(sim_) as sim, sim.stepper() as stepper:
        first = stepper.readings
        seen = stepper.step([(0.3, 0.1)] * 3)
        assert (first.tick, seen.tick, sim_.tick_count) == (0, 1, 1)
        assert (seen.motors.v > 0.0).all()
        assert stepper.step().tick == 2


def test_time_stands_still_until_everybody_who_owns_a_robot_has_commanded() -> None:
    physics = simulation()
    server = LocalServer(physics, wait_for=("robot1", "robot2"))
    with server.connect() as first, server.connect(timeout=0.05) as second:
        first.robot("robot1").motors.set_velocity(0.3)
        second.module("/sim/step").claim("robot2")
        assert physics.tick_count == 0
        with pytest.raises(NoReply, match="lockstep waits for robot2"):
            first.module("/robot1/sonars").call("ranges", timeout=0.05)
        second.robot("robot2").motors.set_velocity(0.2)
        assert physics.tick_count == 1
        assert first.robot("robot1").motors.state().v > 0.0


def test_another_client_is_kept_out_until_the_owner_is_gone() -> None:
    server = LocalServer(simulation())
    with server.connect() as owner, server.connect() as intruder:
        owner.robot("robot1").motors.set_velocity(0.3)
        with pytest.raises(OwnedByAnother):
            intruder.robot("robot1").motors.set_velocity(0.1)
        assert intruder.clock.status().clients == 2
        owner.close()
        assert intruder.clock.status().clients == 1
        intruder.robot("robot1").motors.set_velocity(0.1)


def test_edits_are_in_force_when_they_are_answered() -> None:
    physics = simulation()
    with connect(physics) as sim:
        sim.world.insert(LATE)
        assert "late" in sim.robots()
        sim.robot("late").sonars.parameters["reach"] = 2.0
        assert sim.robot("late").sonars.parameters["reach"] == 2.0
        with sim.stepper(["robot1", "late"]) as stepper:
            stepper.step([(0.1, 0.0), (0.2, 0.0)])
            sim.world.remove("robot3")
            seen = stepper.step()
        assert seen.robots == ("robot1", "late")
        with pytest.raises(NoSuchName):
            sim.world.remove("nobody")


def test_commands_of_robots_that_stay_outlive_a_new_layout() -> None:
    with connect(simulation()) as sim, sim.stepper() as stepper:
        for _ in range(20):
            stepper.step([(0.3, 0.0)] * 3)
        sim.world.insert(LATE)
        assert (stepper.step().motors.v > 0.2).all()


def test_a_paused_simulation_does_the_ticks_that_are_asked_for() -> None:
    physics = simulation()
    with connect(physics) as sim:
        with pytest.raises(NotInThisMode):
            sim.clock.step(3)
        sim.clock.pause()
        sim.clock.step(3)
        assert (physics.tick_count, sim.clock.status().paused) == (3, 1)
        sim.clock.continue_()
        assert (sim.clock.status().paused, sim.clock.status().mode) == (0, "lockstep")


def test_what_needs_a_clock_on_the_wall_is_refused() -> None:
    with connect(simulation()) as sim:
        with pytest.raises(NotInThisMode, match="set_mode"):
            sim.clock.set_mode("real-time")
        with pytest.raises(BadArgument, match="step must lie"):
            sim.clock.set_step(7.0)
        sim.clock.set_step(0.02)
        assert sim.clock.status().step == 0.02


def test_a_reset_puts_everything_back_and_voids_commands() -> None:
    with connect(simulation()) as sim, sim.stepper() as stepper:
        before = sim.world.get("robot1")
        for _ in range(50):
            stepper.step([(0.5, 0.0)] * 3)
        sim.world.reset()
        assert sim.world.get("robot1").pose[0] == pytest.approx(before.pose[0])


def test_the_run_ends_after_its_duration() -> None:
    server = LocalServer(simulation(), duration=0.05)
    with server.connect() as sim, sim.stepper() as stepper:
        assert stepper.run(lambda _: [(0.1, 0.0)] * 3) == 4
        with pytest.raises(SimulationEnded):
            stepper.step()


def test_every_record_is_told_with_the_hash_of_its_state() -> None:
    physics, seen = simulation(), list[Record]()
    server = LocalServer(physics, published=seen.append)
    with server.connect() as sim, sim.stepper() as stepper:
        stepper.step([(0.3, 0.0)] * 3)
        assert seen[-1].header.state_hash == physics.state_hash()
        sim.world.insert(LATE)
    assert [(record.tick, len(record.edits)) for record in seen] == [(0, 0), (1, 0), (1, 1)]
    assert [record.header.revision for record in seen] == [0, 1, 2]


def test_what_the_physics_cannot_go_on_with_comes_out_of_the_step() -> None:
    physics = simulation()
    with connect(physics) as sim, sim.stepper() as stepper:
        physics.programs.append(lambda its: its.engine.planar.fill(float("nan")))
        with pytest.raises(EngineCannot):
            stepper.step([(0.3, 0.0)] * 3)
        with pytest.raises(SimulationEnded):
            stepper.step()


def test_a_simulation_has_one_server() -> None:
    physics = simulation()
    LocalServer(physics)
    with pytest.raises(BadArgument, match="served already"):
        connect(physics)


def drive(robot: str, velocity: float) -> float:
    """Connect as any program does, and drive until the run ends."""
    with connect_client() as sim, sim.stepper([robot]) as stepper:
        stepper.run(lambda _: [(velocity, 0.0)])
        return float(stepper.readings.motors.v[0])


def test_programs_that_connect_by_themselves_reach_the_server() -> None:
    before = set(threading.enumerate())
    server = LocalServer(simulation(), duration=1.0)
    assert server.run(partial(drive, "robot1", 0.3)) == [pytest.approx(0.3, abs=0.01)]
    assert set(threading.enumerate()) <= before


def test_several_programs_at_once_wait_for_one_another() -> None:
    server = LocalServer(simulation(), duration=1.0, wait_for=("robot1", "robot2"))
    speeds = server.run(partial(drive, "robot1", 0.3), partial(drive, "robot2", 0.2))
    assert speeds == [pytest.approx(0.3, abs=0.01), pytest.approx(0.2, abs=0.01)]


def test_the_client_of_asyncio_steps_it_too() -> None:
    physics = simulation()

    async def main() -> int:
        async with aio.connect(LocalServer(physics)) as sim, sim.stepper() as stepper:
            return (await stepper.step([(0.3, 0.0)] * 3)).tick

    assert asyncio.run(main()) == physics.tick_count == 1


def test_two_clients_of_asyncio_wait_for_one_another() -> None:
    physics = simulation()
    server = LocalServer(physics, wait_for=("robot1", "robot2"))

    async def drive_one(robot: str) -> int:
        async with aio.connect(server) as sim, sim.stepper([robot]) as stepper:
            for _ in range(5):
                seen = await stepper.step([(0.3, 0.0)])
            return seen.tick

    async def main() -> list[int]:
        return await asyncio.gather(drive_one("robot1"), drive_one("robot2"))

    assert asyncio.run(main()) == [5, 5]


def test_scenes_are_loaded_and_saved_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with connect(simulation()) as sim:
        sim.world.save("mine.scenario")
        sim.world.load("single.scenario")
        assert sim.robots() == ("robot1",)
        sim.world.load("mine.scenario")
        assert len(sim.robots()) == 3


def test_the_modules_tell_what_runs_here() -> None:
    with connect(simulation()) as sim:
        info = sim.info()
        assert (info["scenario"], info["engine"], info["robots"], info["ports"]) == ("formation", "pymunk", 3, {})
        names = ("clock", "events", "info", "names", "renderer", "step", "world")
        assert sim.names("/sim/") == tuple(f"/sim/{name}" for name in names)


def test_joints_are_listed_behind_the_entities_and_told_with_their_bodies() -> None:
    with connect(simulation()) as sim:
        before = sim.world.list().total
        joint = "[JOINT_1]\nname bar\ntype pivot\nbodies robot1 robot2\n"
        assert sim.world.insert(joint).names == ("bar",)

        page = sim.world.list(first=before)
        assert (page.total, tuple(page.entities)) == (before + 1, ("bar", "joint", "pivot"))
        bar = sim.world.get("bar")
        assert (bar.kind, bar.type, tuple(bar.bodies)) == ("joint", "pivot", ("robot1", "robot2"))
        assert bar.pose == pytest.approx(sim.world.get("robot2").pose)
        assert tuple(sim.world.get("robot2").bodies) == ()
        sim.world.remove("bar")
        assert sim.world.list().total == before


def test_steps_are_handed_over_without_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer(simulation())
    with server.connect() as sim, sim.stepper() as stepper:
        with monkeypatch.context() as patched:
            patched.setattr(server, "respond", None)
            seen = [stepper.step([(0.3, 0.1)] * 3).tick for _ in range(3)]
        assert seen == [1, 2, 3]


def test_readings_that_no_message_may_hold_are_refused_as_on_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer(simulation())
    link = server.open_link()
    monkeypatch.setattr(server, "answer", lambda request, _: request.reply(data=[float("nan")]))
    link.send_message(Message("/sim/step", 2, id=5))
    reply = link.receive_message(0.0)
    assert isinstance(reply, bytes)
    with pytest.raises(BadArgument, match="numbers must be finite"):
        decode(reply)
    link.close()


def test_records_go_without_hashes_where_nobody_wants_them() -> None:
    hashes = []
    for is_hashed in (True, False):
        physics, published = simulation(), list[Record]()
        server = LocalServer(physics, published=published.append, is_hashed=is_hashed)
        with server.connect() as sim, sim.stepper() as stepper:
            stepper.step([(0.3, 0.1)] * 3)
        hashes.append((published[1].header.state_hash, physics.state_hash()))
    assert hashes[0][0] == hashes[0][1] == hashes[1][1]
    assert hashes[1][0] == bytes(16)
