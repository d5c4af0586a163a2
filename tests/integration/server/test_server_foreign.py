"""Modules that live elsewhere, from their registration to a client that does not notice. C-20, C-51."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from server_fakes import make_type
from server_foreign import GRIPPER, Gripper
from server_running import Running
from server_wire import call

from coopsim.client import aio, connect, foreign_routes
from coopsim.errors import BadArgument, CoopsimError, LivesElsewhere, NoReply, NoSuchName, NotInThisMode
from coopsim.interfaces import MOTORS
from coopsim.message import Message

pytestmark = pytest.mark.integration
DEADLINE = 20.0


@pytest.fixture
def gripper() -> Iterator[Gripper]:
    with Gripper() as gripper:
        yield gripper


def endpoint(run: Running, transport: str = "zmq") -> str:
    return f"tcp://127.0.0.1:{run.ports['zmq']}" if transport == "zmq" else f"tcp+plain://127.0.0.1:{run.ports['tcp']}"


@pytest.mark.parametrize("transport", ["zmq", "tcp"])
def test_a_client_uses_a_foreign_module_like_any_other(serve: Callable, gripper: Gripper, transport: str) -> None:
    run = serve("real-time")
    driver = run.dealer()
    assert list(call(driver, gripper.registration()).data) == [5.0]
    with connect(endpoint(run, transport)) as sim:
        assert "/arm/gripper" in sim.names("/arm")
        module = sim.module("/arm/gripper")
        module.close(3.0)
        assert module.state().force == 3.0
        assert module.interface == GRIPPER
        assert sim.robot("arm").gripper.state().force == 3.0
        sim.robot("robot1").motors.set_velocity(0.1, 0.0)  # the others are where they were
    assert set(gripper.asked) == {"/arm/gripper"}


def test_a_client_that_owns_robots_follows_too_and_keeps_its_token_to_itself(serve: Callable, gripper: Gripper) -> None:
    run = serve("lockstep")
    assert call(run.dealer(), gripper.registration()).error == 0
    with connect(endpoint(run)) as sim, sim.stepper(["robot1"]) as stepper:
        stepper.step([(0.1, 0.0)])
        assert sim.module("/arm/gripper").state().force == 0.0
        stepper.step([(0.1, 0.0)])
    assert set(gripper.asked) == {"/arm/gripper"}


def test_a_plain_client_of_a_module_without_plain_tcp_uses_zeromq(serve: Callable, gripper: Gripper) -> None:
    run = serve("real-time")
    gripper.endpoints = (gripper.endpoints[0], "")
    assert call(run.dealer(), gripper.registration()).error == 0
    with connect(endpoint(run, "tcp")) as sim:
        assert sim.module("/arm/gripper").state().force == 0.0


def test_a_zeromq_client_of_a_module_without_zeromq_uses_plain_tcp(serve: Callable, gripper: Gripper) -> None:
    run = serve("real-time")
    gripper.endpoints = ("", gripper.endpoints[1])
    assert call(run.dealer(), gripper.registration()).error == 0
    with connect(endpoint(run)) as sim:
        assert sim.module("/arm/gripper").state().force == 0.0


def test_a_client_finds_a_module_that_moved(serve: Callable, gripper: Gripper) -> None:
    run = serve("real-time")
    driver = run.dealer()
    call(driver, gripper.registration())
    with connect(endpoint(run)) as sim:
        module = sim.module("/arm/gripper")
        module.close(3.0)
        gripper.name = "/arm/other"  # what answers at the old place knows the name no more
        with Gripper() as again:
            call(driver, again.registration(number=2))
            assert module.state().force == 0.0
            assert again.asked == ["/arm/gripper"]


def insert_robot(run: Running) -> None:
    """Let a simulated robot come under the name of the real one."""
    run.source.robots["arm"] = make_type("arm", ("gripper", MOTORS, {}))
    run.source.lay_out()
    run.source.publish()


@pytest.mark.parametrize("transport", ["zmq", "tcp"])
def test_a_client_that_drives_a_real_module_follows_its_name_to_a_simulated_one(
    serve: Callable, gripper: Gripper, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = serve("real-time")
    call(run.dealer(), gripper.registration())
    with connect(endpoint(run, transport)) as sim:
        module = sim.module("/arm/gripper")
        module.close(3.0)
        insert_robot(run)
        deadline, asked = time.monotonic() + DEADLINE, -1
        while asked != len(gripper.asked) and time.monotonic() < deadline:
            asked = len(gripper.asked)
            with suppress(CoopsimError):  # motors take other values
                module.close(3.0)
        assert asked == len(gripper.asked)
    assert "/arm/gripper is no longer served at" in caplog.text


def test_an_asyncio_client_follows_the_name_of_a_real_module_too(serve: Callable, gripper: Gripper) -> None:
    run = serve("real-time")
    call(run.dealer(), gripper.registration())

    async def drive() -> bool:
        async with aio.connect(endpoint(run)) as sim:
            module = sim.module("/arm/gripper")
            await module.close(3.0)
            insert_robot(run)
            deadline, asked = time.monotonic() + DEADLINE, -1
            while asked != len(gripper.asked) and time.monotonic() < deadline:
                asked = len(gripper.asked)
                with suppress(CoopsimError):
                    await module.close(3.0)
            return asked == len(gripper.asked)

    assert asyncio.run(drive())


def test_a_real_module_is_driven_on_where_its_lease_is_over_or_the_simulation_is_gone(
    serve: Callable, gripper: Gripper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_routes, "LOOK_EVERY", 0.0)
    run = serve("real-time")
    driver = run.dealer()
    call(driver, gripper.registration())
    with connect(endpoint(run)) as sim:
        module = sim.module("/arm/gripper")
        module.close(3.0)
        call(driver, Message("/sim/names", command=13, params=("/arm/gripper",), id=2))
        module.close(4.0)
        assert gripper.force == 4.0


def test_a_module_whose_process_died_is_a_time_out_and_then_no_name(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coopsim.server import registry

    monkeypatch.setattr(registry, "LEASE", 3600.0)
    run = serve("real-time")
    driver = run.dealer()
    with Gripper() as gripper, connect(endpoint(run)) as sim:
        call(driver, gripper.registration())
        module = sim.module("/arm/gripper")
        module.close(3.0)
        gripper.close()
        with pytest.raises(NoReply, match=r"this module has a driver of its own, .* the simulation itself answers"):
            module.state(timeout=0.3)
        monkeypatch.setattr(registry, "LEASE", 0.0)
        call(driver, Message("/sim/names", command=0, id=2))  # its last renewal; the lease is over
        with pytest.raises(NoSuchName):
            module.state()


def test_a_module_that_sends_clients_back_does_not_send_them_in_circles(serve: Callable) -> None:
    run = serve("real-time")
    loop = Gripper("/arm/gripper")
    loop.endpoints = (endpoint(run), "")  # registered at the simulation itself
    with loop, connect(endpoint(run)) as sim:
        assert call(run.dealer(), loop.registration()).error == 0
        with pytest.raises(LivesElsewhere):
            sim.module("/arm/gripper").refresh()


def test_refusals_of_a_foreign_module_reach_the_caller(serve: Callable, gripper: Gripper) -> None:
    run = serve("real-time")
    call(run.dealer(), gripper.registration())
    with connect(endpoint(run)) as sim:
        gripper.respond = _refused
        with pytest.raises(NotInThisMode, match="not while it holds something"):
            sim.module("/arm/gripper").refresh()


def _refused(raw: bytes) -> bytes:
    from coopsim.message import decode, encode

    return encode(decode(raw).refusal(NotInThisMode("not while it holds something")))


def test_a_bad_endpoint_is_refused_with_the_cure(serve: Callable, gripper: Gripper) -> None:
    run = serve("real-time")
    gripper.endpoints = ("http://127.0.0.1", "")
    reply = call(run.dealer(), gripper.registration())
    assert reply.error == BadArgument.code
    assert "tcp://HOST:PORT" in reply.text
