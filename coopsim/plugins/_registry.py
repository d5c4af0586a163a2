"""Registry of everything that has a name, and what it is."""

import hashlib
import importlib
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

from coopsim.errors import NoSuchPlugin, PluginClash, PluginFailed
from coopsim.interpreter import install_command, module_command
from coopsim.plugins._blame import blamed, shown
from coopsim.plugins._loose import GROUPS, LooseFile, read, spelled_path

_PACKAGE = __name__.partition(".")[0]  # what is ours and not a plugin's
_loose: dict[Path, LooseFile] = {}
_brought: set[Path] = set()
"""Those that a scenario named."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """Plugin: an object registered under a name.

    Attributes:
        name: What files call it.
        places: Where it comes from: "coopsim.devices.sonars:Sonars", or the path of a loose file; several = a clash.
        entry: Its entry point; None for one of a loose file.
        file: The loose file; None for an installed one.
    """

    group: str
    name: str
    places: tuple[str, ...]
    entry: EntryPoint | None = None
    file: Path | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether it is not part of coopsim."""
        return self.entry is None or self.entry.module.partition(".")[0] != _PACKAGE

    @property
    def folder(self) -> Path:
        """Folder that its relative paths begin in."""
        if self.file is not None:
            return self.file.parent
        assert self.entry is not None  # noqa: S101 - it is one or the other
        return Path(importlib.import_module(self.entry.module).__file__ or "").parent


