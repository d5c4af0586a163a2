"""Devices that fail: switched off, and the tick goes on."""

import contextlib
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim import plugins
from coopsim.devices.odometry import Odometry
from coopsim.devices.sonars import Sonars
from coopsim.errors import BadFile, PluginFailed
from coopsim.robots import RunSpec, load_type, plug
from coopsim.scene import Event, RobotPlacement
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.failing import Failures
from coopsim.simulation.profiling import ProfiledSimulation
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Checkpoint, ClockReset, DeviceCommand, GetParameter, Insert, Remove, Reset, SetParameter

PLUGIN = '''
from asyncio import CancelledError

import numpy as np
from coopsim.devices.per_robot import PerRobot
from coopsim.interfaces import Command, Effect, Field, Interface, Parameter


class Own(BaseException):
    pass


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")


RAISED = {
    "exit": SystemExit(3), "own": Own("mine"), "generator": GeneratorExit(), "cancelled": CancelledError(),
    "interrupt": KeyboardInterrupt(),
    "mute": Mute(), "surrogate": ValueError("a" + chr(0xDCFF)),
}


class Moody(PerRobot):
    """Fails as its parameters say."""

    interface = Interface(
        "moody",
        "",
        (
            Command(10, "look", gives=(Field("now", "1"), Field("place", "m"))),
            Command(11, "push", takes=(Field("force", "N"),), effect=Effect.SET),
            Command(12, "strike", effect=Effect.EDIT),
        ),
        (
            Parameter("fails_at", int, 1000, "1", 0, 1000),
            Parameter("how", str, "raise"),
            Parameter("where", str, "read"),
        ),
    )

    def __init__(self, rig):
        super().__init__(rig)
        self.tick = 0
        if rig.settings["where"] == "init":
            raise ValueError("never made")

    def fail(self, robot, where, usual):
        if robot.parameters["where"] != where or self.tick < robot.parameters["fails_at"]:
            return usual
        how = robot.parameters["how"]
        if how == "raise":
            raise ZeroDivisionError("moody")
        if how in RAISED:
            raise RAISED[how]
        return {"nan": float("nan"), "inf": float("inf"), "long": (1.0, 2.0, 3.0, 4.0)}[how]

    def read(self, robot):
        self.tick = robot.tick
        now = self.fail(robot, "read", float(robot.tick))
        return now if isinstance(now, tuple) else (now, robot.x)

    def drive(self, robot, command, values):
        force = self.fail(robot, "drive", 5.0)
        return force if isinstance(force, tuple) else (force, 0.0, 0.0)

    def changed(self, row, name):
        if self.parameters["how"][row] == "worse":
            raise KeyError("worse")

    def carry_out(self, robot, command, values):
        raise LookupError("struck")


PLUGINS = {"devices": {"moody": Moody}}
'''
ROBOT = """[ROBOT]
[BODY]
type        cylinder
size        0.4 0.4 0.3
mass        10
[DEVICE_1]
type        differential_drive
name        motors
[DEVICE_2]
type        moody
name        moody
{settings}
[DEVICE_3]
type        odometry
name        odometry
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the plugin, loaded."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "moody.py"
    path.write_text(PLUGIN)
    plug(path)
    yield tmp_path
    plugins.forget(path)


def moody(folder: Path, settings: str, events: tuple[Event, ...] = ()) -> RunSpec:
    """Return two robots that carry it."""
    (folder / "carrier.robot").write_text(ROBOT.format(settings=settings.replace(", ", "\n")))
    spec = make_spec(events=events)
    robots = tuple(RobotPlacement(f"robot{i}", "carrier", (-2.0, float(i), 0.0)) for i in (1, 2))
    scenario = type(spec.scenario)(spec.scenario.world, spec.scenario.targets, robots, events=events)
    return RunSpec(scenario, {"carrier": load_type("carrier", folder=folder)})


def run(simulation: Simulation, ticks: int) -> None:
    for _ in range(ticks):
        simulation.tick()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("raise", r"^moody\.py:\d+: device moody: ZeroDivisionError: moody$"),
        ("exit", r"^moody\.py:\d+: device moody: SystemExit: 3$"),
        ("own", r"^moody\.py:\d+: device moody: Own: mine$"),
        ("generator", r"^moody\.py:\d+: device moody: GeneratorExit$"),
        ("cancelled", r"^moody\.py:\d+: device moody: CancelledError$"),
        ("mute", r"^moody\.py:\d+: device moody: Mute: \(its text cannot be shown: RuntimeError\)$"),
        ("surrogate", r"^moody\.py:\d+: device moody: ValueError: a\\udcff$"),
        ("nan", r"^moody\.py:\d+: Moody wrote a reading that is not finite$"),
        ("inf", r"^moody\.py:\d+: Moody wrote a reading that is not finite$"),
        ("long", r"^moody\.py:\d+: read gave 4 values for robot1, not 2: now, place$"),
    ],
)
def test_a_sensor_that_fails_is_switched_off_and_keeps_its_last_readings(folder: Path, how: str, words: str) -> None:
    simulation = Simulation(moody(folder, f"fails_at 5, how {how}"))
    run(simulation, 9)
    assert simulation.tick_count == 9
    (failure,) = simulation.failures
    assert re.search(words, failure.text), failure.text
    assert (failure.robots, failure.module, failure.tick, failure.name) == ("carrier", "moody", 5, "moody of carrier")
    assert simulation.reading("robot2", "moody")[0] == 4.0
    assert np.isfinite(simulation.readings).all()


def test_everything_else_goes_on(folder: Path) -> None:
    failing, working = (Simulation(moody(folder, settings)) for settings in ("fails_at 5", "fails_at 1000"))
    for simulation in (failing, working):
        simulation.command("robot1", "motors", 10, (0.3, 0.1))
        run(simulation, 5)
    assert failing.reading("robot1", "odometry").tolist() == working.reading("robot1", "odometry").tolist()
    assert failing.reading("robot1", "odometry")[0] > 0.0


@pytest.mark.parametrize(("handler", "is_off"), [(signal.SIG_IGN, True), (signal.default_int_handler, False)])
def test_an_interrupt_ends_a_program_that_ends_by_ctrl_c_and_is_a_failure_elsewhere(
    folder: Path, handler: Any, is_off: bool
) -> None:
    simulation = Simulation(moody(folder, "fails_at 5, how interrupt"))
    before = signal.signal(signal.SIGINT, handler)
    try:
        with contextlib.nullcontext() if is_off else pytest.raises(KeyboardInterrupt):
            run(simulation, 9)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [failure.text.rpartition(" ")[2] for failure in simulation.failures] == ["KeyboardInterrupt"] * is_off


@pytest.mark.parametrize("how", ["raise", "nan", "inf", "exit", "own", "mute"])
def test_an_actuator_that_fails_exerts_no_force_any_more(folder: Path, how: str) -> None:
    simulation = Simulation(moody(folder, f"fails_at 3, where drive, how {how}"))
    run(simulation, 4)
    (failure,) = simulation.failures
    assert failure.tick == 3
    assert np.isfinite(simulation.engine.planar).all()
    speed = simulation.engine.planar[:, 3].max()
    run(simulation, 20)
    assert simulation.engine.planar[:, 3].max() <= speed
    assert len(list(simulation.failures)) == 1


def test_what_a_failing_actuator_left_in_its_last_tick_is_undone(folder: Path) -> None:
    """The first robot is pushed, the second one fails: neither is pushed in this tick."""
    plain, half = (Simulation(moody(folder, "where drive")) for _ in range(2))
    for simulation in (plain, half):
        run(simulation, 1)
    apply(half, SetParameter("robot2", "moody", "fails_at", 0))
    apply(plain, SetParameter("robot1", "moody", "fails_at", 0))
    for simulation in (plain, half):
        run(simulation, 1)
    assert half.engine.planar.tolist() == plain.engine.planar.tolist()


def test_a_failure_is_the_same_in_each_repetition(folder: Path) -> None:
    hashes = []
    for _ in range(2):
        simulation = Simulation(moody(folder, "fails_at 5"))
        run(simulation, 10)
        hashes.append(simulation.state_hash())
    assert hashes[0] == hashes[1]


def test_a_device_that_fails_before_the_beginning_lets_nothing_begin(folder: Path) -> None:
    with pytest.raises(PluginFailed, match=r"moody\.py:\d+: device moody: ZeroDivisionError"):
        Simulation(moody(folder, "fails_at 0"))
    with pytest.raises(PluginFailed, match=r"moody\.py:\d+: device moody: ValueError: never made"):
        Simulation(moody(folder, "where init"))


def test_a_reset_switches_a_device_on_again(folder: Path) -> None:
    simulation = Simulation(moody(folder, "fails_at 5"))
    run(simulation, 6)
    simulation.failures.changed = False
    apply(simulation, SetParameter("robot1", "moody", "fails_at", 900))
    run(simulation, 1)
    assert list(simulation.failures)
    apply(simulation, ClockReset())
    simulation.failures.news.clear()
    assert simulation.failures.changed
    # it looks again at once, in the same tick number, and fails again
    assert [failure.tick for failure in simulation.failures] == [7]


def test_what_is_switched_off_stays_so_in_checkpoints_and_continuations(folder: Path) -> None:
    spec = moody(folder, "fails_at 5")
    simulation, restored = Simulation(spec), Simulation(spec)
    run(simulation, 6)
    state = snapshot(simulation)
    restore(restored, state)
    assert [failure.text for failure in restored.failures] == [failure.text for failure in simulation.failures]
    assert restored.reading("robot1", "moody")[0] == 4.0
    apply(simulation, Checkpoint())
    for sim in (simulation, restored):
        run(sim, 5)
    assert simulation.state_hash() == restored.state_hash()


def test_a_scene_that_changes_keeps_it_switched_off(folder: Path) -> None:
    simulation = Simulation(moody(folder, "fails_at 5"))
    run(simulation, 6)
    apply(simulation, Remove("robot1"))
    run(simulation, 2)
    assert [failure.tick for failure in simulation.failures] == [5]
    assert simulation.reading("robot2", "moody")[0] == 0.0


def test_a_robot_whose_device_cannot_be_made_is_not_inserted(folder: Path) -> None:
    simulation = Simulation(make_spec())
    types = {**simulation.scene.types, "carrier": moody(folder, "where init").types["carrier"]}
    simulation.scene = replace(simulation.scene, types=types)
    before = simulation.state_hash()
    with pytest.raises(PluginFailed, match="never made"):
        apply(simulation, Insert("[ROBOT_9]\ntype carrier\nname robot9\nposition 0 3 0\n"))
    assert "robot9" not in simulation.scene.robots
    assert "robot9" not in simulation.engine.names
    assert simulation.state_hash() == before
    run(simulation, 3)


def test_a_parameter_that_a_device_cannot_take_goes_back(folder: Path) -> None:
    simulation = Simulation(moody(folder, "fails_at 900"))
    edit = SetParameter("robot1", "moody", "how", "worse")
    with pytest.raises(PluginFailed, match=r"moody\.py:\d+: device Moody: KeyError: 'worse'"):
        apply(simulation, edit)
    reply = apply(simulation, GetParameter("robot1", "moody", "how"))
    assert reply.params == ("raise",)


def test_a_command_that_fails_is_refused(folder: Path) -> None:
    simulation = Simulation(moody(folder, "fails_at 900"))
    edit = DeviceCommand("robot1", "moody", "strike", [])
    with pytest.raises(PluginFailed, match=r"moody\.py:\d+: device Moody: LookupError: struck"):
        apply(simulation, edit)
    assert not list(simulation.failures)


def test_a_timed_event_that_a_device_cannot_take_switches_it_off(folder: Path) -> None:
    events = (Event(0.03, (("robot1.moody.how", "worse"),)),)
    simulation = Simulation(moody(folder, "fails_at 900", events))
    run(simulation, 6)
    (failure,) = simulation.failures
    assert (failure.tick, failure.module) == (3, "moody")
    assert "KeyError" in failure.text


def test_a_built_in_device_that_fails_is_switched_off_too(spec: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other sensors of the robot go on."""
    simulation = Simulation(spec)

    def broken(_self, _world, _tick, out) -> None:
        out[:] = np.nan
        raise RuntimeError("a bug")

    monkeypatch.setattr(Sonars, "sense", broken)
    monkeypatch.setattr(Odometry, "sense", lambda *_: None)
    apply(simulation, Reset())
    run(simulation, 3)
    assert [failure.module for failure in simulation.failures] == ["sonars"]
    assert np.isfinite(simulation.readings).all()


def test_what_a_failing_device_costs_can_be_measured(folder: Path) -> None:
    simulation = ProfiledSimulation(moody(folder, "fails_at 3"))
    run(simulation, 5)
    assert [failure.tick for failure in simulation.failures] == [3]
    assert simulation.tick_count == 5


def test_a_snapshot_that_does_not_say_what_is_off_is_refused() -> None:
    with pytest.raises(BadFile, match="which devices are switched off"):
        Failures().put([{"robots": "single"}])
