"""Extensions: started before the source of a run, stopped after it; bridges to other frameworks live in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from coopsim import plugins
from coopsim.errors import BadArgument, PluginFailed
from coopsim.suggest import hint

_running: Final[dict[str, "SimulationExtension"]] = {}


class SimulationExtension:
    """Extension that runs beside the simulation (SwarmSimX, section 2.2).

    A plugin registers the class in the group `extensions`. Drivers and sensors ask their environment for it by name.
    """

    def init(self) -> None:
        """Begin; called before engine, drivers and sensors are made."""

    def shutdown(self) -> None:
        """End; called after all of them have ended, the extension that began first as the last one."""


@contextmanager
def running_extensions() -> Iterator[None]:
    """Have all registered extensions run while this block lasts: first in, last out.

    Raises:
        PluginFailed: One cannot begin, and those that have begun are ended; or one failed when it ended, and all
            others are ended.
    """
    begun: list[str] = []
    try:
        for name in plugins.registered("extensions"):
            if name not in _running:
                extension = _begun(name)
                _running[name] = extension
                begun.append(name)
        yield
    finally:
        _end(begun)


def extension(name: str) -> SimulationExtension:
    """Return a running extension.

    Raises:
        BadArgument: None of this name runs.
    """
    if name not in _running:
        raise BadArgument(f"no extension {name!r} runs{hint(name, _running)}; name its file with --plugin")
    return _running[name]


def _begun(name: str) -> SimulationExtension:
    kind = plugins.load("extensions", name)
    with plugins.blamed(f"extension {name}"):
        extension = kind()
        extension.init()
    if not isinstance(extension, SimulationExtension):
        raise PluginFailed(f"extension {name}: {kind!r} makes no SimulationExtension")
    return extension


def _end(names: list[str]) -> None:
    problems: list[PluginFailed] = []
    for name in reversed(names):
        extension = _running.pop(name)
        try:
            with plugins.blamed(f"extension {name}"):
                extension.shutdown()
        except PluginFailed as problem:  # the others must end, too
            problems.append(problem)
    if problems:
        raise PluginFailed("; ".join(map(str, problems)))
