"""A run that hostile clients attack, a client that means well beside them, and what is left of it all."""

import contextlib
import importlib.util
import json
import random
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from coopsim.client.endpoints import parse
from coopsim.errors import CoopsimError
from coopsim.interfaces import Common
from coopsim.interpreter import module_command
from coopsim.message import Message
from coopsim.testkit.hostile.attack import Attack, AttackResult
from coopsim.testkit.hostile.handshake_seeds import SEEDS, handshake_mutant
from coopsim.testkit.hostile.requests import HostileRequests
from coopsim.testkit.raw import RawClient
from coopsim.testkit.run import Run, children, memory_of

# Connections to a run that begin as none should: mutants of handshakes, sent to every port that clients reach.
_SECONDS = 10.0
_WEBSOCKET = re.compile(r"WebSocket on ws://(\S+):(\d+)")


def ports_of(run: Run) -> Mapping[str, tuple[str, int]]:
    """Return host and port of a run by carrier, as `SEEDS` names them."""
    zeromq, plain = parse(run.endpoint), parse(run.plain)
    ports = {"zmtp": (zeromq.host, zeromq.port), "framing": (plain.host, plain.port)}
    if match := _WEBSOCKET.search(run.printed):
        ports["websocket"] = (match[1], int(match[2]))
    return ports


def attack_handshakes(ports: Mapping[str, tuple[str, int]], count: int, seed: int) -> int:
    """Begin connections by turns in odd ways, and end them; return how many there were.

    Beginnings of one carrier come to the ports of all others, too.

    Args:
        ports: Host and port by carrier.
        count: How many connections.
        seed: The same seed sends the same bytes.

    Raises:
        OSError: The run listens no more.
    """
    chance = random.Random(seed)  # noqa: S311 - to be repeatable
    seeds = [raw for carrier in SEEDS for raw in SEEDS[carrier]]
    for number in range(count):
        carrier = list(ports)[number % len(ports)]
        raw = chance.choice(SEEDS[carrier] if chance.random() < 0.7 else seeds)
        with socket.create_connection(ports[carrier], _SECONDS) as end, contextlib.suppress(OSError):
            end.sendall(handshake_mutant(raw, chance, seeds))
            end.shutdown(socket.SHUT_WR)
            while end.recv(1 << 16):
                pass
    return count


CASES = tuple(
    f"{what} by {carrier}" for what in ("real-time", "lockstep", "replay") for carrier in ("ZeroMQ", "plain TCP")
)
RECORDING = "hostile.mcap"
SCENE = """[SIMULATION]
mode {mode}
patience 0.05
[ROBOT_1]
type single
name robot1
[ROBOT_2]
type scout
name robot2
position 2 0 0
[ROBOT_3]
type bench
name robot3
position 4 0 0
"""
_CRATE = "[OBJECT_1]\ntype box\nname crate\nsize 0.4 0.4 0.4\nposition 3 3 0\nmass 5\n"
MEMORY_BOUND = 500.0  # MB; limits of all queues together stay below it
_PART = 2000  # requests between two looks at the server
_PATIENCE = 120.0  # s; an attacked server on a busy machine
_ATTACKERS = 4  # at the same time
_REQUESTS_PER_HANDSHAKE = 20  # a handshake costs as much as twenty requests
_INFO = 10  # its number in the interface `info`
_SET_MODE, _SET_SPEED, _SET_STEP, _CONTINUE, _RESET, _SET_ENGINE, _NAMES, _INSERT, _PLAY = (
    11,
    12,
    13,
    15,
    14,
    20,
    10,
    11,
    12,
)
_CLOCK, _WORLD = "/sim/clock", "/sim/world"


@dataclass
class AttackReport:
    """Outcome of a run under attack.

    Attributes:
        case: What was attacked, and how.
        outcomes: Of each attacker.
        seconds: How long the attack took.
        memory: The most that one process held [MB].
        served: How many requests of the other client were answered.
        slowest: Its longest exchange [ms].
        problems: Everything that must not be, in words.
        handshakes: How many connections began in odd ways.
    """

    case: str
    outcomes: list[AttackResult] = field(default_factory=list)
    seconds: float = 0.0
    memory: float = 0.0
    served: int = 0
    slowest: float = 0.0
    problems: list[str] = field(default_factory=list)
    handshakes: int = 0

    @property
    def requests(self) -> int:
        """Number of requests that were sent."""
        return sum(outcome.requests for outcome in self.outcomes)


class Watch:
    """Another client, in a thread, that is served all the time; it looks after the memory too."""

    def __init__(self, run: Run, report: AttackReport) -> None:
        self._run, self._report = run, report
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._ask_on)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _ask_on(self) -> None:
        report = self._report
        try:
            with RawClient(self._run.endpoint, timeout=_PATIENCE) as client:
                while not self._is_over.wait(0.02):
                    began = time.perf_counter()
                    client.ask(Message(_CLOCK, Common.PING))
                    report.served += 1
                    report.slowest = max(report.slowest, 1e3 * (time.perf_counter() - began))
                    if report.served % 20 == 1:
                        report.memory = max(report.memory, *map(memory_of, children(self._run.launcher)))
        except (CoopsimError, OSError) as problem:
            report.problems.append(f"the other client: {problem}")


