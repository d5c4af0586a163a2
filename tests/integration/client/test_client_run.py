"""The client and the control laws with a real simulation."""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from client_runs import ARENA, Arena, arena, controller, moves, simulation, wait_until

from coopsim.client import Readings, connect
from coopsim.errors import BadArgument, NoReply, NoSuchName, OwnedByAnother, SimulationEnded

pytestmark = pytest.mark.integration
LOCKSTEP = ("--mode", "lockstep")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with arena(tmp_path_factory.mktemp("arena")) as run:
        yield run


def test_the_naive_loop_is_a_lockstep_loop_too(run: Arena) -> None:
    """C-30: read, read, set, one message each; the reading comes after the step."""
    before = run.begin()
    with connect(run.zmq) as sim:
        robot = sim.robot("robot1")
        ticks = []
        for _ in range(20):
            robot.motors.set_velocity(0.3, 0.0)
            ticks.append(robot.sonars.ranges().tick)
        assert ticks == list(range(before + 1, before + 21))
        assert robot.odometry.pose().x == pytest.approx(0.05, abs=0.03)
        assert robot.sonars.ranges().ranges[5] < 2.2


@pytest.mark.parametrize("transport", ["tcp", "tcp+plain"])
def test_a_stepper_drives_robots_over_either_transport(run: Arena, transport: str) -> None:
    """C-21, C-30: the same loop over ZeroMQ and over a plain socket, the same run."""
    before = run.begin()
    endpoint = run.plain if transport == "tcp+plain" else run.zmq
    with connect(endpoint) as sim, sim.stepper(["robot1", "robot2"]) as stepper:
        first = stepper.readings
        assert first["robot1"].sonars.ranges[5] == pytest.approx(2.15, abs=0.01)
        for _ in range(100):
            readings = stepper.step([(0.4, 0.0), (0.0, 0.5)])
        assert readings.tick == before + 100
        assert readings["robot1"].odometry.x == pytest.approx(0.4, abs=0.05)
        assert readings["robot2"].odometry.heading == pytest.approx(0.5, abs=0.05)
        assert readings["robot1"].sonars.ranges[5] == pytest.approx(1.75, abs=0.05)
        assert readings.target.targets.shape == (2, 6)


def test_a_live_switch_of_the_mode_does_not_disturb_a_law(run: Arena) -> None:
    """C-29, C-30."""
    run.begin()
    ticks: list[int] = []

    def law(seen: Readings) -> list[tuple[float, float]] | None:
        ticks.append(seen.tick)
        return [(0.1, 0.0)] if len(ticks) % 20 else None

    with connect(run.zmq) as boss, connect(run.zmq) as sim, sim.stepper(["robot1"]) as stepper:
        for mode in ("lockstep", "real-time", "free", "lockstep"):
            boss.clock.set_mode(mode)
            stepper.run(law)
            assert boss.clock.status().mode == mode
    assert len(ticks) == 80
    assert ticks == sorted(ticks)


def test_time_outs_say_why_in_a_real_simulation(run: Arena) -> None:
    before = run.begin()
    with connect(run.zmq) as sim, sim.stepper(["robot1"]) as stepper:
        stepper.step([(0.1, 0.0)])
        sim.clock.pause()
        with pytest.raises(NoReply, match="the simulation is paused"):
            stepper.step(timeout=0.1)
        getattr(sim.clock, "continue")()
        assert stepper.step().tick >= before + 2


def test_a_step_follows_a_reset_clock_and_a_changed_world(run: Arena) -> None:
    run.begin()
    with connect(run.zmq) as sim, sim.stepper(["robot1"]) as stepper:
        for _ in range(5):
            stepper.step([(0.1, 0.0)])
        sim.clock.reset()
        assert sim.clock.status().time == 0.0
        tick = stepper.step().tick
        before = stepper.readings.target.targets.shape
        sim.world.insert("[TARGET]\ngreen 1 1 0\n[ROBOT_1]\ntype single\nname robot0\nposition -2 -2 0\n")
        assert stepper.step().tick == tick + 1
        assert (before, stepper.readings.target.targets.shape) == ((1, 6), (1, 9))
        assert sim.robot("robot1").target.targets().targets.shape == (9,)
        sim.world.remove("robot1")
        with pytest.raises(NoSuchName):
            stepper.step()


