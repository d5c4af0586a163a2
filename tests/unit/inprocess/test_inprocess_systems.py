"""Leaves, data and parameters of a system as modules: clients read them, change them, and take their places."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from system_scenes import ALONE, FOLLOWING, LEADER, ROVER, simulation

from coopsim.client import Client, Stepper
from coopsim.errors import BadArgument, NoSuchName
from coopsim.inprocess import connect
from coopsim.simulation import Simulation


@pytest.fixture
def made(tmp_path: Path) -> Simulation:
    return simulation(tmp_path, ROVER + LEADER + FOLLOWING)


@pytest.fixture
def sim(made: Simulation) -> Iterator[Client]:
    with connect(made) as client:
        yield client


@pytest.fixture
def stepper(sim: Client) -> Iterator[Stepper]:
    with sim.stepper() as stepper:
        yield stepper


def ticks(stepper: Stepper, count: int) -> None:
    for _ in range(count):
        stepper.step()


def test_every_leaf_and_all_data_are_names(sim: Client) -> None:
    names = sim.names("/rover/")
    assert "/rover/MyFollowerController" in names
    assert sum(name.startswith("/rover/data/") for name in names) == 17
    assert "/rover/data/posXLeader" in names


def test_a_leaf_describes_itself_by_its_template(sim: Client) -> None:
    described = sim.module("/rover/MyFollowerController").interface
    gain = described.parameter("Kv")
    assert described.kind == "FollowerController"
    assert (gain.default, gain.low, gain.high) == (0.05, 0.0, 2.0)
    assert [field.name for field in described.command("outputs").gives] == ["LeftPower", "RightPower", "is_running"]


def test_parameters_are_got_and_set_within_their_range(sim: Client) -> None:
    controller = sim.module("/rover/MyFollowerController")
    controller.set_parameter("Kv", 0.2)
    assert controller.get_parameter("Kv") == 0.2
    with pytest.raises(BadArgument, match="Kv must lie within 0 and 2, got 3"):
        controller.set_parameter("Kv", 3.0)


def test_data_are_read_and_written_in_the_place_of_their_leaf(sim: Client, stepper: Stepper) -> None:
    data = sim.module("/rover/data/PowerLeft")
    data.write(12.0)
    ticks(stepper, 60)
    assert (data.read().value, data.read().is_written) == (12.0, 1.0)
    assert sim.module("/rover/data/normalizedPowerLeft").read().value == 12.0
    data.release()
    ticks(stepper, 60)
    assert data.read().value != 12.0


def test_data_that_come_from_a_device_stay_so(sim: Client, stepper: Stepper) -> None:
    data = sim.module("/rover/data/posXLeader")
    data.write(99.0)
    ticks(stepper, 5)
    assert data.read().value == pytest.approx(15.0, abs=0.5)


def test_a_client_takes_the_place_of_a_leaf_and_gives_it_back(sim: Client, stepper: Stepper) -> None:
    controller = sim.module("/rover/MyFollowerController")
    controller.replace(40.0, 20.0)
    ticks(stepper, 60)
    assert tuple(controller.outputs()) == (40.0, 20.0, 0.0)
    assert sim.module("/rover/data/normalizedPowerRight").read().value == 20.0
    controller.resume()
    ticks(stepper, 60)
    assert controller.outputs().is_running == 1.0


def test_a_wrong_name_of_data_is_told_with_the_nearest(sim: Client) -> None:
    with pytest.raises(NoSuchName, match="posXLeader"):
        sim.module("/rover/data/posXLeder").call(10)


def test_what_a_system_is_doing_is_told(tmp_path: Path) -> None:
    with connect(simulation(tmp_path, ROVER + ALONE)) as client:
        with client.stepper() as stepping:
            ticks(stepping, 50)
        state = client.module("/rover/system").state()
        assert (round(state.time, 6), state.off) == (0.5, 0.0)
