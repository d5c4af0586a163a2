"""`/sim/names`: which names there are, and where each is served.

Source: CoopDynSim, section III-B (network names such as `/robot1/motors`, unique); C-51.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from typing import TypeAlias

from coopsim.errors import NoSuchName
from coopsim.interfaces import NAMES, Command
from coopsim.message import MAX_PARAMS, Message
from coopsim.server.requests import params_of, text
from coopsim.server.sessions import Session
from coopsim.server.sim_module import Handler, SimModule
from coopsim.state import Layout
from coopsim.transport import SourceLink

Endpoints: TypeAlias = tuple[str, str]


class NamesModule(SimModule):
    """Names of all modules, sorted, and their endpoints.

    Args:
        link: The source.
        fixed: Names of the modules under `/sim`.
        endpoints: Returns ZeroMQ and plain TCP endpoint of a robot ("" = of everything else).
    """

    interface = NAMES

    def __init__(self, link: SourceLink, fixed: Iterable[str], endpoints: Callable[[str], Endpoints]) -> None:
        super().__init__()
        self._link, self._fixed, self._endpoints = link, tuple(fixed), endpoints
        self._known: Layout | None = None
        self._names: list[str] = []

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"list": self._list, "lookup": self._lookup}

    def _list(self, command: Command, request: Message, _session: Session) -> Message:
        prefix, after = (text(value, "prefix and after") for value in params_of(command, request))
        names = self._all()
        first = max(bisect_left(names, prefix), bisect_right(names, after) if after else 0)
        last = bisect_left(names, prefix + "\U0010ffff") if prefix else len(names)
        found = names[first : max(first, last)]
        note = f"{MAX_PARAMS} of {len(found)} names; ask for those after the last" if len(found) > MAX_PARAMS else ""
        return request.reply(tuple(found[:MAX_PARAMS]), tick=self._link.record.tick, text=note)

    def _lookup(self, command: Command, request: Message, _session: Session) -> Message:
        name = text(params_of(command, request)[0], "name")
        names = self._all()
        place = bisect_left(names, name)
        if place == len(names) or names[place] != name:
            raise NoSuchName(f"there is no {name[:80]!r}; LIST tells what there is")
        robots = self._link.now[0].robot
        bare = name.removeprefix("/")
        robot = bare if bare in robots else bare.rpartition("/")[0]
        return request.reply(self._endpoints(robot if robot in robots else ""), tick=self._link.record.tick)

    def _all(self) -> list[str]:
        layout = self._link.now[0]
        if layout is not self._known:
            names = list(self._fixed)
            for place in layout.robots:
                names.append(f"/{place.name}")
                names += [f"/{place.name}/{module.name}" for module in place.type.modules]
            self._known, self._names = layout, sorted(names)
        return self._names
