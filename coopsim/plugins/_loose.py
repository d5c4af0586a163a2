"""Loose plugins: files that are loaded while running, without being installed."""

import ast
import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from coopsim.errors import NoSuchFile, PluginFailed
from coopsim.plugins._blame import blame, is_interrupt, shown
from coopsim.suggest import hint

# Modules that lie beside a loose plugin: found by code of that folder, and by nobody else.
_MACHINERY = ("<frozen importlib", "importlib/__init__.py")


class NeighbourFinder:
    """Finds neighbours of plugins behind all that is installed; one for each process.

    A folder on `sys.path` would serve everybody: packages try to import what they can do without, and a plugin
    `coverage.py` would be taken for the package of that name.
    """

    def __init__(self) -> None:
        self._folders: list[str] = []

    def add(self, folder: Path) -> None:
        """Let the modules of a folder import each other."""
        if str(folder) not in self._folders:
            self._folders.append(str(folder))
        if self not in sys.meta_path:
            sys.meta_path.append(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module lies beside the code that imports it; None = not there."""
        if path is not None:  # of a package, which is found where that lies
            return None
        file = _importing_file()
        folders = [folder for folder in self._folders if file.startswith(folder + os.sep)]
        return PathFinder.find_spec(name, folders, target) if folders else None


def _importing_file() -> str:
    """Return the file of the code that imports a module just now."""
    frame = sys._getframe(2)  # noqa: SLF001 - the machinery of imports does not say who asks
    while frame.f_back is not None and _is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename


def _is_machinery(file: str) -> bool:
    return file.startswith(_MACHINERY[0]) or file.endswith(_MACHINERY[1])


NEIGHBOURS = NeighbourFinder()


GROUPS = (
    "devices",
    "engines",
    "controllers",
    "robots",
    "metrics",
    "components",
    "extensions",
    "behaviours",
    "bots",
    "sections",
    "robot_readers",
    "robot_models",
    "mesh_readers",
    "renderers",
    "panels",
    "layouts",
    "law_checks",
)
DECLARATION = "PLUGINS"
LAW = "law"
"""Name of the function that makes a file without a declaration a control law."""
_OF = "::"
_loading: list[Path] = []
"""Files that are being loaded."""
_PATH = "Give the path of a plugin, a file .py or .robot; .xml is an artifact; installed plugins need none."
_EXAMPLE = f'{DECLARATION} = {{"devices": {{"lamp": Lamp}}}}'


class PlainLaw:
    """A control law that is a function of readings, `law(seen, gain=0.3)`, or a class whose objects are such functions.

    Args:
        name: What scenarios and studies call it.
        decide: Returns commands, None when it is done; what it takes besides the readings are parameters.
    """

    def __init__(self, name: str, decide: Callable[..., Any]) -> None:
        self.name, self.decide = name, decide
        self.__doc__ = decide.__doc__


@dataclass(frozen=True)
class LooseFile:
    """A file that was loaded.

    Attributes:
        path: Absolute.
        sha256: Of its bytes, hexadecimal.
        offers: What it registers, by group and name.
        law: Name of the function in it that is taken for a control law; "" = it says itself what it registers.
    """

    path: Path
    sha256: str
    offers: Mapping[str, Mapping[str, Any]]
    law: str = ""

    @property
    def spelled(self) -> str:
        """Spelling for another process: `FILE.py`, or `FILE.py::FUNCTION`."""
        return f"{self.path}{_OF}{self.law}" if self.law else str(self.path)


def spelled_path(text: str | Path) -> tuple[Path, str]:
    """Return the path of a file, and the name of the function in it that is meant, "" for none."""
    file, _, law = str(text).partition(_OF)
    return Path(file).resolve(), law


def is_loading() -> bool:
    """Return whether a loose plugin is being loaded by this process right now."""
    return bool(_loading)


def read(path: Path, law: str = "") -> LooseFile:
    """Load a file: a program with a dictionary `PLUGINS` or a function `law`, or a robot type, `.robot` or `.xml`.

    Args:
        path: Of the file.
        law: Name of a function in it that is a control law.

    Raises:
        NoSuchFile: There is no such file, or it cannot be read.
        PluginFailed: It is neither, or it fails; the text names file and line.
    """
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise NoSuchFile(f"{shown(path)}: {(problem.strerror or 'cannot be read').lower()}").advise(_PATH) from None
    digest = hashlib.sha256(raw).hexdigest()
    match path.suffix:
        case ".robot" | ".xml":
            return LooseFile(path, digest, {"robots": {path.stem: path}})
        case ".py":
            module = _run(path, raw, digest)
            if law:
                return LooseFile(path, digest, {"controllers": {law: PlainLaw(law, _function(path, module, law))}}, law)
            plain = getattr(module, LAW, None)
            if not hasattr(module, DECLARATION) and callable(plain):
                return LooseFile(path, digest, {"controllers": {path.stem: PlainLaw(path.stem, plain)}})
            return LooseFile(path, digest, _declared(path, raw, module))
    raise PluginFailed(f"{shown(path)}: a plugin is a file .py or .robot, or an artifact .xml").advise(_PATH)


def _run(path: Path, raw: bytes, digest: str) -> ModuleType:
    """Return the file as a module."""
    name = f"coopsim_plugin_{path.stem}_{digest[:8]}"  # two files of one name are two modules
    spec = importlib.util.spec_from_loader(name, None, origin=str(path))
    assert spec is not None  # noqa: S101 - it is made of what was given
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[name] = module
    NEIGHBOURS.add(path.parent)
    _loading.append(path)
    try:
        # not by the import machinery: its cache of compiled files takes two edits within a second for one
        exec(compile(raw, str(path), "exec"), vars(module))  # noqa: S102 - to run this file is what was asked for
    except BaseException as problem:
        if is_interrupt(problem):
            raise
        del sys.modules[name]
        raise blame(shown(path), problem) from problem
    finally:
        _loading.pop()
    return module


def _function(path: Path, module: ModuleType, name: str) -> Callable[..., Any]:
    function = getattr(module, name, None)
    if not callable(function):
        raise PluginFailed(f"{shown(path)} has no function {name!r}, which was taken for a control law")
    return function  # type: ignore[no-any-return]  # what a file defines is known to nobody


def _declared(path: Path, raw: bytes, module: ModuleType) -> Mapping[str, Mapping[str, Any]]:
    """Return what the module registers, its form checked."""
    place = f"{shown(path)}:{_line(raw)}"
    offers = getattr(module, DECLARATION, None)
    if offers is None:
        raise PluginFailed(
            f"{place}: the file registers nothing; end it with a line such as {_EXAMPLE}, or name a"
            f" function of readings {LAW!r}: then the file is a control law"
        )
    if not isinstance(offers, dict) or not all(isinstance(offer, dict) for offer in offers.values()):
        raise PluginFailed(f"{place}: {DECLARATION} must have the form {_EXAMPLE}")
    for group, things in offers.items():
        if group not in GROUPS:
            text = hint(str(group), GROUPS)
            raise PluginFailed(f"{place}: {DECLARATION} knows no group {group!r}{text}; known: {', '.join(GROUPS)}")
        for name in things:
            if not isinstance(name, str) or not name.isidentifier():
                raise PluginFailed(f"{place}: {name!r} cannot be a name; use letters, digits and _")
    return offers


def _line(raw: bytes) -> int:
    """Return the line of the declaration, 1 without one."""
    for node in ast.parse(raw).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == DECLARATION for target in targets):
            return node.lineno
    return 1
