"""What a tick costs, phase by phase; measuring changes nothing."""

import time

import pytest
from simulation_scenes import make_spec

from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.profiling import PHASES, ProfiledPublisher, ProfiledSimulation


def drive(simulation: Simulation, ticks: int = 60) -> list[bytes]:
    simulation.command("robot1", "motors", 10, (0.4, 0.3))
    hashes = []
    for _ in range(ticks):
        simulation.tick()
        hashes.append(simulation.state_hash())
        if isinstance(simulation, ProfiledSimulation):
            simulation.end_tick()
    return hashes


def test_a_profiled_simulation_has_the_states_of_one_that_is_not() -> None:
    spec = make_spec(3, events=(Event(0.2, (("robot1.sonars.noise", "0.1"),)), Event(0.4, reset=True)))
    assert drive(ProfiledSimulation(spec)) == drive(Simulation(spec))


def test_every_phase_and_every_device_of_each_tick_is_counted() -> None:
    simulation = ProfiledSimulation(make_spec())
    began = time.perf_counter()
    drive(simulation, 40)
    took = time.perf_counter() - began
    plain = simulation.profile.to_plain()
    assert plain["ticks"] == 40
    assert list(plain["phases"]) == list(PHASES)
    assert all(spent > 0.0 for spent in plain["phases"].values())
    assert plain["tick"]["mean"] == pytest.approx(sum(plain["phases"].values()))
    assert plain["tick"]["mean"] * 40 <= took
    assert 0.0 < plain["tick"]["p50"] <= plain["tick"]["p99"]
    named = [(device["phase"], device["kind"]) for device in plain["devices"]]
    sensors = ("bumpers", "differential_drive", "odometry", "sonars", "target")
    assert named == [("actuators", "differential_drive"), *(("sensors", kind) for kind in sensors)]


@pytest.mark.parametrize("phase", ["actuators", "sensors"])
def test_devices_take_no_longer_than_their_phase(phase) -> None:
    simulation = ProfiledSimulation(make_spec())
    drive(simulation)
    plain = simulation.profile.to_plain()
    devices = sum(device["mean"] for device in plain["devices"] if device["phase"] == phase)
    assert 0.0 < devices <= plain["phases"][phase]


def test_what_happens_between_ticks_does_not_count() -> None:
    simulation = ProfiledSimulation(make_spec())
    drive(simulation, 5)
    before = simulation.profile.to_plain()
    simulation.sense(0.0)
    simulation.state_hash()
    simulation.rewire()
    simulation.end_tick()
    assert simulation.profile.to_plain() == before


def test_devices_of_robots_that_come_later_are_counted_too() -> None:
    simulation = ProfiledSimulation(make_spec(1))
    drive(simulation, 3)
    before = {device["kind"]: device["mean"] for device in simulation.profile.to_plain()["devices"]}
    simulation.rewire()
    drive(simulation, 3)
    after = simulation.profile.to_plain()
    assert after["ticks"] == 6
    assert {device["kind"] for device in after["devices"]} == set(before)


class Clumsy:
    """A device that fails at its second look."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self, *_: object) -> None:
        self.looks += 1
        if self.looks > 1:
            raise RuntimeError("clumsy")


def test_a_device_that_fails_is_named_though_it_is_timed(monkeypatch) -> None:
    from coopsim.features.sensors.bumpers import Bumpers

    clumsy = Clumsy()
    monkeypatch.setattr(Bumpers, "sense", lambda self, *arguments: clumsy(*arguments))
    simulation = ProfiledSimulation(make_spec(1))
    drive(simulation, 3)
    assert [failure.module for failure in simulation.failures] == ["bumpers"]


class Ringless(ProfiledPublisher):
    """A publisher that writes nowhere."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation


def test_a_record_ends_the_tick_it_belongs_to(monkeypatch) -> None:
    from coopsim.simulation.publisher import Publisher

    monkeypatch.setattr(Publisher, "publish", lambda self, **_: self._simulation.state_hash())
    simulation = ProfiledSimulation(make_spec(1))
    publisher = Ringless(simulation)
    publisher.publish(mode="free", speed=1.0, paused=False)
    assert simulation.profile.ticks.count == 0
    simulation.tick()
    publisher.publish(mode="free", speed=1.0, paused=False)
    publisher.publish(mode="free", speed=1.0, paused=False)
    assert simulation.profile.ticks.count == 1
