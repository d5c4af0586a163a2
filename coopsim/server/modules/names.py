"""`/sim/names`: which names there are, and where each is served.

Source: CoopDynSim, section III-B (network names such as `/robot1/motors`, unique).
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from typing import TypeAlias

from coopsim.errors import BadArgument, NoSuchName, OwnedByAnother
from coopsim.interfaces import NAMES, Command
from coopsim.interfaces.offered import offered
from coopsim.message import MAX_PARAMS, Message
from coopsim.message.targets import robot_and_module
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.offered_names import OfferedNames
from coopsim.server.modules.requests import params_of, text
from coopsim.server.registry import Registry, check_name
from coopsim.state import Layout
from coopsim.transport import Source

Endpoints: TypeAlias = tuple[str, str]
LARGEST_OFFER = 16_384  # bytes of a description


class NamesModule(SimModule):
    """Names of all modules, sorted, and their endpoints.

    Args:
        link: The source.
        fixed: Names of the modules under `/sim`.
        endpoints: Returns ZeroMQ and plain TCP endpoint of a robot ("" = of everything else).
        registry: Modules that live elsewhere.
        offers: Modules that programs offer here.
        clock: Monotonic seconds.
    """

    interface = NAMES

    def __init__(
        self,
        link: Source,
        fixed: Iterable[str],
        endpoints: Callable[[str], Endpoints],
        registry: Registry,
        offers: OfferedNames,
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._link, self._fixed, self._endpoints = link, tuple(fixed), endpoints
        self._registry, self._offers, self._clock = registry, offers, clock
        self._known: tuple[Layout | None, int, int] = (None, -1, -1)
        self._names: list[str] = []
        self._own: frozenset[str] = frozenset()

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {
            "list": self._list,
            "lookup": self._lookup,
            "register": self._register,
            "unregister": self._unregister,
            "offer": self._offer,
            "withdraw": self._withdraw,
        }

    def pinged(self, session: Session) -> None:
        """Renew the leases of everything that this connection registered."""
        self._registry.renew(session, self._clock())

    def _list(self, command: Command, request: Message, _session: Session) -> Message:
        prefix, after = (text(value, "prefix and after") for value in params_of(command, request))
        names = self._all()
        first = max(bisect_left(names, prefix), bisect_right(names, after) if after else 0)
        last = bisect_left(names, prefix + "\U0010ffff") if prefix else len(names)
        page = names[first : max(first, last)]
        note = f"{MAX_PARAMS} of {len(page)} names; ask for those after the last" if len(page) > MAX_PARAMS else ""
        return request.reply(tuple(page[:MAX_PARAMS]), tick=self._link.record.tick, text=note)

    def _lookup(self, command: Command, request: Message, _session: Session) -> Message:
        name = text(params_of(command, request)[0], "name")
        self._all()
        tick = self._link.record.tick
        if name not in self._own and not self._offers.has(name):
            elsewhere = self._registry.find(name, self._clock())
            if elsewhere is None:
                raise NoSuchName(f"there is no {name[:80]!r}; LIST tells what there is").bring(name)
            return request.reply(elsewhere, tick=tick)
        robots = self._link.now[0].robot
        bare = name.removeprefix("/")
        robot = bare if bare in robots else robot_and_module(bare)[0]
        return request.reply(self._endpoints(robot if robot in robots else ""), tick=tick)

    def _register(self, command: Command, request: Message, session: Session) -> Message:
        name, zeromq, plain = (text(value, "name and endpoints") for value in params_of(command, request))
        self._all()
        if name in self._own:
            raise BadArgument(f"{name} is a module of the simulation")
        if self._offers.has(name):
            raise OwnedByAnother(f"{name} is offered by a program").bring(name, "another connection")
        holder = None if session.keyed is None else session.keyed.key.name
        lease = self._registry.register(name, (zeromq, plain), session, self._clock(), holder=holder)
        return request.reply((), (lease,), tick=self._link.record.tick)

    def _unregister(self, command: Command, request: Message, session: Session) -> Message:
        self._registry.unregister(text(params_of(command, request)[0], "name"), session, self._clock())
        return request.reply(tick=self._link.record.tick)

    def _offer(self, command: Command, request: Message, session: Session) -> None:
        name, content = (text(value, "name and content") for value in params_of(command, request))
        if len(content) > LARGEST_OFFER:
            raise BadArgument(f"an offer has at most {LARGEST_OFFER} characters, got {len(content)}")
        check_name(name)
        self._all()
        if name in self._own:
            raise BadArgument(f"{name} is a module of the simulation")
        where = self._registry.find(name, self._clock())
        if where is not None:
            raise OwnedByAnother(f"{name} is registered for {' and '.join(filter(None, where))}").bring(name, *where)
        try:
            plain = json.loads(content)
        except (ValueError, RecursionError) as problem:
            raise BadArgument(f"content must be JSON: {problem}") from None
        self._offers.offer(name, plain, offered(plain), request, session)

    def _withdraw(self, command: Command, request: Message, session: Session) -> Message:
        self._offers.withdraw(text(params_of(command, request)[0], "name"), session)
        return request.reply(tick=self._link.record.tick)

    def _all(self) -> list[str]:
        layout, registry = self._link.now[0], self._registry
        registry.expire(self._clock())
        if self._known[0] is not layout:
            own = list(self._fixed)
            for place in layout.robots:
                own.append(f"/{place.name}")
                own += [f"/{place.name}/{module.name}" for module in place.type.modules]
            self._own = frozenset(own)
        if self._known != (layout, registry.version, self._offers.version):
            self._known = layout, registry.version, self._offers.version
            self._names = sorted(self._own.union(registry.names(self._clock()), self._offers.names()))
        return self._names
