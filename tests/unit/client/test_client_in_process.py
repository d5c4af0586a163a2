"""Both clients reach a server in their own process through a link, without sockets."""

import asyncio
from collections.abc import Callable

import pytest
from client_fakes import FakeServer

from coopsim.client import aio, connect
from coopsim.errors import NoReply


class DirectLink:
    """A link whose server answers each request while it is sent."""

    def __init__(self, respond: Callable[[bytes], bytes | None]) -> None:
        self._respond = respond
        self._replies: list[bytes] = []

    def send(self, raw: bytes, _timeout: float) -> bool:
        if (reply := self._respond(raw)) is not None:
            self._replies.append(reply)
        return True

    def receive(self, _timeout: float) -> bytes | None:
        return self._replies.pop(0) if self._replies else None

    def reset(self) -> None:
        self._replies.clear()

    def close(self) -> None:
        self._replies.clear()


class Local(FakeServer):
    """A server that gives links."""

    def open_link(self) -> DirectLink:
        return DirectLink(lambda raw: next(iter(self.respond(raw)), None))


def test_a_server_in_this_process_is_asked_and_stepped() -> None:
    server = Local()
    with connect(server) as sim:
        assert sim.endpoint == "this process"
        sim.robot("robot1").motors.set_velocity(0.3, 0.1)
        assert server.commands["robot1"] == [0.3, 0.1]
        with sim.stepper(["robot1", "robot2"]) as stepper:
            assert stepper.step([(0.2, 0.0), (0.4, 0.0)]).motors.v.tolist() == [0.2, 0.4]


def test_the_client_of_asyncio_reaches_it_too() -> None:
    server = Local()

    async def main() -> None:
        async with aio.connect(server) as sim, sim.stepper(["robot1"]) as stepper:
            assert (await stepper.step([(0.2, 0.0)])).motors.v.tolist() == [0.2]
            await sim.robot("robot2").motors.set_velocity(0.3)

    asyncio.run(main())
    assert server.commands == {"robot1": [0.2, 0.0], "robot2": [0.3, 0.0]}


def test_a_silent_server_in_this_process_is_not_waited_for() -> None:
    server = Local()
    with connect(server) as sim:
        server.silent = {"/sim/world"}
        with pytest.raises(NoReply, match=r"no reply from /sim/world at this process.*the server is alive"):
            sim.module("/sim/world").refresh()
