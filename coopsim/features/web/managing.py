"""Managers of a page: control laws of robots and teams, teams as a whole, names; the window offers the same."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from coopsim.errors import BadArgument, CoopsimError, NoReply, NoSuchName
from coopsim.features.beginnings import crews, templates
from coopsim.features.beginnings.team_loads import KEYS, load_in, with_load
from coopsim.features.laws.choosing import (
    CONTROLLERS,
    PATIENCE,
    LawOrder,
    LawRow,
    choices,
    drivers,
    orders,
    parts,
    running,
    still_running,
)
from coopsim.features.web.replies import parameter_facts
from coopsim.interfaces import Parameter, Value
from coopsim.robots import TypeRegistry
from coopsim.robots.names import plain_type

if TYPE_CHECKING:
    from coopsim.client.aio import Client

_WORLD: Final = "/sim/world"
_MOST_ROBOTS = 1000
"""Of one order: a page selects a robot or a team."""
_LOOK_AGAIN = 0.05
"""Pause before it is asked whether a stopped law has ended [s]."""
_STOP = "stop"
_SMALLEST = 0.01
"""Length of what is resized [m], as in the window."""
_TYPE = re.compile(r"\s*type\s+\S")
_FARTHEST = 1e6
"""Of a place [m]: worlds are smaller."""


class PageManagers:
    """Answers what the managers of a page ask for.

    Args:
        sim: The run, for what everybody may read.
        names: Of all that there is.
        owner_for: Returns the connection that carries out a command of a module, or refuses it.
    """

    def __init__(
        self, sim: "Client", names: Collection[str], owner_for: Callable[[str, str], Awaitable["Client"]]
    ) -> None:
        self._sim, self._names, self._owner_for = sim, names, owner_for

    async def answer(self, verb: str, request: Mapping[str, Any]) -> Any:
        """Return the answer to a request.

        Raises:
            BadArgument: It names no robots, or what is not offered.
            CoopsimError: The run refuses it, or the link that the page came by does.
        """
        match verb:
            case "laws":
                return await self._laws(_robots_of(request), str(request.get("law", "")))
            case "start-law":
                return await self._start(_robots_of(request), str(request["law"]), request.get("given") or {})
            case "stop-laws":
                return await self._stop(_robots_of(request))
            case "law-orders":
                return await self._orders(_robots_of(request))
            case "drive":
                return await self._drive(_robots_of(request), _orders_of(request))
            case "team":
                return await self._team(str(request["team"]))
            case "load-team":
                return await self._rebuilt(str(request["team"]), request["entries"])
            case "put-team":
                return crews.put(
                    str(request["text"]),
                    _point(request["middle"]),
                    _point(request["to"]),
                    *_numbers([request["turn"]], 1),
                )
            case "resized":
                return _resized(str(request["text"]), request["size"])
            case _:
                return self._renamed(str(request["text"]), str(request["before"]), str(request["name"]))

    # control laws

    async def _standing(self) -> Mapping[str, Any]:
        if CONTROLLERS not in await self._sim.names(CONTROLLERS):
            return {"controllers": [], "laws": []}
        standing: Mapping[str, Any] = json.loads((await self._sim.module(CONTROLLERS).call("status")).status)
        return standing

    async def _laws(self, robots: list[str], law: str) -> dict[str, Any]:
        """Return what drives robots, which laws can, and the parameters of one of these."""
        standing = await self._standing()
        possible = await self._choices(standing, robots)
        chosen = law if law in possible else ""
        return {
            "choices": possible,
            "drivers": [_driver(row) for row in drivers(standing["controllers"], robots)],
            "parts": [_part(name, driven) for name, driven in parts(chosen, robots).items()] if chosen else [],
        }

    async def _choices(self, standing: Mapping[str, Any], robots: list[str]) -> list[str]:
        """Return the laws that can drive robots; the modules of the first one stand for those of all."""
        return choices(standing["laws"], robots, await self._sim.names(f"/{robots[0]}/"))

    async def _start(self, robots: list[str], law: str, given: Mapping[str, Any]) -> list[str]:
        """Start a law in the place of what drives the robots; return the names of what runs."""
        standing = await self._standing()
        possible = await self._choices(standing, robots)
        if law not in possible:
            problem = BadArgument(f"no law {law!r:.60} drives {robots[0]!r:.60}")
            raise problem.advise(f"choose one of {', '.join(possible)}")
        declared = {name: _declared(name)[0] for name in parts(law, robots)}
        values = {name: _values(declared[name], given.get(name) or {}) for name in declared}
        return await self._drive(robots, orders(law, robots, declared, values))

    async def _orders(self, robots: list[str]) -> list[dict[str, Any]]:
        """Return the laws that drive some of the robots now, as `drive` starts them again."""
        rows = drivers((await self._standing())["controllers"], robots)
        return [_order(row) for row in rows if row["state"] == "running"]

    async def _drive(self, robots: list[str], wanted: Sequence[LawOrder]) -> list[str]:
        """Start laws in the place of what drives some robots; return the names of what runs."""
        laws = (await self._standing())["laws"]
        if programs := [order.law for order in wanted if order.law not in laws]:
            problem = BadArgument(f"{programs[0]!r:.60} is a program that the file of the scene starts, and no law")
            raise problem.advise("reset the run, which starts it again")
        owner = await self._owner_for(CONTROLLERS, "start")
        await self._stop(robots)
        await self._wait_for_the_end(robots)
        before = len((await self._standing())["controllers"])
        names = []
        for order in wanted:
            arguments = json.dumps(dict(order.arguments))
            names.append(str(await owner.module(CONTROLLERS).call("start", order.law, arguments, order.robots)))
        # the status is told a moment after the start is answered, and who stops at once must find it
        await self._wait_until(lambda rows: len(rows) >= before + len(names))
        return names

    async def _stop(self, robots: list[str]) -> list[str]:
        """Stop what drives robots; return the names of the laws."""
        names = running((await self._standing())["controllers"], robots)
        if names:
            owner = await self._owner_for(CONTROLLERS, _STOP)
            for name in names:
                await owner.module(CONTROLLERS).call(_STOP, name)
        return names

    async def _wait_for_the_end(self, robots: list[str]) -> None:
        # the answer to a stop comes before its process has ended, and robots have one owner
        rows = await self._wait_until(lambda rows: not running(rows, robots))
        if names := running(rows, robots):
            raise NoReply(still_running(names[0]))

    async def _wait_until(self, is_so: Callable[[Sequence[LawRow]], bool]) -> Sequence[LawRow]:
        """Return the laws as soon as something is true of them, or as they are when that takes too long."""
        until = time.monotonic() + PATIENCE
        while True:
            rows: Sequence[LawRow] = (await self._standing())["controllers"]
            if is_so(rows) or time.monotonic() > until:
                return rows
            await asyncio.sleep(_LOOK_AGAIN)

    # teams and names

    async def _team(self, team: str) -> dict[str, Any]:
        """Return the members of a team, and the sections that bring it back as it stands now."""
        members = crews.crews_in(self._names).get(team)
        if members is None:
            raise NoSuchName(f"there is no team {team!r:.60}")
        texts = [str((await self._sim.module(_WORLD).call("section", name, 1)).text) for name in members]
        text = crews.joined(texts)
        return {"members": list(members), "text": text, "load": load_in(text)}

    async def _rebuilt(self, team: str, entries: Any) -> str:
        """Return the section of a team that carries something else, or is more or fewer."""
        if not isinstance(entries, dict) or not entries or not {*entries} <= {*KEYS}:
            raise BadArgument(f"expected values of {', '.join(KEYS)}, got {entries!r:.60}")
        given = {key: f"{_numbers([value], 1)[0]:.6g}" for key, value in entries.items()}
        text = with_load((await self._team(team))["text"], team, given)
        if not text:
            raise BadArgument(f"{team!r:.60} carries nothing that could be longer")
        return text

    def _renamed(self, text: str, before: str, name: str) -> str:
        """Return the section of an entity, or the sections of a team, under another name."""
        if not name or "/" in name or name in {taken.partition("/")[0] for taken in self._names}:
            problem = BadArgument(f"{before!r:.60} keeps its name: {name!r:.60} is taken, or no name of its own")
            raise problem.advise("choose a name that nobody has, without a slash")
        is_team = before in crews.crews_in(self._names)
        return crews.called(text, before, name) if is_team else templates.renamed(text, name)


def _robots_of(request: Mapping[str, Any]) -> list[str]:
    robots = request["robots"]
    if not isinstance(robots, list) or not 0 < len(robots) <= _MOST_ROBOTS:
        raise BadArgument(f"expected a list of 1 to {_MOST_ROBOTS} robots, got {robots!r:.60}")
    return [str(robot) for robot in robots]


def _orders_of(request: Mapping[str, Any]) -> list[LawOrder]:
    """Return the orders of a request, as `_order` writes them."""
    listed = request["orders"]
    if not isinstance(listed, list) or len(listed) > _MOST_ROBOTS or not all(isinstance(row, dict) for row in listed):
        raise BadArgument(f"expected a list of at most {_MOST_ROBOTS} laws, got {listed!r:.60}")
    return [LawOrder(str(row["law"]), tuple(_robots_of(row)), dict(row.get("arguments") or {})) for row in listed]


def _order(row: LawRow) -> dict[str, Any]:
    return {"law": row["law"], "robots": row["robots"], "arguments": row.get("arguments", {})}


def _point(words: Any) -> crews.Point:
    x, y = _numbers(words, 2)
    return x, y


def _numbers(words: Any, count: int) -> list[float]:
    numbers = [float(word) for word in words] if isinstance(words, list) else []
    if len(numbers) != count or not all(abs(number) <= _FARTHEST for number in numbers):
        raise BadArgument(f"expected {count} numbers within {_FARTHEST:g}, got {words!r:.60}")
    return numbers


def _resized(text: str, size: Any) -> str:
    """Return the section of an artifact with another size; its type is one that other runs know, too."""
    lengths = _numbers(size, 3)
    if min(lengths) < _SMALLEST:
        raise BadArgument(f"each length is at least {_SMALLEST:g} m, got {size!r:.60}")
    lines = [f"type {plain_type(line.split(None, 1)[1])}" if _TYPE.match(line) else line for line in text.splitlines()]
    return templates.with_size("\n".join(lines), " ".join(f"{length:.6g}" for length in lengths))


def _driver(row: LawRow) -> dict[str, Any]:
    return {key: row[key] for key in ("name", "law", "robots", "state", "reason")}


def _part(law: str, robots: Collection[str]) -> dict[str, Any]:
    """Return one of the laws that a choice stands for, with its parameters, or what is wrong with it."""
    declared, problem = _declared(law)
    facts = [parameter_facts(parameter, parameter.default) for parameter in declared]
    return {"law": law, "robots": list(robots), "parameters": facts, "problem": problem}


def _declared(law: str) -> tuple[tuple[Parameter, ...], str]:
    try:
        return tuple(TypeRegistry().law_parameters(law) or ()), ""
    except CoopsimError as problem:
        return (), str(problem).partition("\n")[0]


def _values(declared: Collection[Parameter], given: Mapping[str, Any]) -> dict[str, Value]:
    """Return values as their parameters have them: a page sends whole numbers where a share is 1."""
    kinds = {parameter.name: parameter.kind for parameter in declared}
    return {name: kinds[name](value) for name, value in given.items() if name in kinds}
