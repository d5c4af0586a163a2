"""A robot as its modules: `robot.motors`, `robot.sonars`."""

from collections.abc import Iterator

from coopsim.client.module import Module
from coopsim.client.suggest import listed, nearest
from coopsim.client.switchboard import Switchboard
from coopsim.errors import NoSuchName
from coopsim.interfaces import NAMES

_LIST = NAMES.command("list").number


def names_of(switchboard: Switchboard, prefix: str) -> tuple[str, ...]:
    """Return the names of all modules that begin with `prefix`."""
    return tuple(str(name) for name in switchboard.ask("/sim/names", _LIST, (prefix,)).params)


class Robot:
    """The modules of one robot, by name.

    Source: CoopDynSim, section III (each robot consists of hardware modules that are servers).

    Attributes:
        name: `robot1`; a member of a team is `team1/leader`.
    """

    def __init__(self, switchboard: Switchboard, name: str, *, own_endpoint: bool = False) -> None:
        self.name = name.strip("/")
        self._switchboard = switchboard
        prefix = f"/{self.name}/"
        found = [each.removeprefix(prefix) for each in names_of(switchboard, prefix)]
        self._modules = {each: Module(switchboard, prefix + each) for each in found if each and "/" not in each}
        if not self._modules:
            raise self._unknown()
        if own_endpoint:
            for module in self._modules.values():
                switchboard.move_in(module.target)
        self.__dict__.update({each: it for each, it in self._modules.items() if not hasattr(type(self), each)})

    def module(self, name: str) -> Module:
        """Return the module of this name.

        Raises:
            NoSuchName: The robot has none.
        """
        if name not in self._modules:
            hint = nearest(name, self._modules)
            raise NoSuchName(f"{self.name} has no module {name!r}{hint}; it has {listed(self._modules)}")
        return self._modules[name]

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.module(name)
        except NoSuchName as problem:
            raise AttributeError(str(problem)) from None

    def __iter__(self) -> Iterator[Module]:
        """Return the modules, sorted by name."""
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._modules})

    def __repr__(self) -> str:
        return f"<robot {self.name}: {', '.join(self._modules)}>"

    def _unknown(self) -> NoSuchName:
        everything = names_of(self._switchboard, "/")
        robots = dict.fromkeys(
            name.rpartition("/")[0].strip("/") for name in everything if not name.startswith("/sim/")
        )
        robots.pop("", None)
        return NoSuchName(f"no robot {self.name!r}{nearest(self.name, robots)}; there are: {listed(robots)}")
