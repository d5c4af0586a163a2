"""Runs for fault tests, and what is asked of them."""

import json
import time
from collections.abc import Callable
from typing import Any

from coopsim.message import Message
from coopsim.testkit import RawClient

STATUS, SET_MODE = 10, 11
LAYOUT, STEP, SKIP, CLAIM, CLAIM_WITH, RELEASE = range(10, 16)
SET_VELOCITY, STATE = 10, 13
ROBOTS = ("robot1", "robot2", "robot3")
DEADLINE = 90.0


def scene(robots: int = 3, *, extra: str = "", kind: str = "bench", **settings: object) -> str:
    """Return a scenario of some robots in a row, 2 m apart, with `[SIMULATION]` keys."""
    keys = "".join(f"{key} {value}\n" for key, value in settings.items())
    places = "".join(
        f"[ROBOT_{number}]\ntype {kind}\nname robot{number}\nposition {2 * (number % 25)} {2 * (number // 25)} 0\n"
        for number in range(1, robots + 1)
    )
    return f"[SIMULATION]\n{keys}{places}{extra}\n"


def ask(target: str, command: int, *params: Any, data: Any = (), tick: int = 0) -> Message:
    """Return a request."""
    return Message(target, command, params, data, tick)


def status(client: RawClient) -> dict[str, Any]:
    """Return what the clock says."""
    reply = client.ask(ask("/sim/clock", STATUS))
    mode, paused, awaited = reply.params[:3]
    names = ("tick", "time", "step", "speed", "factor", "overruns", "max_lateness", "slipped", "patience_fired")
    said = {name: float(value) for name, value in zip(names, reply.data, strict=False)}
    return {"mode": mode, "paused": paused, "awaited": json.loads(str(awaited)), **said}


def generation(client: RawClient) -> int:
    """Return the generation of the layout now."""
    return int(json.loads(str(client.ask(ask("/sim/step", LAYOUT)).params[0]))["generation"])


def step(client: RawClient, *robots: str, v: float = 0.1, w: float = 0.0) -> Message:
    """Make one step of robots of one type, all with the same command."""
    return client.ask(ask("/sim/step", STEP, generation(client), *robots, data=(v, w) * len(robots)))


def wait_until(is_true: Callable[[], bool], seconds: float = DEADLINE) -> None:
    """Ask until it is true."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "it never became true"
