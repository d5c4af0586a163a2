"""A robot as its modules: `robot.motors`, `robot.sonars`."""

from collections.abc import Iterable, Iterator

from coopsim.client.flows import Ask, Flow
from coopsim.client.module import Module
from coopsim.client.module_description import NoSuchModuleAttribute
from coopsim.client.pool import ConnectionPool
from coopsim.errors import NoSuchName
from coopsim.interfaces import NAMES
from coopsim.message import MAX_PARAMS, Message
from coopsim.message.targets import robot_and_module
from coopsim.suggest import did_you_mean, listed

_LIST = NAMES.command("list").number
_MOST = 1 << 20  # names of a server that would go on for ever


def naming(prefix: str) -> Flow[tuple[str, ...]]:
    """Ask for the names of all modules that begin with `prefix`."""
    reply = yield Ask(Message("/sim/names", _LIST, (prefix,)))
    names, last = [str(name) for name in reply.params], ""
    # a full page: more may follow, as long as pages go on
    while len(reply.params) >= MAX_PARAMS and last < names[-1] and len(names) < _MOST:
        last = names[-1]
        reply = yield Ask(Message("/sim/names", _LIST, (prefix, last)))
        names += [str(name) for name in reply.params]
    return tuple(names)


def naming_modules(robot: str) -> Flow[list[str]]:
    """Ask for the modules of a robot.

    Raises:
        NoSuchName: There is no such robot.
    """
    prefix = f"/{robot}/"
    names = yield from naming(prefix)
    short_names = [name.removeprefix(prefix) for name in names]
    modules = [module_name for module_name in short_names if module_name and "/" not in module_name]
    if modules:
        return modules
    everything = yield from naming("/")
    robots = dict.fromkeys(robot_and_module(name)[0] for name in everything if not name.startswith("/sim/"))
    robots.pop("", None)
    raise NoSuchName(f"no robot {robot!r}{did_you_mean(robot, robots)}; there are: {listed(robots)}")


def no_module(robot: str, name: str, modules: Iterable[str]) -> NoSuchName:
    """Return the error of a module that a robot has not."""
    modules = list(modules)
    return NoSuchName(f"{robot} has no module {name!r}{did_you_mean(name, modules)}; it has {listed(modules)}")


class Robot:
    """The modules of one robot, by name.

    Source: CoopDynSim, section III (each robot consists of hardware modules that are servers).

    Attributes:
        name: `robot1`; a member of a team is `team1/leader`.
    """

    def __init__(self, pool: ConnectionPool, name: str, *, own_endpoint: bool = False) -> None:
        self.name = name.strip("/")
        names = pool.do(naming_modules(self.name))
        self._modules = {name: Module(pool, f"/{self.name}/{name}") for name in names}
        if own_endpoint:
            for module in self._modules.values():
                pool.run(pool.using_own_endpoint(module.target))
        self.__dict__.update(
            {attribute: member for attribute, member in self._modules.items() if not hasattr(type(self), attribute)}
        )

    def module(self, name: str) -> Module:
        """Return the module of this name.

        Raises:
            NoSuchName: The robot has none.
        """
        if name not in self._modules:
            raise no_module(self.name, name, self._modules)
        return self._modules[name]

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.module(name)
        except NoSuchName as problem:
            raise NoSuchModuleAttribute(str(problem)) from None

    def __iter__(self) -> Iterator[Module]:
        """Return the modules, sorted by name."""
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._modules})

    def __repr__(self) -> str:
        return f"<robot {self.name}: {', '.join(self._modules)}>"
