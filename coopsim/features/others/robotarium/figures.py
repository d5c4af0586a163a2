"""Matplotlib of `rps`, loaded when a script asks for a figure: without it a short script takes half of the time.

`rps` 2.1 names matplotlib in its annotations and uses it where it draws. So it is imported with stand-ins for these
modules, and each name is looked up in the real ones when it is used. A script that imports `matplotlib.pyplot` itself
has everything as usual, also when it does so late.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from coopsim.features.others.robotarium.distances import source_digest

_PYPLOT: Final = "matplotlib.pyplot"
_MODULES: Final = ("matplotlib", _PYPLOT, "matplotlib.patches", "matplotlib.path", "matplotlib.lines")
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
    """Figures of robotariums that are made when a script asks for them, or imports pyplot."""

    def __init__(self) -> None:
        self._due: list[Callable[[], object]] = []
        self.is_importing = False

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
        """Have a figure made as soon as somebody imports pyplot; return whether that is still to come."""
        if _PYPLOT in sys.modules:
            return False
        self._due.append(draw)
        return True

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """Have what is due drawn after the import of pyplot; all else is left to other finders."""
        if name != _PYPLOT:
            return None
        self.end()
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = partial(self._load, spec.loader.exec_module)  # type: ignore[method-assign]
        return spec

    def _load(self, load: Callable[[ModuleType], None], module: ModuleType) -> None:
        load(module)
        due, self._due = self._due, []
        for draw in due:
            draw()

    def end(self) -> None:
        """Watch imports no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


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
