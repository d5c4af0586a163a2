"""Links between robots and those who command them: loss, delay, range, bandwidth; the same for the same seed."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.proof.verify import verify
from coopsim.features.studies.job import Task, run_task
from coopsim.features.studies.trial import ScenarioJob, recording_of
from coopsim.geometry import Floats
from coopsim.inprocess import connect
from coopsim.recording import Recording
from coopsim.replay.run_json import spec_of
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

_SET_VELOCITY = 10
_COMMANDS_SENT, _COMMANDS_LOST, _READINGS_SENT, _READINGS_LOST, _AGE, _DISTANCE = range(6)


def scene(folder: Path, link: str, *, robot: str = "single", more: str = "") -> Path:
    robots = f"[ROBOT_1]\ntype {robot}\nname robot1\nposition 0 0 0\n"
    (folder / "a.scenario").write_text(f"[RADIO]\n{link}\n{robots}{more}")
    return folder / "a.scenario"


def driven(simulation: Simulation, ticks: int, *, every: int = 1, speed: float = 0.3) -> Floats:
    """Command a speed every so many ticks; return how fast the robot was after each tick."""
    row, speeds = list(simulation.engine.names).index("robot1"), np.zeros(ticks)
    for tick in range(ticks):
        if tick % every == 0:
            simulation.command("robot1", "motors", _SET_VELOCITY, (speed, 0.0))
        simulation.tick()
        speeds[tick] = np.hypot(*simulation.engine.planar[row, 3:5])
    return speeds


def state(simulation: Simulation) -> Floats:
    return simulation.reading("robot1", "radio")


def test_a_perfect_link_changes_nothing(tmp_path: Path) -> None:
    linked = Simulation(load(scene(tmp_path, "interval 0")))
    (tmp_path / "b.scenario").write_text("[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n")
    plain = Simulation(load(tmp_path / "b.scenario"))
    assert driven(linked, 50).tolist() == driven(plain, 50).tolist()
    for module in ("odometry", "sonars", "motors"):
        assert linked.reading("robot1", module).tolist() == plain.reading("robot1", module).tolist()
    assert state(linked)[[_COMMANDS_LOST, _READINGS_LOST]].tolist() == [0.0, 0.0]


def test_commands_and_readings_come_late_by_the_delay(tmp_path: Path) -> None:
    at_once = driven(Simulation(load(scene(tmp_path, "interval 0"))), 60)
    simulation = Simulation(load(scene(tmp_path, "interval 0\ndelay 0.2")))
    late = driven(simulation, 60)
    assert late[:20].tolist() == [0.0] * 20
    assert late[20:] == pytest.approx(at_once[:40])
    assert state(simulation)[_AGE] == pytest.approx(0.2, abs=0.011)
    # 0.2 s ago it had driven for 0.2 s
    before = Simulation(load(scene(tmp_path, "interval 0")))
    driven(before, 20)
    assert simulation.reading("robot1", "odometry") == pytest.approx(before.reading("robot1", "odometry"), abs=1e-9)


def test_packets_are_lost_as_often_as_the_section_says(tmp_path: Path) -> None:
    simulation = Simulation(load(scene(tmp_path, "loss 0.2\nretries 0\ninterval 0")))
    driven(simulation, 2000)
    sent, lost, readings_sent, readings_lost = state(simulation)[:_AGE].tolist()
    assert sent == 2000.0
    assert lost / sent == pytest.approx(0.2, abs=0.03)
    assert readings_lost / readings_sent == pytest.approx(0.2, abs=0.03)
    patient = Simulation(load(scene(tmp_path, "loss 0.2\nretries 3")))
    driven(patient, 2000, every=10)
    assert state(patient)[_COMMANDS_SENT] == 200.0
    assert state(patient)[_COMMANDS_LOST] <= 3.0


def test_the_seed_decides_what_is_lost(tmp_path: Path) -> None:
    spec = load(scene(tmp_path, "loss 0.5\nretries 0\ndelay 0.03"))
    runs = [Simulation(spec, seed=seed) for seed in (1, 1, 2)]
    for simulated in runs:
        driven(simulated, 100, every=10)
    hashes = [run.state_hash() for run in runs]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_seed_loses_the_packets_that_it_always_lost(tmp_path: Path) -> None:
    """Recordings made by earlier versions are done again."""
    simulation = Simulation(load(scene(tmp_path, "loss 0.3\nretries 0\ninterval 0")), seed=7)
    counts = np.zeros((31, 2))
    for tick in range(1, 31):
        driven(simulation, 1)
        counts[tick] = state(simulation)[[_COMMANDS_LOST, _READINGS_LOST]]
    commands, readings = (1 + np.flatnonzero(np.diff(lost)) for lost in counts.T)
    assert commands.tolist() == [1, 4, 6, 10, 13, 14, 20, 22, 26]
    assert readings.tolist() == [1, 6, 9, 11, 12, 20, 22, 25]


def test_nothing_arrives_from_beyond_the_range(tmp_path: Path) -> None:
    more = "[EVENT_1]\nat 0\nset robot1.motors.watchdog 0.2\n"
    simulation = Simulation(load(scene(tmp_path, "range 0.5\nstation -0.2 0\ninterval 0", more=more)))
    driven(simulation, 600, speed=0.5)
    row = list(simulation.engine.names).index("robot1")
    # the motors stop 0.2 s after the last command
    assert 0.3 < simulation.engine.planar[row, 0] < 0.5
    assert np.hypot(*simulation.engine.planar[row, 3:5]) < 1e-3
    assert simulation.reading("robot1", "odometry")[0] <= 0.31
    assert state(simulation)[_DISTANCE] > 0.5
    assert state(simulation)[_AGE] > 1.0


def test_a_narrow_link_sends_one_packet_at_a_time_and_the_newest_of_what_waits(tmp_path: Path) -> None:
    simulation = Simulation(load(scene(tmp_path, "bandwidth 320\ninterval 60")))
    for tick in range(40):
        simulation.command("robot1", "motors", _SET_VELOCITY, (0.01 * tick, 0.0))
        simulation.tick()
    sent = state(simulation)[_COMMANDS_SENT]
    block = simulation.tables.block_of("robot1")
    assert block is not None
    held = block.devices["radio"].memory["held"]
    # 16 bytes and two or more numbers of 8 take 0.1 s at least
    assert 2.0 <= sent <= 5.0
    assert 0.0 < held[0, 2] < 0.39


def test_a_snapshot_holds_what_is_under_way(tmp_path: Path) -> None:
    simulation = Simulation(load(scene(tmp_path, "loss 0.3\ndelay 0.15\nbandwidth 5000")))
    driven(simulation, 57, every=5)
    saved = snapshot(simulation)
    driven(simulation, 40, every=5)
    expected = simulation.state_hash()
    restore(simulation, saved)
    driven(simulation, 40, every=5)
    assert simulation.state_hash() == expected


def test_programs_on_board_see_their_robot_as_it_is(tmp_path: Path) -> None:
    simulation = Simulation(load(scene(tmp_path, "interval 60", robot="game_infantry")))
    simulation.command("robot1", "intelligence", 12, (1.0, 0.5))
    for _ in range(500):
        simulation.tick()
    row = list(simulation.engine.names).index("robot1")
    assert simulation.engine.planar[row, :2] == pytest.approx([1.0, 0.5], abs=0.1)
    assert simulation.reading("robot1", "pose")[:2] == pytest.approx([0.0, 0.0], abs=1e-3)  # what was sent at 0 s


def test_clients_read_what_arrived_and_change_links_while_the_run_goes_on(tmp_path: Path) -> None:
    with connect(Simulation(load(scene(tmp_path, "delay 0.1\ninterval 0")))) as sim, sim.stepper(every=10) as stepper:
        for _ in range(10):
            seen = stepper.step({"robot1": (0.3, 0.0)})
        radio = sim.robot("robot1").radio
        assert radio.state().commands_sent == 10.0
        assert seen["robot1"].radio.age == pytest.approx(0.1, abs=0.011)
        radio.set_parameter("loss", 1.0)
        for _ in range(10):
            seen = stepper.step({"robot1": (0.3, 0.0)})
        assert seen["robot1"].radio.age > 0.9
        assert radio.state().commands_lost >= 9.0


def test_a_recorded_run_is_proved_bit_by_bit(tmp_path: Path) -> None:
    settings = "[SIMULATION]\nmode lockstep\nseed 1\nduration 3\n"
    more = settings + "[CONTROLLER_1]\nrun wander\nrobots robot1\n[EVENT_1]\nat 1\nset robot1.radio.loss 0.6\n"
    file = scene(tmp_path, "loss 0.2\ndelay 0.05\nretries 1", more=more)
    job = ScenarioJob(load(file), 3.0, record="all", folder=str(tmp_path))
    assert not run_task(job, Task(0, {}, 1)).get("error")
    with Recording.open(recording_of(job, Task(0, {}, 1))) as recording:
        verdict = verify(recording, spec_of(recording))
    assert verdict.identical, str(verdict.difference)
