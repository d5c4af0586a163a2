"""A client speaks to one run alone, over either carrier; it goes on with another one when it is told to."""

import asyncio
from typing import Any

import pytest
from client_aio import using
from client_fakes import FakeServer, serving, serving_plainly

from coopsim.client import aio, connect
from coopsim.errors import WrongRun


@pytest.fixture
def server() -> FakeServer:
    server = FakeServer()
    server.run = 41
    return server


@pytest.mark.parametrize("carry", [serving, serving_plainly])
def test_a_restarted_simulation_is_an_error_until_the_client_reconnects(server: FakeServer, carry: Any) -> None:
    with carry(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        motors = sim.robot("robot1").motors
        motors.set_velocity(0.1, 0.0)
        assert (sim.run_number, {request.run for request in server.requests[1:]}) == (41, {41})
        server.run = 42  # it was stopped, and another one started on the same port
        for _ in range(2):
            with pytest.raises(WrongRun) as caught:
                motors.set_velocity(0.5, 0.0)
        assert server.commands["robot1"] == [0.1, 0.0]
        assert any("reconnect" in note for note in caught.value.__notes__)
        sim.reconnect()
        sim.robot("robot1").motors.set_velocity(0.2, 0.0)
        assert (sim.run_number, server.commands["robot1"]) == (42, [0.2, 0.0])


@pytest.mark.parametrize("timeout", [5.0, float("inf")])
def test_a_stepper_does_not_drive_another_run(server: FakeServer, timeout: float) -> None:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        with sim.stepper(["robot1"], timeout=timeout) as stepper:
            stepper.step([(0.1, 0.0)])
            server.run = 42
            with pytest.raises(WrongRun):
                stepper.step([(0.5, 0.0)])
        assert server.commands["robot1"] == [0.1, 0.0]
        sim.reconnect()
        with sim.stepper(["robot1"]) as stepper:
            stepper.step([(0.2, 0.0)])
        assert server.commands["robot1"] == [0.2, 0.0]


@pytest.mark.parametrize("plainly", [False, True])
def test_the_client_of_asyncio_does_the_same(server: FakeServer, plainly: bool) -> None:
    async def use(sim: aio.Client) -> None:
        motors = sim.robot("robot1").motors
        await motors.set_velocity(0.1, 0.0)
        server.run = 42
        with pytest.raises(WrongRun):
            await motors.set_velocity(0.5, 0.0)
        async with asyncio.timeout(10.0):
            await sim.reconnect()
        await motors.set_velocity(0.2, 0.0)

    using(server, use, plainly=plainly)
    assert server.commands["robot1"] == [0.2, 0.0]
    assert {request.run for request in server.requests} == {0, 41, 42}


def test_a_server_without_such_a_number_is_served_as_ever() -> None:
    server = FakeServer()
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        assert sim.run_number == 0
        assert sim.clock.ping().run == 0
        assert {request.run for request in server.requests} == {0}
