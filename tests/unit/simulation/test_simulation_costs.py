"""What devices cost while a run goes on."""

from simulation_scenes import make_spec

from coopsim.inprocess import connect
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.costs import EVERY, SampledCosts


def measured_costs(simulation: Simulation, ticks: int) -> list[dict]:
    costs = SampledCosts(simulation)
    return [tick for _ in range(ticks) if (tick := costs.tick()) is not None]


def test_one_tick_of_many_is_measured_and_told_by_kind_of_device() -> None:
    simulation = Simulation(make_spec())
    before = simulation.calls
    (costs,) = measured_costs(simulation, EVERY + 1)
    named = [(device["phase"], device["kind"]) for device in costs["devices"]]
    sensors = ("bumpers", "differential_drive", "odometry", "sonars", "target")
    assert named == [("actuators", "differential_drive"), *(("sensors", kind) for kind in sensors)]
    assert 0.0 < sum(device["mean"] for device in costs["devices"]) <= costs["tick"]
    assert simulation.calls is before


def test_measured_ticks_change_no_state() -> None:
    spec = make_spec(3, events=(Event(0.2, (("robot1.sonars.noise", "0.1"),)), Event((EVERY - 1) / 100, reset=True)))
    measured, plain = Simulation(spec), Simulation(spec)
    measured_costs(measured, 2 * EVERY)
    for _ in range(2 * EVERY):
        plain.tick()
    assert measured.state_hash() == plain.state_hash()


def test_devices_that_come_during_a_measured_tick_stay() -> None:
    simulation = Simulation(make_spec(2, events=(Event((EVERY - 1) / 100, reset=True),)))
    measured_costs(simulation, EVERY)
    (costs,) = measured_costs(simulation, EVERY)
    assert costs["devices"]


def test_a_run_tells_what_its_devices_cost() -> None:
    with connect(Simulation(make_spec())) as sim, sim.stepper() as stepper:
        assert "costs" not in sim.info()
        for _ in range(EVERY):
            stepper.step({})
        assert {device["kind"] for device in sim.info()["costs"]["devices"]} >= {"sonars", "odometry"}