def test_parameters_and_ownership_of_a_real_robot(run: Arena) -> None:
    run.begin("real-time")
    with connect(run.zmq) as sim, connect(run.zmq) as other_client:
        sonars = sim.robot("robot1").sonars
        sonars.parameters["reach"] = 1.0
        assert sonars.parameters["reach"] == 1.0
        wait_until(lambda: bool((sonars.ranges().ranges <= 1.0).all()))
        with pytest.raises(BadArgument):
            sonars.parameters["reach"] = -1.0
        with other_client.stepper(["robot1"]), pytest.raises(OwnedByAnother):
            sim.robot("robot1").motors.set_velocity(0.1)
        sim.robot("robot1").motors.set_velocity(0.1)


def test_a_robots_own_endpoint_serves_its_modules(run: Arena) -> None:
    """C-11, C-27: each robot answers by itself."""
    run.begin("real-time")
    with connect(run.zmq) as sim, sim.stepper(["robot1"]):
        places = [
            sim.module("/sim/names").lookup(name).zmq for name in ("/robot1/motors", "/robot2/motors", "/sim/clock")
        ]
        assert len({place.rpartition(":")[2] for place in places}) == 3
        own = sim.robot("robot1", own_endpoint=True)
        own.motors.set_velocity(0.2)
        wait_until(lambda: own.motors.state().v > 0.1)


def test_robots_and_targets_are_seen_by_the_target_module(run: Arena) -> None:
    """C-47, C-48: distance and angular displacement, to markers and to another robot."""
    run.begin()
    with connect(run.zmq) as sim:
        target = sim.robot("robot1").target
        assert target.names().names[:2] == ("red", "blue")
        target.parameters["robots"] = "robot2"
        with sim.stepper(["robot1"]) as stepper:
            seen = stepper.step()["robot1"].target
        assert seen.targets[:3].tolist() == pytest.approx([3.0, 0.0, 1.0], abs=0.01)
        assert seen.targets[3:5].tolist() == pytest.approx([math.hypot(3, 1), math.pi - math.atan2(1, 3)], abs=0.01)
        assert seen.robots[:3].tolist() == pytest.approx([1.5, math.pi / 2, 1.0], abs=0.01)


def test_ten_lines_make_a_controller(run: Arena) -> None:
    run.begin()

    def law(seen: Readings) -> np.ndarray | None:
        near = seen.sonars.ranges[:, 4:7].min(axis=1) < 0.5
        return None if near.all() else np.column_stack([np.where(near, 0.0, 0.5), np.zeros(2)])

    with connect(run.zmq) as sim:
        assert 200 < sim.run(law) < 600
        assert sim.robot("robot1").sonars.ranges().ranges[5] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("mode", ["real-time", "lockstep"])
def test_an_interrupted_controller_stops_the_motors(run: Arena, mode: str, number: signal.Signals, code: int) -> None:
    run.begin(mode)
    with connect(run.zmq) as sim:
        with controller("wander", run.zmq, "--robots", "robot1", "robot2") as wander:
            wait_until(lambda: moves(sim, "robot1") and moves(sim, "robot2"))
            wander.process.send_signal(number)
            assert wander.end() == code
            assert wander.output == ""
        with sim.stepper() as stepper:
            for _ in range(50):
                stepper.step({})
        # both robots were given back, and the last command they heard was to stop
        assert not moves(sim, "robot1")
        assert not moves(sim, "robot2")


def test_a_controller_follows_a_live_switch_of_the_mode_and_a_pause(run: Arena) -> None:
    """C-29, C-30."""
    run.begin("real-time")
    with connect(run.zmq) as sim, controller("wander", run.zmq, "--robots", "robot1") as wander:
        for mode in ("real-time", "lockstep", "free", "real-time"):
            sim.clock.set_mode(mode)
            tick = sim.clock.status().tick
            wait_until(lambda tick=tick: sim.clock.status().tick > tick + 20)
            wait_until(lambda: moves(sim, "robot1"))
        sim.clock.pause()
        sim.clock.continue_()
        tick = sim.clock.status().tick
        wait_until(lambda: sim.clock.status().tick > tick + 20)
        assert wander.process.poll() is None


