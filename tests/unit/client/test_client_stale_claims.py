"""The server keeps the robots of a connection that broke until it notices: the client's own ghost holds them."""

import pytest
from client_aio import using
from client_fakes import FakeServer, serving

from coopsim.client import aio, connect
from coopsim.errors import BadArgument, OwnedByAnother
from coopsim.interfaces import Command
from coopsim.message import Message

pytestmark = pytest.mark.usefixtures("each_way")


class Haunted(FakeServer):
    """Says so many times that another has the robots; the token of the first claim is worth nothing by then.

    Attributes:
        refused: How many commands and claims are still refused.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refused = 0

    def step_claim(self, request: Message) -> Message:
        self._refuse()
        return super().step_claim(request)

    def step_claim_with(self, request: Message) -> Message:
        raise BadArgument("no owner has this token")

    def step_step(self, request: Message) -> Message:
        self._refuse()
        return super().step_step(request)

    def own(self, request: Message, command: Command) -> Message:
        if request.target == "/robot1/motors":
            self._refuse()
        return super().own(request, command)

    def _refuse(self) -> None:
        if self.refused:
            self.refused -= 1
            raise OwnedByAnother("robot1 is controlled by client 3")


@pytest.fixture
def server() -> Haunted:
    return Haunted()


@pytest.mark.parametrize("refused", [1, 4])
def test_a_stepper_wins_its_robots_back_from_its_own_ghost(server: Haunted, refused: int) -> None:
    with serving(server) as endpoint, connect(endpoint) as sim, sim.stepper(["robot1"]) as stepper:
        stepper.step([(0.1, 0.0)])
        server.refused = refused
        assert stepper.step([(0.2, 0.0)]).tick == 2
    assert server.commands["robot1"] == [0.2, 0.0]
    assert len(server.asked("/sim/step", "claim")) == 1 + refused


@pytest.mark.parametrize("refused", [1, 4])
def test_the_stepper_of_asyncio_does_the_same(server: Haunted, refused: int) -> None:
    async def use(sim: aio.Client) -> int:
        async with sim.stepper(["robot1"]) as stepper:
            await stepper.step([(0.1, 0.0)])
            server.refused = refused
            return (await stepper.step([(0.2, 0.0)])).tick

    assert using(server, use) == 2
    assert server.commands["robot1"] == [0.2, 0.0]
    assert len(server.asked("/sim/step", "claim")) == 1 + refused


@pytest.mark.parametrize("refused", [1, 4])
def test_a_command_of_a_module_wins_a_claimed_robot_back(server: Haunted, refused: int) -> None:
    with serving(server) as endpoint, connect(endpoint) as sim, sim.stepper(["robot1"]):
        server.refused = refused
        sim.robot("robot1").motors.set_velocity(0.2, 0.0)
        assert server.commands["robot1"] == [0.2, 0.0]


def test_a_command_for_a_robot_that_was_never_claimed_is_refused_at_once(server: Haunted) -> None:
    with serving(server) as endpoint, connect(endpoint) as sim, sim.stepper(["robot2"]):
        server.refused = 1
        with pytest.raises(OwnedByAnother, match="controlled by client 3"):
            sim.robot("robot1").motors.set_velocity(0.2, 0.0)
        assert len(server.asked("/sim/step", "claim")) == 1


def test_a_command_of_a_module_wins_a_claimed_robot_back_with_asyncio_too(server: Haunted) -> None:
    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]):
            server.refused = 4
            await sim.robot("robot1").motors.set_velocity(0.2, 0.0)

    using(server, use)
    assert server.commands["robot1"] == [0.2, 0.0]


def test_who_really_lost_its_robots_is_told(server: Haunted) -> None:
    with serving(server) as endpoint, connect(endpoint) as sim, sim.stepper(["robot1"]) as stepper:
        stepper.step([(0.1, 0.0)])
        server.refused = 1_000_000
        with pytest.raises(OwnedByAnother, match="controlled by client 3"):
            stepper.step([(0.2, 0.0)], timeout=0.1)
    assert server.commands["robot1"] == [0.1, 0.0]


def test_who_really_lost_its_robots_is_told_with_asyncio_too(server: Haunted) -> None:
    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]) as stepper:
            server.refused = 1_000_000
            with pytest.raises(OwnedByAnother, match="controlled by client 3"):
                await stepper.step([(0.2, 0.0)], timeout=0.1)

    using(server, use)
    assert "robot1" not in server.commands