def attack_run(case: str, count: int, seed: int, folder: Path, recording: Path | None = None) -> AttackReport:
    """Attack a run, or the replay of a recording, and say what became of it.

    Args:
        case: One of `CASES`.
        count: How many requests are sent.
        seed: Decides which; the attackers send different ones.
        folder: Where the run lives; recordings and saved scenes stay there.
        recording: What is shown where a replay is attacked.
    """
    report = AttackReport(case)
    with _running(case, folder, recording) as run:
        mode = "" if recording else case.split(maxsplit=1)[0]
        began = time.monotonic()
        with Watch(run, report), Operator(run, mode) as operator:
            endpoint = run.plain if "TCP" in case else run.endpoint
            operator.tidy()
            modules = operator.modules()
            attack = partial(_attack, endpoint, modules, count // _ATTACKERS, operator)
            with ThreadPoolExecutor(_ATTACKERS) as threads:
                report.outcomes += threads.map(attack, range(_ATTACKERS * seed, _ATTACKERS * (seed + 1)))
            report.outcomes.append(_recorder(endpoint, modules, seed, operator))
            report.handshakes = attack_handshakes(ports_of(run), max(30, count // _REQUESTS_PER_HANDSHAKE), seed)
            report.problems += operator.faults()
        report.seconds = time.monotonic() - began
        if not run.is_alive:
            report.problems.append("the run ended")
    _judge(report, run)
    if recording is None:
        _verify(report, folder / RECORDING)
    return report


def _attack(endpoint: str, modules: dict[str, Any], count: int, operator: "Operator", seed: int) -> AttackResult:
    """Attack all but the recorder; its matrix belongs to the end."""
    requests = HostileRequests(modules, seed, leave_out=("/sim/recorder start", "/sim/recorder stop"))
    attack = Attack(endpoint, requests, operator.relieve)
    if seed % _ATTACKERS == 0:
        attack.send_all(requests.matrix())
    while attack.outcome.requests < count and not attack.outcome.unread:
        attack.send(min(_PART, count - attack.outcome.requests))
        operator.tidy()
    operator.relieve(is_long=True)
    return attack.finish()


def _recorder(endpoint: str, modules: dict[str, Any], seed: int, operator: "Operator") -> AttackResult:
    """Attack the recorder last of all, since that ends the recording."""
    only = {name: module for name, module in modules.items() if name == "/sim/recorder"}
    requests = HostileRequests(only, seed)
    attack = Attack(endpoint, requests, operator.relieve)
    attack.send_all(requests.matrix())
    return attack.finish()


@contextmanager
def _running(case: str, folder: Path, recording: Path | None) -> Iterator[Run]:
    if recording is not None:
        options: tuple[str, ...] = ("--loop", "0:")
        run = Run(str(recording), *options, command="replay", folder=folder)
    else:
        pages = ("--websocket", "0") if importlib.util.find_spec("websockets") else ()
        options = ("--no-controllers", "--record", str(folder / RECORDING), *pages)
        run = Run(SCENE.format(mode=case.split(maxsplit=1)[0]), *options, folder=folder)
    with run:
        yield run


class Operator:
    """Keeps time going and the scene small; any thread may ask."""

    def __init__(self, run: Run, mode: str) -> None:
        self._mode = mode
        self._lock = threading.Lock()
        self._client = RawClient(run.endpoint, timeout=_PATIENCE)

    def __enter__(self) -> "Operator":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def modules(self) -> dict[str, Any]:
        """Return what every module says of itself."""
        names = self._client.ask(Message("/sim/names", _NAMES)).params
        replies = {str(name): self._client.ask(Message(str(name), Common.DESCRIBE)) for name in names}
        return {name: json.loads(str(reply.params[0])) for name, reply in replies.items()}

    def faults(self) -> list[str]:
        """Return what the run noted that nobody foresaw."""
        info = json.loads(str(self._client.ask(Message("/sim/info", _INFO)).params[0]))
        return [f"{count} x {kind}" for kind, count in info.get("faults", {}).items()]

    def relieve(self, is_long: bool) -> None:
        """Cause a tick for waiting requests: by patience, or by free run where that does not help."""
        if not self._mode:
            self._ask(Message("/sim/playback", _PLAY))
            return
        if is_long:
            self._ask(Message(_CLOCK, _SET_MODE, ("free",)))
        self._ask(
            Message(_CLOCK, _CONTINUE),
            Message(_CLOCK, _SET_MODE, (self._mode,)),
            Message(_CLOCK, Common.SET_PARAMETER, ("patience", 0.05)),
            Message(_CLOCK, Common.SET_PARAMETER, ("policy", "stop")),
        )

    def tidy(self) -> None:
        """Reset what grows, or slows every tick."""
        if not self._mode:
            return
        self.relieve(is_long=False)
        self._ask(
            Message(_WORLD, _SET_ENGINE, ("pymunk",)),
            Message(_CLOCK, _SET_STEP, (), (0.01,)),
            Message(_CLOCK, _SET_SPEED, (), (1.0,)),
            Message(_WORLD, _RESET),
            Message(_WORLD, _INSERT, (_CRATE,)),
        )

    def _ask(self, *requests: Message) -> None:
        with self._lock:
            for request in requests:
                self._client.ask(request)


def _judge(report: AttackReport, run: Run) -> None:
    for outcome in report.outcomes:
        for name in ("unread", "bugs", "unanswered"):
            report.problems += [f"{name}: {problem}" for problem in getattr(outcome, name)]
        if outcome.extra:
            report.problems.append(f"{outcome.extra} replies without a request")
    if "Traceback" in run.printed:
        report.problems.append(f"a traceback: {run.printed[run.printed.index('Traceback') :][:2000]}")
    if report.memory > MEMORY_BOUND:
        report.problems.append(f"{report.memory:.0f} MB in one process")
    if not report.served:
        report.problems.append("the other client was never served")


def _verify(report: AttackReport, recording: Path) -> None:
    command = module_command("coopsim", "verify", str(recording))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        report.problems.append(f"verify: exit code {done.returncode}: {done.stdout}{done.stderr}"[:2000])