def test_the_end_of_the_run_ends_a_controller_quietly(tmp_path: Path) -> None:
    with (
        simulation(tmp_path, *LOCKSTEP) as (run, endpoint, _),
        connect(endpoint) as sim,
        sim.stepper(["robot2"], timeout=math.inf) as stepper,
        controller("wander", endpoint, "--robots", "robot1") as wander,
    ):
        sim.clock.parameters["patience"] = 0.0
        while not moves(sim, "robot1"):
            stepper.step()
        # nobody else being awaited, the controller waits for the answer to its step
        wait_until(lambda: list(json.loads(sim.clock.status().awaited)) == ["robot2"])
        run.process.send_signal(signal.SIGTERM)
        assert run.end() == 143
        assert (wander.end(), wander.output) == (0, "")


def test_a_lost_server_ends_a_controller_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COOPSIM_TIMEOUT", "2")
    with (
        simulation(tmp_path) as (run, endpoint, _),
        connect(endpoint, timeout=10.0) as sim,
        controller("wander", endpoint, "--robots", "robot1") as wander,
    ):
        wait_until(lambda: moves(sim, "robot1"))
        # stopped first, so that nobody can say good-bye
        pids = [run.process.pid, *children(run.process.pid)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert wander.end() == 1
        (line,) = wander.output.splitlines()
        assert line.startswith("wander: no ")
        assert endpoint in line


def children(pid: int) -> list[int]:
    """Return the processes that `pid` started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("wander", ["--robots", "robt1"], "wander: no robot 'robt1'; did you mean 'robot1'?"),
        ("formation", ["--robots", "robot1", "--target", "rd"], "formation: no target 'rd'; did you mean 'red'?"),
    ],
)
def test_a_wrong_name_ends_a_controller_with_one_line(run: Arena, name: str, options: list[str], text: str) -> None:
    run.begin("real-time")
    with controller(name, run.zmq, *options) as process:
        assert process.end() == 1
        (line,) = process.output.splitlines()
        assert line.startswith(text)


def test_a_robot_that_is_removed_leaves_the_others_driving(run: Arena) -> None:
    run.begin("real-time")
    with connect(run.zmq) as sim, controller("wander", run.zmq, "--robots", "robot1", "robot2") as wander:
        wait_until(lambda: moves(sim, "robot1") and moves(sim, "robot2"))
        sim.world.remove("robot1")
        tick = sim.clock.status().tick
        wait_until(lambda: sim.clock.status().tick > tick + 50)
        assert moves(sim, "robot2")
        assert wander.process.poll() is None


def test_a_formation_reaches_its_target_in_both_modes(tmp_path: Path) -> None:
    """From a scenario's [CONTROLLER_1], as a process of its own."""
    scenario = ARENA.replace("red 3 0 0", "red 1.2 0 0")
    for mode in ("lockstep", "real-time"):
        with simulation(tmp_path, "--mode", mode, scenario=scenario) as (_, endpoint, _), connect(endpoint) as sim:
            with controller("formation", endpoint, "--robots", "robot1", "robot2", "--shape", "column") as formation:
                assert formation.end() == 0
            assert "column of 2 at red: 0." in formation.output
            assert sim.world.get("robot1").pose[0] > 0.85


def test_the_built_in_formation_breaks_at_obstacles_and_arrives_twice_alike() -> None:
    """C-30: the same seed and the same commands, the same state."""
    line = [
        sys.executable,
        "-m",
        "coopsim",
        "run",
        "formation",
        "--mode",
        "lockstep",
        "--no-gui",
        "--port",
        "0",
        "--json",
    ]
    runs = [subprocess.run(line, capture_output=True, text=True, timeout=110, check=True) for _ in range(2)]
    reports = [json.loads(run.stdout.splitlines()[-1]) for run in runs]
    assert reports[0]["state_hash"] == reports[1]["state_hash"]
    assert 25.0 <= reports[0]["sim_time"] < 60.0
    assert "triangle of 3 at red" in runs[0].stdout + runs[0].stderr


def test_after_the_end_everything_says_so(tmp_path: Path) -> None:
    with simulation(tmp_path, "--duration", "0.2", *LOCKSTEP) as (run, endpoint, _), connect(endpoint) as sim:
        stepper = sim.stepper(["robot1"], timeout=math.inf)
        ended = False
        while not ended:
            try:
                stepper.step([(0.1, 0.0)])
            except SimulationEnded:
                ended = True
        assert stepper.tick <= 20
        assert run.end() == 0
