"""Matplotlib of `rps`, loaded when a script asks for a figure: without it a short script takes half of the time.

`rps` 2.1 names matplotlib in its annotations and uses it where it draws. So it is imported with stand-ins for these
modules, and each name is looked up in the real ones when it is used. Modules that a script imports itself are loaded
when it uses them first; then everything is as usual, also when that comes late.
"""

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from coopsim.features.others.robotarium.distances import source_digest

_ROOT: Final = "matplotlib"
_PREFIX: Final = f"{_ROOT}."
_FIGURES: Final = "__coopsim_figures__"
"""Name in a waiting module by which it knows what loads it."""
_PYPLOT: Final = "matplotlib.pyplot"
_MODULES: Final = (_ROOT, _PYPLOT, "matplotlib.patches", "matplotlib.path", "matplotlib.lines")
_FILES: Final = ("robotarium_abc.py", "patch_creation/gternal_patch.py")
"""Files of `rps` that import matplotlib."""
_PURE: Final = frozenset({"get_cmap"})
"""Functions that only return something: it is asked for when that is used."""
KNOWN_DRAWING: Final = frozenset({"c3e7a5a7da4f55af"})
"""Sources of these files in which matplotlib may come later: those of 2.1."""
FIGURE: Final = frozenset(
    {"_fig", "_axes_handle", "_robot_handle", "_distance_endpoint_patches", "_distance_ray_lines"}
)
"""Attributes that a robotarium has once its figure is there."""


def may_be_deferred(package: str) -> bool:
    """Return whether nothing has imported `rps` and pyplot yet, and matplotlib may come later in this `rps`."""
    if package in sys.modules or _PYPLOT in sys.modules or importlib.util.find_spec("matplotlib") is None:
        return False
    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    try:
        text = "".join((Path(folders[0]) / file).read_text(encoding="utf-8") for file in _FILES)
    except (OSError, IndexError, ValueError):  # an older one, or one that is no folder
        return False
    return source_digest(text) in KNOWN_DRAWING


class DeferredFigures(MetaPathFinder):
    """Figures of robotariums that are made when a script asks for them, or uses pyplot.

    Args:
        unused: Pairs of a module of matplotlib and a name in it that a script imports and does not use.
    """

    def __init__(self, unused: frozenset[tuple[str, str]] = frozenset()) -> None:
        self._due: list[Callable[[], object]] = []
        self._waiting: dict[str, Callable[[ModuleType], None]] = {}
        self._has_loaded = False
        self.unused, self.is_importing = unused, False

    def import_module(self, name: str) -> ModuleType:
        """Import a module of `rps`, for which stand-ins take the place of matplotlib."""
        stand_ins = {module: _DeferredModule(module, self) for module in _MODULES}
        for module in _MODULES[1:]:  # `import a.b as c` reads it from `a`
            package, _, child = module.partition(".")
            setattr(stand_ins[package], child, stand_ins[module])
        missing = {module: stand_in for module, stand_in in stand_ins.items() if module not in sys.modules}
        sys.modules.update(missing)
        self.is_importing = True
        try:
            return importlib.import_module(name)
        finally:
            self.is_importing = False
            for module in missing:
                del sys.modules[module]
            sys.meta_path.insert(0, self)

    def defer(self, draw: Callable[[], object]) -> bool:
        """Have a figure made as soon as somebody uses pyplot; return whether that is still to come."""
        if _PYPLOT in sys.modules and _PYPLOT not in self._waiting:
            return False
        self._due.append(draw)
        return True

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Have modules of matplotlib that a script imports wait until it uses them; others are left to other finders.

        As soon as one is loaded, those that come after it are, too, and what is due is drawn with pyplot.
        """
        if name not in _MODULES:
            if name.startswith(_PREFIX) and self._waiting.get(_ROOT):
                self.load(sys.modules[_ROOT])
                return _present(name)
            return None
        finders = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(name, path, target) for finder in finders if hasattr(finder, "find_spec"))
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module
            spec.loader.exec_module = partial(self._wait, load)  # type: ignore[method-assign]  # of a spec of our own
        return spec

    def _wait(self, load: Callable[[ModuleType], None], module: ModuleType) -> None:
        self._waiting[module.__name__] = load
        if self._has_loaded:
            self.load(module)
        else:
            module.__class__ = _WaitingModule
            vars(module)[_FIGURES] = self

    def load(self, module: ModuleType) -> None:
        """Load a module that waits, after its package; draw what is due once that is pyplot."""
        name = module.__name__
        if name not in self._waiting:
            return
        self._has_loaded = True
        if name != _ROOT and _ROOT in self._waiting:
            self.load(sys.modules[_ROOT])
        ModuleType.__setattr__(module, "__class__", ModuleType)
        vars(module).pop(_FIGURES, None)
        self._waiting.pop(name)(module)
        if name == _PYPLOT:
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
            due, self._due = self._due, []
            for draw in due:
                draw()


class _WaitingModule(ModuleType):
    """A module of matplotlib that a script has imported and not used yet."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # the import system asks for it
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in _MODULES:
            return importlib.import_module(f"{self.__name__}.{name}")
        figures: DeferredFigures = vars(self)[_FIGURES]
        by_script = sys._getframe(1).f_globals.get("__name__") == "__main__"  # noqa: SLF001 - who asks
        if by_script and (self.__name__, name) in figures.unused:
            return _Deferred(lambda: getattr(self, name), figures)
        figures.load(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, ModuleType):  # the import system puts modules into their packages
            vars(self)[_FIGURES].load(self)
        ModuleType.__setattr__(self, name, value)  # it is no longer of this class


