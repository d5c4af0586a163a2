"""A running server against a model of it: three clients do whatever comes to intelligence. C-30."""

import json
import sys
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from fault_runs import (
    CLAIM,
    CLAIM_WITH,
    LAYOUT,
    RELEASE,
    SET_MODE,
    SET_VELOCITY,
    SKIP,
    STEP,
    ask,
    scene,
    status,
    wait_until,
)
from faults_model import LOCKSTEP, REAL_TIME, Model, Waiting
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from coopsim.message import Message
from coopsim.testkit import MALFORMED, RawClient, Run

pytestmark = pytest.mark.integration
ROBOTS = ("robot1", "robot2", "robot3")
CLIENTS = st.integers(0, 2)
SUBSETS = st.frozensets(st.sampled_from(ROBOTS), min_size=1)
STAMPS = st.sampled_from([0, 0, 0, 1, 1, -3, 2, 40])  # relative to the tick; 0 = the next step, whichever it is
PAUSE, CONTINUE, CLOCK_STEP = 14, 15, 16
INSERT, REMOVE, WORLD_RESET = 11, 13, 14
EXTRA = "[ROBOT_1]\ntype bench\nname extra\nposition 0 -3 0\n"


class Clients(RuleBasedStateMachine):
    """Three clients, two on ZeroMQ and one on plain TCP."""

    run: ClassVar[Run]

    def __init__(self) -> None:
        super().__init__()
        self.clients = [RawClient(end) for end in (self.run.endpoint, self.run.endpoint, self.run.plain)]
        self.observer = RawClient(self.run.plain)
        self.inbox: list[dict[int, Message]] = [{}, {}, {}]

    @initialize(mode=st.sampled_from([LOCKSTEP, REAL_TIME]))
    def begin(self, mode: str) -> None:
        self.order("/sim/clock", SET_MODE, mode)
        self.order("/sim/clock", CONTINUE)
        self.order("/sim/world", WORLD_RESET)  # an example that failed may have left something
        self.model = Model(3, set(ROBOTS), mode, int(status(self.observer)["tick"]))
        self.read_layout()

    # what clients do

    @rule(client=CLIENTS, robots=SUBSETS)
    def claim(self, client: int, robots: frozenset[str]) -> None:
        refused = self.model.is_foreign(client, robots, any_owner=self.model.mode == LOCKSTEP)
        reply = self.ask(client, ask("/sim/step", CLAIM, *sorted(robots)))
        assert reply.error == (204 if refused else 0), reply
        if not refused:
            self.model.assign(client, robots)
            self.model.claimed |= robots
            self.model.parties[client].token = str(reply.params[0])
        self.settle()

    @rule(client=CLIENTS, robots=SUBSETS)
    def release(self, client: int, robots: frozenset[str]) -> None:
        refused = self.model.is_foreign(client, robots, any_owner=True)
        reply = self.ask(client, ask("/sim/step", RELEASE, *sorted(robots)))
        assert reply.error == (204 if refused else 0), reply
        if not refused:
            self.model.release(client, robots)
        self.settle()

    @rule(client=CLIENTS, other=CLIENTS, is_right=st.booleans())
    def claim_with(self, client: int, other: int, is_right: bool) -> None:
        token = self.model.parties[other].token if is_right else "0123456789abcdef"
        reply = self.ask(client, ask("/sim/step", CLAIM_WITH, token))
        assert reply.error == self.model.join(client, token), reply
        self.settle()

    @rule(client=CLIENTS, robot=st.sampled_from(ROBOTS), stamp=STAMPS)
    def set(self, client: int, robot: str, stamp: int) -> None:
        robots = frozenset([robot])
        tick = self.stamped(stamp)
        expected = self.model.command_error(client, robots, tick)
        reply = self.ask(client, ask(f"/{robot}/motors", SET_VELOCITY, data=(0.1, 0.2), tick=tick))
        assert reply.error == expected, reply
        if not expected:
            self.model.command(client, robots)
        self.settle()

    @rule(client=CLIENTS, robots=SUBSETS, stamp=STAMPS)
    def skip(self, client: int, robots: frozenset[str], stamp: int) -> None:
        tick = self.stamped(stamp)
        expected = self.model.command_error(client, robots, tick)
        reply = self.ask(client, ask("/sim/step", SKIP, *sorted(robots), tick=tick))
        assert reply.error == expected, reply
        if not expected:
            self.model.command(client, robots)
        self.settle()

    @rule(client=CLIENTS, robots=SUBSETS, stamp=STAMPS)
    def step(self, client: int, robots: frozenset[str], stamp: int) -> None:
        tick = self.stamped(stamp)
        expected = self.model.command_error(client, robots, tick)
        request = ask("/sim/step", STEP, self.generation, *sorted(robots), data=(0.1, 0.0) * len(robots), tick=tick)
        if expected:
            assert self.ask(client, request).error == expected
        else:
            self.wait_for(client, request, robots)
            self.model.command(client, robots)
        self.settle()

    @rule(client=CLIENTS, data=st.sampled_from([(), (0.1,), (0.1, 0.2, 0.3)]))
    def step_all_that_is_owned_with_wrong_data_or_none_owned(self, client: int, data: tuple[float, ...]) -> None:
        if len(data) != 2 * len(self.model.parties[client].robots):
            assert self.ask(client, ask("/sim/step", STEP, self.generation, data=data)).error == 203

    @rule(client=CLIENTS)
    def step_with_a_stale_layout(self, client: int) -> None:
        reply = self.ask(client, ask("/sim/step", STEP, self.generation + 1, "robot1", data=(0.0, 0.0)))
        assert reply.error == 206

    @rule(client=CLIENTS, robot=st.sampled_from(ROBOTS))
    def read(self, client: int, robot: str) -> None:
        request = ask(f"/{robot}/sonars", 10)
        if self.model.must_wait_to_read(client):
            self.wait_for(client, request, frozenset(), is_step=False)
        else:
            reply = self.ask(client, request)
            assert (reply.error, len(reply.data)) == (0, 11)
            self.saw(reply)
        self.settle()

    @rule(client=CLIENTS, name=st.sampled_from(sorted(MALFORMED)))
    def say_nonsense(self, client: int, name: str) -> None:
        end = self.clients[client]
        end.send(MALFORMED[name])
        # its reply carries the number of whatever request could be read: it is told apart by its error
        reply = end.receive()
        while reply is not None and reply.id not in {0, 3}:
            self.keep(client, reply)
            reply = end.receive()
        assert reply is not None, name
        assert reply.error, name

    @precondition(lambda self: self.model.mode == LOCKSTEP)
    @rule(client=CLIENTS)
    def vanish(self, client: int) -> None:
        """A connection breaks: its robots are free at once; another client comes in its place."""
        lost = frozenset(self.model.parties[client].robots)
        is_alone = len(self.model.parties[client].members) == 1
        self.clients[client].close()
        self.inbox[client].clear()
        self.model.lose(client)
        self.clients[client] = RawClient(self.run.plain if client == 2 else self.run.endpoint)
        if is_alone and lost:
            wait_until(lambda: self.observer.ask(ask("/sim/step", CLAIM, *sorted(lost))).error == 0)
            assert self.observer.ask(ask("/sim/step", RELEASE, *sorted(lost))).error == 0
        self.settle()

    # what operators do

    @rule(mode=st.sampled_from([LOCKSTEP, REAL_TIME]))
    def set_mode(self, mode: str) -> None:
        self.order("/sim/clock", SET_MODE, mode)
        if self.model.mode == REAL_TIME:
            self.model.tick = max(self.model.tick, int(status(self.observer)["tick"]))
        self.model.set_mode(mode)
        self.settle()

    @rule()
    def pause(self) -> None:
        self.order("/sim/clock", PAUSE)
        self.model.paused = True
        self.model.tick = max(self.model.tick, int(status(self.observer)["tick"]))

    @rule()
    def go_on(self) -> None:
        self.order("/sim/clock", CONTINUE)
        self.model.paused = False
        self.settle()

    @rule(count=st.integers(1, 3))
    def clock_step(self, count: int) -> None:
        reply = self.observer.ask(ask("/sim/clock", CLOCK_STEP, count))
        assert reply.error == (0 if self.model.paused else 303)
        before = self.model.tick
        if self.model.paused:
            self.model.ticked(count)
        self.settle(before)  # what waited is answered after the first of the steps

    @rule()
    def insert_or_remove(self) -> None:
        if "extra" in self.model.robots:
            self.order("/sim/world", REMOVE, "extra")
            self.model.remove("extra")
        else:
            self.order("/sim/world", INSERT, EXTRA)
            self.model.robots.add("extra")
        self.read_layout()
        self.settle()

    @rule(client=CLIENTS)
    def drive_the_extra_robot(self, client: int) -> None:
        robots = frozenset(["extra"])
        request = ask("/sim/step", STEP, self.generation, "extra", data=(0.0, 0.0))
        if "extra" not in self.model.robots:
            assert self.ask(client, request).error == 201
            return
        expected = self.model.command_error(client, robots, 0)
        if expected:
            assert self.ask(client, request).error == expected
        else:
            self.wait_for(client, request, robots)
            self.model.command(client, robots)
        self.settle()

    @rule()
    def reset_the_world(self) -> None:
        self.order("/sim/world", WORLD_RESET)
        self.model.remove("extra")  # what was inserted goes
        self.read_layout()
        self.settle()

    @precondition(lambda self: not self.model.paused)
    @rule(client=CLIENTS, robots=SUBSETS)
    def step_while_an_operator_says_lockstep(self, client: int, robots: frozenset[str]) -> None:
        """Both at the same time: the permission for the tick must not get lost."""
        if self.model.command_error(client, robots, 0) or self.model.mode != LOCKSTEP:
            return
        number = self.observer.post(ask("/sim/clock", SET_MODE, LOCKSTEP))
        request = ask("/sim/step", STEP, self.generation, *sorted(robots), data=(0.1, 0.0) * len(robots))
        self.wait_for(client, request, robots)
        self.model.command(client, robots)
        reply = self.observer.receive()
        assert reply is not None
        assert (reply.id, reply.error) == (number, 0)
        self.settle()

    # what must hold

    @invariant()
    def the_server_says_what_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        said = status(self.observer)
        assert (said["mode"], bool(said["paused"])) == (self.model.mode, self.model.paused)
        if self.model.mode == LOCKSTEP or self.model.paused:
            assert said["tick"] == self.model.tick
        else:
            assert said["tick"] >= self.model.tick, "the tick decreased"
            self.model.tick = int(said["tick"])
        if self.model.mode == LOCKSTEP and not self.model.paused:
            awaited = self.model.owned - self.model.ready
            wait_until(lambda: set(status(self.observer)["awaited"]) - {""} == awaited)

    def teardown(self) -> None:
        try:
            # hypothesis breaks off by a BaseException; whatever a test raises is an Exception
            if hasattr(self, "model") and not isinstance(sys.exc_info()[1], Exception):
                self.end()
        finally:
            for client in (*self.clients, self.observer):
                client.close()

    def end(self) -> None:
        """Give everything back; everything that waited is answered once, and nothing else comes."""
        self.order("/sim/clock", CONTINUE)
        self.model.paused = False
        self.settle()
        for client in range(3):
            robots = frozenset(self.model.parties[client].robots)
            if robots:
                self.give_back(client, robots)
        self.order("/sim/clock", SET_MODE, REAL_TIME)
        self.model.set_mode(REAL_TIME)
        if "extra" in self.model.robots:
            self.order("/sim/world", REMOVE, "extra")
            self.model.remove("extra")
        self.settle()
        assert self.model.waiting == []
        for request in self.model.loose:
            assert self.reply(request.client, request.number).error == 0
        for client, end in enumerate(self.clients):
            number = end.post(ask("/sim/info", 10))
            reply = end.receive()
            assert reply is not None
            assert reply.id == number, f"a second reply to request {reply.id}"
            assert self.inbox[client] == {}

    def give_back(self, client: int, robots: frozenset[str]) -> None:
        assert self.ask(client, ask("/sim/step", RELEASE, *sorted(robots))).error == 0
        self.model.release(client, robots)
        self.settle()

    # how it is asked

    def stamped(self, stamp: int) -> int:
        return max(0, self.model.tick + stamp) if stamp else 0

    def order(self, target: str, command: int, *params: Any) -> None:
        reply = self.observer.ask(ask(target, command, *params))
        assert reply.error == 0, reply

    def read_layout(self) -> None:
        reply = self.observer.ask(ask("/sim/step", LAYOUT))
        said = json.loads(str(reply.params[0]))
        assert {name for name, _ in said["robots"]} == self.model.robots, "an answered edit is in force"
        self.generation = int(said["generation"])

    def ask(self, client: int, request: Message) -> Message:
        return self.reply(client, self.clients[client].post(request))

    def wait_for(self, client: int, request: Message, robots: frozenset[str], *, is_step: bool = True) -> None:
        number = self.clients[client].post(request)
        self.model.waiting.append(Waiting(client, number, robots, is_step))
        assert self.ask(client, ask("/sim/info", 10)).error == 0  # it was read before whatever others do next

    def reply(self, client: int, number: int) -> Message:
        """Return the reply of this number; others are kept."""
        inbox, end = self.inbox[client], self.clients[client]
        while number not in inbox:
            reply = end.receive()
            assert reply is not None, f"no reply to request {number} of client {client}"
            self.keep(client, reply)
        return inbox.pop(number)

    def keep(self, client: int, reply: Message) -> None:
        assert reply.id not in self.inbox[client], "two replies to one request"
        self.inbox[client][reply.id] = reply

    def saw(self, reply: Message) -> None:
        assert reply.tick >= self.model.tick, "the tick decreased"
        if self.model.mode == LOCKSTEP or self.model.paused:
            assert reply.tick == self.model.tick

    def settle(self, before: int | None = None) -> None:
        """Let the server do the ticks that are due since tick `before`, and take the answers."""
        model = self.model
        before = model.tick if before is None else before
        if model.is_complete:
            model.ticked()
        elif model.mode == REAL_TIME and not model.paused:
            model.ticked(0)
        for done in model.answered:
            reply = self.reply(done.waiting.client, done.waiting.number)
            assert reply.error in done.errors, reply
            assert reply.tick >= before, "the tick decreased"
            if model.mode == LOCKSTEP:
                assert reply.tick <= model.tick
        model.answered.clear()
        if model.mode == LOCKSTEP and model.tick > before:
            wait_until(lambda: status(self.observer)["tick"] == model.tick)


@pytest.fixture(scope="module")
def server() -> Iterator[Run]:
    with Run(scene(3, patience=0), "--no-controllers") as run:
        yield run
        assert run.is_alive, run.printed


@pytest.mark.timeout(300)
def test_three_clients_see_what_the_protocol_says_whatever_they_do(server: Run) -> None:
    class OnServer(Clients):
        run = server

    run_state_machine_as_test(
        OnServer,
        settings=settings(
            max_examples=100,
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),
        ),
    )
