"""The asyncio client: many requests at a time, time-outs, cancellation."""

import asyncio

import msgpack
import pytest
from client_aio import using
from client_fakes import FakeServer, hasten, nobody, serving, serving_plainly

from coopsim.client import aio
from coopsim.errors import (
    MalformedMessage,
    MessageTooLarge,
    NoReply,
    OwnedByAnother,
)
from coopsim.message import Message, encode

GARBAGE = [b"\xc1", b"GET / HTTP/1.1\r\n", msgpack.packb({"a": 1}), b"\x00" * 100]


def test_replies_find_their_requests_in_any_order() -> None:
    server = FakeServer(tuple(f"robot{number}" for number in range(30)))
    kept: list[bytes] = []

    def manners(request: Message, reply: bytes) -> list[bytes]:
        if request.command != 10 or not request.target.endswith("odometry"):
            return [reply]
        kept.append(reply)
        if len(kept) < 30:
            return []
        return [b"", *GARBAGE, *reversed(kept), *kept]

    async def use(sim: aio.Client) -> None:
        modules = [sim.robot(name).odometry for name in server.robots]
        await asyncio.gather(*(module.interface for module in modules))
        server.manners = manners
        poses = await asyncio.gather(*(module.pose() for module in modules))
        assert [pose.x for pose in poses] == [server.row(name)[53] for name in server.robots]

    using(server, use)


@pytest.mark.parametrize("plainly", [False, True])
def test_a_cancelled_request_leaves_the_connection_as_it_was(plainly: bool) -> None:
    server, late = FakeServer(), []

    async def use(sim: aio.Client) -> None:
        pose = sim.robot("robot1").odometry.pose
        await pose()
        server.manners = lambda request, reply: late.append(reply) or []
        waiting = asyncio.create_task(pose())
        while not late:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pose(), 0.05)
        assert sim._pool.main.waiting == 0
        server.tick = 9
        server.manners = lambda request, reply: [*late, reply]
        assert (await pose()).tick == 9

    using(server, use, plainly=plainly)


def test_a_cancelled_first_user_of_a_module_spoils_it_for_nobody() -> None:
    server, kept = FakeServer(), []

    async def use(sim: aio.Client) -> None:
        server.manners = lambda request, reply: kept.append(reply) or []
        pose = sim.robot("robot1").odometry.pose
        first, second = asyncio.create_task(pose()), asyncio.create_task(pose())
        while not kept:
            await asyncio.sleep(0)
        first.cancel()
        server.manners = lambda request, reply: [*kept, reply]
        await sim.clock.ping()  # brings the description along
        assert (await second).tick == 0
        with pytest.raises(asyncio.CancelledError):
            await first

    using(server, use)


def test_each_request_has_its_own_time_out_and_says_why() -> None:
    server = FakeServer()
    server.status = ("lockstep", 1, "{}")

    async def use(sim: aio.Client) -> None:
        odometry = sim.robot("robot1").odometry
        await odometry.interface
        server.silent = {"/robot1/odometry"}
        results = await asyncio.gather(
            odometry.pose(timeout=0.05), odometry.pose(timeout=0.1), sim.clock.status(), return_exceptions=True
        )
        assert [type(result) for result in results[:2]] == [NoReply, NoReply]
        assert "no reply from /robot1/odometry" in str(results[0])
        assert "within 0.05 s; the simulation is paused" in str(results[0])
        assert "within 0.1 s; the simulation is paused" in str(results[1])
        assert results[2].mode == "lockstep"

    using(server, use)


def test_a_change_of_the_simulation_is_waited_for_while_the_server_lives(server: FakeServer) -> None:
    async def use(sim: aio.Client) -> None:
        await sim.world.interface
        hasten(sim, 0.2)
        server.think_until_the_clock_is_asked("/sim/world")
        assert (await sim.world.insert("[OBJECT_1]")).names == ("crate",)
        with pytest.raises(NoReply, match=r"within 0\.05 s"):
            await sim.world.insert("[OBJECT_1]", timeout=0.05)
        server.silent = {"/sim/world", "/sim/clock"}
        with pytest.raises(NoReply, match=r"within 0\.2 s.*nothing answers there"):
            await sim.world.insert("[OBJECT_1]")

    using(server, use)


@pytest.mark.parametrize("form", ["tcp://", "tcp+plain://"])
def test_where_nobody_listens_it_says_so(form: str) -> None:
    async def main() -> None:
        async with aio.connect(form + nobody(), timeout=0.1):
            pass

    with pytest.raises(NoReply, match="nothing answers there"):
        asyncio.run(main())


def test_a_server_that_hangs_up_is_noticed_by_all_who_wait_and_connected_to_again() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        pose = sim.robot("robot1").odometry.pose
        await pose()
        server.hangs_up = True
        results = await asyncio.gather(pose(), pose(), return_exceptions=True)
        assert all("closed the connection" in str(result) for result in results)
        server.hangs_up = False
        assert (await pose()).tick == 0

    using(server, use, plainly=True, timeout=2.0)


def test_what_is_no_server_of_ours_is_not_waited_for() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        server.manners = lambda request, reply: [b"HTTP/1.1 400 Bad Request\r\n\r\n"]
        with pytest.raises(MessageTooLarge, match="is it a coopsim server"):
            await sim.clock.ping()

    async def main(endpoint: str) -> None:
        async with aio.connect(endpoint, timeout=2.0) as sim:
            await use(sim)

    with serving_plainly(server, bare=True) as endpoint, pytest.raises(MessageTooLarge):
        asyncio.run(main(endpoint))


def test_a_request_that_the_server_could_not_read_is_no_silence() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        server.manners = lambda request, reply: [encode(Message("", error=101, text="cut short"))]
        with pytest.raises(MalformedMessage, match="cut short"):
            await sim.robot("robot1").motors.interface

    using(server, use)


def test_who_waits_while_the_client_is_closed_is_told_so() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        server.silent = {"/sim/clock"}
        waiting = asyncio.create_task(sim.clock.status())
        while len(server.requests) < 2:
            await asyncio.sleep(0)
        await sim.close()
        with pytest.raises(NoReply, match="closed here"):
            await waiting
        with pytest.raises(NoReply, match="async with connect"):
            await sim.clock.status()

    using(server, use)


def test_a_refusal_is_the_exception_of_its_number() -> None:
    server = FakeServer()
    server.refusals["/robot1/motors"] = OwnedByAnother("robot1 belongs to matlab")

    async def use(sim: aio.Client) -> None:
        with pytest.raises(OwnedByAnother, match="belongs to matlab") as caught:
            await sim.robot("robot1").motors.interface
        assert caught.value.__notes__ == [OwnedByAnother.cure]

    using(server, use)


def test_a_module_that_lives_elsewhere_is_asked_there() -> None:
    server, foreign = FakeServer(), FakeServer()

    async def use(sim: aio.Client) -> None:
        await sim.robot("robot1").motors.set_velocity(0.2)

    with serving(foreign) as address:
        server.elsewhere = {"/robot1/motors": (address, "")}
        using(server, use)
    assert foreign.commands == {"robot1": [0.2, 0.0]}
    assert server.commands == {}


def test_a_robots_own_endpoint_is_asked_and_joined() -> None:
    server, own = FakeServer(), FakeServer()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]):
            await sim.robot("robot1", own_endpoint=True).motors.set_velocity(0.2)

    with serving(own) as address:
        server.addresses = (address, "")
        using(server, use)
    assert own.commands == {"robot1": [0.2, 0.0]}
    assert len(own.asked("/sim/step", "claim_with")) == 1
