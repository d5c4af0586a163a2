"""Requests for every command of every module, with values that may be anything; the same seed makes the same ones."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgpack

from coopsim.errors import CoopsimError
from coopsim.interfaces import COMMON
from coopsim.message import MAX_BYTES, VERSION, decode, failure
from coopsim.testkit.hostile import values

Chance = random.Random
_PING, _GET, _SET = 0, 2, 3  # numbers that every module has
_SHARES = {
    **dict.fromkeys(("load", "save", "set_engine", "restore", "snapshot", "reset", "insert", "set_mode"), 0.03),
    **dict.fromkeys(("get_parameter", "set_parameter", "update", "remove"), 0.15),
}
"""Commands that cost many times what others cost come less often."""
_UNREADABLE = (dict, msgpack.ExtType)
"""What may make a message unreadable as a whole (101), so that its id is not echoed."""
_WORDS: Mapping[str, Sequence[Any]] = {
    "mode": ("real-time", "lockstep", "free"),
    "policy": ("stop", "hold", "wait", "evict", "default", ""),
    "engine": ("pymunk", "kinematic"),
    "robot": ("robot1", "robot2", "robot3"),
    "robots": ("robot1", "robot2", "robot3"),
    "name": ("robot1", "robot2", "crate", "snapshot", "/arm/gripper", "reach", "patience"),
    "what": ("poses", "all"),
    "file": ("hostile.world", "hostile.scenario", "single", "maze", "hostile.mcap"),
    "zmq": ("tcp://127.0.0.1:9000",),
    "count": (0, 1, 2, 5),
    "generation": (1, 2, 3),
    "topic": ("/sim/state@50", "/robot1@50", "/robot2"),
}
_TEXTS: Mapping[str, Callable[[Chance], str]] = {"insert": values.section, "update": values.line}


class HostileRequests:
    """An endless source of requests.

    Args:
        modules: What DESCRIBE says, by name of the module.
        seed: The same seed makes the same requests.
        first: The id of the first one; each has the next.
        leave_out: Commands that are never sent, as `/sim/recorder stop`.
    """

    def __init__(
        self, modules: Mapping[str, Mapping[str, Any]], seed: int, first: int = 1, leave_out: Sequence[str] = ()
    ) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - to be repeatable
        self._next = first
        self._modules = modules
        self._commands = [
            (target, command)
            for target, described in sorted(modules.items())
            for command in (*described["commands"], *_common())
            if f"{target} {command['name']}" not in leave_out
        ]

    def matrix(self) -> list[tuple[int, bytes, str]]:
        """Return one request for each command with each kind of values, as `next` does."""
        forms = (values.number, values.text, lambda chance: chance.choice(values.WRONG_TYPES), None)
        return [self._request(target, command, form) for target, command in self._commands for form in forms]

    def next(self) -> tuple[int, bytes, str]:
        """Return the id that the reply to another request must have, its bytes, and what it is."""
        while True:
            target, command = self._chance.choice(self._commands)
            if self._chance.random() < _SHARES.get(command["name"], 1.0):
                return self._request(target, command, None)

    def _request(
        self, target: str, command: Mapping[str, Any], form: Callable[[Chance], Any] | None
    ) -> tuple[int, bytes, str]:
        chance = self._chance
        number, self._next = self._next, self._next + 1
        params, data = self._values(target, command, form)
        what = command["number"]
        if chance.random() < 0.02:
            target, what = chance.choice((values.text(chance)[:256], target)), chance.choice((9, 99, 2**63, 2**64 - 1))
        tick = chance.choice((1, 7, 2**63, 2**64 - 1, -1)) if chance.random() < 0.05 else 0
        later = [values.anything(chance), {"a": [1, {}]}] if chance.random() < 0.02 else []
        raw: bytes = msgpack.packb([VERSION, number, target, tick, 0, "", what, params, data, *later])
        if len(raw) > MAX_BYTES or any(type(value) in _UNREADABLE for value in (*params, *data)):
            raw = raw[:MAX_BYTES]
            number = _echoed(raw)
        return number, raw, f"{target} {command['name']} {params!r} {data!r}"[:300]

    def _values(
        self, target: str, command: Mapping[str, Any], form: Callable[[Chance], Any] | None
    ) -> tuple[list[Any], list[Any]]:
        if command["number"] == _SET and form is None and self._modules[target]["parameters"]:
            return self._parameter(target), []
        found: dict[str, list[Any]] = {"params": [], "data": []}
        for field in command["takes"]:
            make = form if form is not None else self._choose(command["name"], field)
            times = field["count"] if field["count"] in (1, 2, 3) else self._chance.choice((0, 1, 3))
            found[field["in"]] += [make(self._chance) for _ in range(times)]
        if self._chance.random() < 0.1:
            changed = self._chance.choice((found["params"], found["data"]))
            value = values.anything(self._chance)
            changed += [value] * (1 if isinstance(value, str) else self._chance.choice((1, 1, 5, 500)))
        return found["params"], found["data"]

    def _choose(self, command: str, field: Mapping[str, Any]) -> Callable[[Chance], Any]:
        """Return what makes a value for a field: mostly one that is meant, or nearly."""
        if self._chance.random() < 0.3:
            return values.anything
        if field["name"] == "text" and command in _TEXTS:
            return _TEXTS[command]
        words = _WORDS.get(field["name"])
        if words:
            return lambda chance: chance.choice(words)
        return values.number if field["in"] == "data" else values.text

    def _parameter(self, target: str) -> list[Any]:
        """Return name and value of a parameter: inside, at and outside of its range, or anything."""
        chance = self._chance
        parameter = chance.choice(self._modules[target]["parameters"])
        low, high = (0.0 if parameter[end] is None else parameter[end] for end in ("low", "high"))
        near = (low, high, low - 1, high + 1, chance.uniform(low, high), parameter["default"])
        return [parameter["name"], chance.choice(near) if chance.random() < 0.5 else values.anything(chance)]


def _echoed(raw: bytes) -> int:
    """Return the id that the reply to a message echoes."""
    try:
        return decode(raw).id
    except CoopsimError as problem:
        return failure(problem).id


def _common() -> list[dict[str, Any]]:
    fields = {_GET: ["name"], _SET: ["name", "value"]}
    return [
        {
            "number": command.number,
            "name": command.name,
            "takes": [{"name": name, "in": "params", "count": 1} for name in fields.get(command.number, ())],
        }
        for command in COMMON
    ]
