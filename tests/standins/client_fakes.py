"""A small server that answers by the interfaces, in a thread, with the bad manners a network may have."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import zmq

from coopsim.client import Client
from coopsim.client.aio import Client as AsyncClient
from coopsim.errors import (
    BadArgument,
    CoopsimError,
    Late,
    LivesElsewhere,
    NoSuchName,
    OwnedByAnother,
    StaleLayout,
    WrongRun,
)
from coopsim.interfaces import (
    CLOCK,
    INFO,
    MOTORS,
    NAMES,
    ODOMETRY,
    RENDERER,
    SONARS,
    STEP,
    TARGET,
    WORLD,
    Command,
    Interface,
)
from coopsim.message import Message, decode, encode

COUNTS = {"count": 11, "targets": 6}
MODULES = {"motors": MOTORS, "sonars": SONARS, "target": TARGET, "odometry": ODOMETRY}
SIM = {"clock": CLOCK, "info": INFO, "names": NAMES, "renderer": RENDERER, "step": STEP, "world": WORLD}
WIDTH = 4 + 11 + (6 + 24 + 8) + (3 + 2)


class FakeServer:
    """Robots that stand where they are: their readings are told by `reading`, their commands are kept.

    Attributes:
        requests: Everything that came, in order.
        commands: Last command of each robot.
        manners: Called with each request and its reply; returns the bytes to send, in order.
        run: Number of the run; 0 = the server has no such number.
    """

    def __init__(self, robots: tuple[str, ...] = ("robot1", "robot2")) -> None:
        self.robots = dict.fromkeys(robots, "single")
        self.generation = 1
        self.run = 0
        self.tick = 0
        self.facts: dict[str, object] = {}
        self.status: tuple[str, int, str] = ("lockstep", 0, "{}")
        self.limit = ("stop", 0.0)
        self.requests: list[Message] = []
        self.commands: dict[str, list[float]] = {}
        self.parameters: dict[tuple[str, str], int | float | str] = {}
        self.owned_by_another: set[str] = set()
        self.elsewhere: dict[str, tuple[str, ...]] = {}
        self.silent: set[str] = set()
        self.addresses: tuple[str, ...] = ("", "")
        self.hangs_up = False
        self.refusals: dict[str, CoopsimError] = {}
        self.manners: Callable[[Message, bytes], list[bytes]] = lambda request, reply: [reply]

    # what it answers

    def respond(self, raw: bytes) -> list[bytes]:
        request = decode(raw)
        self.requests.append(request)
        if request.target in self.silent:
            return []
        try:
            if request.run not in {0, self.run}:
                raise WrongRun("another run")
            if request.target in self.refusals:
                raise self.refusals[request.target]
            reply = self.answer(request)
        except CoopsimError as problem:
            problem.bring(*self.elsewhere.get(request.target, problem.params))
            reply = request.refusal(problem, tick=self.tick)
        return self.manners(request, encode(reply))

    def answer(self, request: Message) -> Message:
        if request.target in self.elsewhere:
            raise LivesElsewhere("it lives elsewhere")
        interface = self.interface(request.target)
        if request.command == 0:
            run = (self.run,) if self.run else ()
            return request.reply((interface.kind, *run), (self.tick, 0.01 * self.tick), tick=self.tick)
        if request.command == 1:
            return request.reply((interface.to_json(COUNTS),), tick=self.tick)
        if request.command in {2, 3}:
            return self.parameter(request, interface)
        return self.own(request, interface.command(request.command))

    def interface(self, target: str) -> Interface:
        robot, _, module = target.strip("/").rpartition("/")
        interface_ = SIM.get(module) if robot == "sim" else MODULES.get(module) if robot in self.robots else None
        if interface_ is None:
            raise NoSuchName(f"there is no {target}")
        return interface_

    def parameter(self, request: Message, interface: Interface) -> Message:
        name = str(request.params[0])
        parameter = interface.parameter(name)
        if request.command == 3:
            self.parameters[request.target, name] = parameter.check(request.params[1])
        return request.reply((self.parameters.get((request.target, name), parameter.default),), tick=self.tick)

    def own(self, request: Message, command: Command) -> Message:
        robot, _, module = request.target.strip("/").rpartition("/")
        if robot == "sim":
            return getattr(self, f"{module}_{command.name}")(request)
        if module == "motors" and command.gives == ():
            self.commands[robot] = [float(value) for value in request.data]
            return request.reply(tick=self.tick)
        row = self.row(robot)
        spans = {"motors": (0, 4), "ranges": (4, 15), "targets": (15, 45), "names": (45, 53), "pose": (53, 56)}
        start, end = spans.get(command.name, spans.get(module, (56, 58)))
        params = ("red", "blue", *[""] * 8) if command.name == "names" else ()
        return request.reply(params, row[start:end], tick=self.tick)

    def row(self, robot: str) -> np.ndarray:
        """Return readings that tell robot, tick and column apart: 1000 robot + tick + column / 100, commands first."""
        row = 1000.0 * list(self.robots).index(robot) + self.tick + np.arange(WIDTH) / 100.0
        row[:2] = [*self.commands.get(robot, []), 0.0, 0.0][:2]
        return row

    def names_list(self, request: Message) -> Message:
        names = [f"/{robot}/{module}" for robot in self.robots for module in MODULES]
        names += [f"/sim/{module}" for module in SIM]
        return request.reply(tuple(sorted(name for name in names if name.startswith(str(request.params[0])))))

    def names_lookup(self, request: Message) -> Message:
        self.interface(str(request.params[0]))
        return request.reply(self.addresses)

    def info_info(self, request: Message) -> Message:
        return request.reply((json.dumps({"version": "0", "robots": len(self.robots), **self.facts}),))

    def clock_status(self, request: Message) -> Message:
        return request.reply(
            (*self.status, self.limit[0]),
            (self.tick, self.tick * 0.01, 0.01, 1, 1, 0, 0, 0, 0, 1, self.limit[1]),
            tick=self.tick,
        )

    def world_get(self, request: Message) -> Message:
        name = str(request.params[0])
        return request.reply((name, "robot", "single"), (0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0.3, 20, 1, 0, 0))

    def world_insert(self, request: Message) -> Message:
        return request.reply(("crate",), tick=self.tick)

    def renderer_set(self, request: Message) -> Message:
        return request.reply(request.params, tick=self.tick)

    def clock_pause(self, request: Message) -> Message:
        self.status = (self.status[0], 1, "{}")
        return request.reply(tick=self.tick)

    def clock_continue(self, request: Message) -> Message:
        self.status = (self.status[0], 0, "{}")
        return request.reply(tick=self.tick)

    def think_until_the_clock_is_asked(self, target: str) -> None:
        """Answer requests to a module only once somebody who is tired of waiting has asked the clock."""
        held: list[bytes] = []

        def manners(request: Message, reply: bytes) -> list[bytes]:
            if request.target == target:
                held.append(reply)
                return []
            return [reply, *held]

        self.manners = manners

    # stepping

    def step_layout(self, request: Message) -> Message:
        first, count = (int(param) for param in request.params)
        gives, at = [], 0
        for module, interface in MODULES.items():
            for field in interface.readings:
                length = COUNTS[field.count] if isinstance(field.count, str) else field.count
                gives.append([module, field.name, field.unit, at, length])
                at += length
        takes = [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]]
        single = {"takes": takes, "gives": gives, "takes_length": 2, "gives_length": at}
        types = {"single": single, "sensor": {**single, "takes": [], "takes_length": 0}}
        page = list(self.robots.items())[first : first + count]
        return request.reply((json.dumps({"generation": self.generation, "types": types, "robots": page}),))

    def step_claim(self, request: Message) -> Message:
        taken = self.owned_by_another & set(request.params)
        if taken:
            raise OwnedByAnother(f"{', '.join(map(str, taken))} belongs to somebody else")
        return request.reply(("token",))

    def step_claim_with(self, request: Message) -> Message:
        return request.reply(tuple(self.robots))

    def step_release(self, request: Message) -> Message:
        return request.reply()

    def step_step(self, request: Message) -> Message:
        generation, *robots = request.params
        if generation != self.generation:
            raise StaleLayout(f"the layout is of generation {self.generation}, not {generation}")
        if request.tick and request.tick <= self.tick:
            raise Late(f"step {request.tick} is over")
        if request.tick > self.tick + 1:
            raise BadArgument(f"step {request.tick} is beyond the next")
        self.tick += 1
        for place, robot in enumerate(robots):
            self.commands[str(robot)] = np.asarray(request.data)[2 * place : 2 * place + 2].tolist()
        rows = [self.row(str(robot)) for robot in robots]
        return request.reply((self.generation,), np.concatenate(rows), tick=self.tick)

    def asked(self, target: str, command: str) -> list[Message]:
        """Return the requests of one command."""
        number = self.interface(target).command(command).number
        return [request for request in self.requests if request.target == target and request.command == number]


@contextmanager
def serving(server: FakeServer, endpoint: str = "") -> Iterator[str]:
    """Serve over ZeroMQ, on a free port unless at `endpoint`; gives the endpoint."""
    context = zmq.Context()
    router, ending = context.socket(zmq.ROUTER), threading.Event()
    router.setsockopt(zmq.LINGER, 0)
    router.bind(endpoint or "tcp://127.0.0.1:*")
    bound = router.getsockopt_string(zmq.LAST_ENDPOINT)

    def serve() -> None:
        while not ending.is_set():
            if router.poll(10):
                *route, raw = router.recv_multipart()
                for reply in server.respond(raw):
                    router.send_multipart([*route, reply])

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield bound
    finally:
        ending.set()
        thread.join(5.0)
        router.close()
        context.term()


@contextmanager
def serving_plainly(server: FakeServer, *, piecewise: bool = False, bare: bool = False) -> Iterator[str]:
    """Serve over plain TCP on a free port, one client after the other; gives the endpoint."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.01)
    ending = threading.Event()

    def receive(client: socket.socket, size: int) -> bytes:
        received = b""
        while len(received) < size and not ending.is_set():
            try:
                piece = client.recv(size - len(received))
            except TimeoutError:
                continue
            if not piece:
                return b""
            received += piece
        return received

    def talk(client: socket.socket) -> None:
        client.settimeout(0.01)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not ending.is_set() and (head := receive(client, 4)):
            replies = server.respond(receive(client, *struct.unpack(">I", head)))
            if server.hangs_up:
                return
            for reply in replies:
                raw = reply if bare else struct.pack(">I", len(reply)) + reply
                for piece in [raw[:2], raw[2:7], raw[7:]] if piecewise else [raw]:
                    client.sendall(piece)

    def serve() -> None:
        while not ending.is_set():
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            with client:
                talk(client)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"tcp+plain://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ending.set()
        thread.join(5.0)
        listener.close()


def nobody() -> str:
    """Return an endpoint where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def hasten(sim: Client | AsyncClient, seconds: float) -> None:
    """Let a client, once it is connected, wait less for replies than a busy machine may need to connect."""
    sim._pool.timeout = seconds