@cache
def _installed() -> Any:  # of another type since Python 3.12
    """Return the entry points of all packages, which are read once: that takes ten milliseconds."""
    return metadata.entry_points()


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group."""
    points: EntryPoints = _installed().select(group=group)
    return points


@cache
def registered(group: str) -> dict[str, Plugin]:
    """Return the members of `group` (one of `GROUPS`) by name, sorted."""
    plugins_found: dict[str, Plugin] = {}
    for point in entry_points(group=f"coopsim.{group}"):
        before = plugins_found.get(point.name)
        places = (*before.places, point.value) if before else (point.value,)
        plugins_found[point.name] = Plugin(group, point.name, tuple(dict.fromkeys(places)), point)
    for loose in _loose.values():
        for name in loose.offers.get(group, {}):
            plugins_found[name] = Plugin(group, name, (shown(loose.path),), file=loose.path)
    return dict(sorted(plugins_found.items()))


@cache
def load(group: str, name: str) -> Any:
    """Return what is registered under `name`.

    Raises:
        NoSuchPlugin: Nothing of this name is registered in `group`, or wheels leave it out.
        PluginClash: Two packages register it.
        PluginFailed: It cannot be imported.
    """
    plugin = registered(group).get(name)
    if plugin is None:
        names = ", ".join(registered(group)) or "none"
        raise NoSuchPlugin(f"{group} has no {name!r}; registered: {names}")
    if len(plugin.places) > 1:
        raise PluginClash(f"{group} {name!r} is registered twice: by {' and by '.join(plugin.places)}")
    if plugin.entry is None:
        assert plugin.file is not None  # noqa: S101 - it is one or the other
        return _loose[plugin.file].offers[group][name]
    with blamed(plugin.places[0]):
        try:
            return plugin.entry.load()
        except ModuleNotFoundError as missing:
            if plugin.is_foreign or str(missing.name) not in plugin.places[0]:
                raise
            text = f"{name.rpartition('/')[2]} is for those who change coopsim: wheels leave it out"
            raise NoSuchPlugin(text).advise(
                f"A checkout has it; in its folder: `{install_command('-e', '.')}`"
            ) from None


def process_command(name: str, *arguments: str) -> tuple[str, ...]:
    """Return the command of a process that a feature brings, `cameras` or `law`: it names a module.

    Raises:
        NoSuchPlugin: No installed package brings this process.
    """
    plugin = registered("processes").get(name)
    if plugin is None:
        names = ", ".join(registered("processes")) or "none"
        raise NoSuchPlugin(f"processes have no {name!r}; registered: {names}; install coopsim anew")
    return module_command(plugin.places[0], *arguments)


def is_foreign(group: str, name: str) -> bool:
    """Return whether `name` is registered, but not by coopsim itself."""
    plugin = registered(group).get(name)
    return plugin is not None and plugin.is_foreign


def add(path: str | Path) -> LooseFile:
    """Load a loose plugin into this process; one that is loaded already stays as it is.

    Args:
        path: A file `.py` with a dictionary `PLUGINS` or a function `law`, or a `.robot` file; `FILE.py::NAME` takes
            the function of that name for a control law.

    Raises:
        NoSuchFile: There is no such file.
        PluginFailed: It has a mistake; the text names file and line.
        PluginClash: It registers a name that is taken.
    """
    path, law = spelled_path(path)
    if path not in _loose or (law and _loose[path].law != law):
        loose = read(path, law)
        _loose.pop(path, None)
        _renew()
        _check(loose)
        _loose[path] = loose
        _renew()
    return _loose[path]


def is_law_file(run: str) -> bool:
    """Return whether a controller is a file beside its scenario, `./lloyd.py`."""
    return run.startswith("./") and run.endswith(".py") and len(run.split()) == 1


def law_name(run: str) -> str:
    """Return the registered name of a controller: `./lloyd.py` is the one law of the loaded file of that name."""
    if is_law_file(run):
        for loose in _loose.values():
            laws = list(loose.offers.get("controllers", ()))
            if loose.path.name == Path(run).name and len(laws) == 1:
                return laws[0]
    return run


def bring(path: Path) -> LooseFile:
    """Load the law that a scenario names, in the place of an older text of it, or of one of another scenario.

    Raises:
        NoSuchFile: There is no such file.
        PluginFailed: It has a mistake, or is not one control law.
        PluginClash: It registers a name that is taken.
    """
    path = path.resolve()
    for outdated in [
        path_brought
        for path_brought in _brought
        if path_brought.name == path.name and not _is_up_to_date(path_brought, path)
    ]:
        _brought.discard(outdated)
        forget(outdated)
    is_new = path not in _loose
    loose = add(path)
    laws = list(loose.offers.get("controllers", ()))
    if len(laws) != 1:
        if is_new:
            forget(path)
        raise PluginFailed(f"{shown(path)} brings {len(laws)} control laws; a file that a scenario runs brings one")
    if is_new:
        _brought.add(path)
    return loose


def _is_up_to_date(path: Path, wanted: Path) -> bool:
    try:
        return path == wanted and hashlib.sha256(path.read_bytes()).hexdigest() == _loose[path].sha256
    except (OSError, KeyError):
        return False


def forget(path: str | Path) -> None:
    """Unregister what a loose plugin registered."""
    _loose.pop(spelled_path(path)[0], None)
    _renew()


def loose_files() -> tuple[LooseFile, ...]:
    """Return the loose plugins of this process, in the order in which they were given."""
    return tuple(_loose.values())


def loading(group: str) -> tuple[str, ...]:
    """Return the options `--plugin FILE` that have another process load what loose plugins offer of a group."""
    return tuple(word for loose in loose_files() if loose.offers.get(group) for word in ("--plugin", loose.spelled))


def _check(loose: LooseFile) -> None:
    for group in GROUPS:
        for name in loose.offers.get(group, {}):
            taken = registered(group).get(name)
            if taken is not None:
                kind = group.removesuffix("s")
                raise PluginClash(
                    f"{shown(loose.path)} registers the {kind} {name!r}, which {taken.places[0]} registers already"
                )
    for path in (offer for name, offer in loose.offers.get("robots", {}).items() if not isinstance(offer, str | Path)):
        raise PluginFailed(f"{shown(loose.path)}: a robot is the path of a .robot file, got {path!r}")


def _renew() -> None:
    registered.cache_clear()
    load.cache_clear()