def unused_names(script: Path) -> frozenset[tuple[str, str]]:
    """Return names that a script imports from matplotlib and does not use, each with its module."""
    try:
        nodes = list(ast.walk(ast.parse(script.read_bytes())))
    except (OSError, SyntaxError, ValueError):  # Python says so when it runs the script
        return frozenset()
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in _MODULES]
    names = ((node.module or "", alias) for node in imports for alias in node.names)
    return frozenset((module, alias.name) for module, alias in names if (alias.asname or alias.name) not in used)


def _present(name: str) -> ModuleSpec | None:
    """Return how a module is found that came with the load of its package, None where it did not."""
    module = sys.modules.get(name)
    if module is None:
        return None
    spec = ModuleSpec(name, _PresentLoader(module))
    module.__spec__ = spec  # the import system prefers that one to what a finder returns
    return spec


class _PresentLoader(Loader):
    """Gives a module that is there already.

    Args:
        module: As it was loaded.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, _: ModuleSpec) -> ModuleType:
        """Return it."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Leave it as it is."""
        module.__spec__ = self._spec


class _Deferred:
    """A value that is asked for when it is used.

    Args:
        value: Returns it.
        figures: Knows whether `rps` is still being imported: then parts of it are deferred, too.
    """

    def __init__(self, value: Callable[[], Any], figures: DeferredFigures) -> None:
        self._value, self._figures = value, figures

    def __getattr__(self, name: str) -> Any:
        if self._figures.is_importing:
            return _Deferred(lambda: getattr(self._value(), name), self._figures)
        return getattr(self._value(), name)

    def __call__(self, *arguments: Any, **choices: Any) -> Any:
        return self._value()(*arguments, **choices)


class _DeferredModule(ModuleType):
    """A module that is imported when something of it is used."""

    def __init__(self, name: str, figures: DeferredFigures) -> None:
        super().__init__(name)
        self._figures = figures
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system asks for these
            raise AttributeError(name)
        if self._figures.is_importing:
            return _Deferred(partial(self._real, name), self._figures)
        if name in _PURE:
            return lambda *arguments: _Deferred(lambda: self._real(name)(*arguments), self._figures)
        return self._real(name)

    def _real(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)
