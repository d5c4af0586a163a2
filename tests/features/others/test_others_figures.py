"""Matplotlib comes when a script asks for a figure of `rps`, or imports pyplot: a stand-in counts its imports."""

import importlib
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from coopsim.features.others.robotarium import figures as figures_module
from coopsim.features.others.robotarium.distances import source_digest
from coopsim.features.others.robotarium.figures import DeferredFigures, may_be_deferred, unused_names
from coopsim.features.others.robotarium.served import served

PYPLOT = """
class Axes: ...
class Figure: ...
class cm:
    class ScalarMappable: ...
made = []
def subplots():
    made.append(Axes())
    return Figure(), made[-1]
def get_cmap(name):
    return lambda number: (name, number)
"""
DRAWING = """
import matplotlib.pyplot as plt
import matplotlib.patches as patches
from matplotlib.lines import Line2D

def colormap() -> plt.cm.ScalarMappable:
    return plt.get_cmap("tab20")

def rectangle():
    return patches.Rectangle, Line2D.width
"""
PATCH = "import matplotlib.pyplot as plt\ndef draw(axes: plt.Axes) -> None: ...\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that draws as `rps` does, whose source is known, and a matplotlib beside it; neither is imported."""
    before = set(sys.modules), list(sys.meta_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    files = {
        "matplotlib/__init__.py": "",
        "matplotlib/pyplot.py": PYPLOT,
        "matplotlib/patches.py": "Rectangle = 'rectangle'\n",
        "matplotlib/lines.py": "class Line2D:\n    width = 3\n",
        "matplotlib/path.py": "",
        "drawn/__init__.py": "",
        "drawn/robotarium_abc.py": DRAWING,
        "drawn/patch_creation/gternal_patch.py": PATCH,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(figures_module, "KNOWN_DRAWING", frozenset({source_digest(DRAWING + PATCH)}))
    yield "drawn"
    for name in set(sys.modules) - before[0]:
        if name.partition(".")[0] in {"matplotlib", "drawn"}:
            del sys.modules[name]
    sys.meta_path[:] = before[1]


def is_loaded() -> bool:
    """Return whether anybody imported pyplot."""
    return "matplotlib.pyplot" in sys.modules


class Drawing:
    """As much of `rps` 2.1 as figures need."""

    TIME_STEP = 0.033

    def __init__(self, *, show_figure: bool = False) -> None:
        self.show_figure = show_figure
        self._poses = np.zeros((3, 2))
        if show_figure:
            self._initialize_visualization()

    def _initialize_visualization(self) -> None:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
        self._fig, self._axes_handle = pyplot.subplots()

    def _nothing(self) -> None: ...

    simulate_accelerations = simulate_gyros = simulate_magnetometers = simulate_orientations = _nothing
    get_accelerations = get_gyros = get_magnetic_fields = get_orientations = get_poses = step = _nothing


def robotarium(figures: DeferredFigures | None) -> Any:
    """Return one that a script asked to draw."""
    kind = served(Drawing, None, is_drawn=False, is_paced=False, figures=figures)  # type: ignore[arg-type]
    return kind(show_figure=True)


def test_the_import_of_rps_loads_no_pyplot_and_its_names_mean_the_real_ones_later(package: str) -> None:
    assert may_be_deferred(package)
    module: Any = DeferredFigures().import_module(f"{package}.robotarium_abc")
    colors = module.colormap()
    assert not is_loaded()
    assert not [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]
    assert colors(3) == ("tab20", 3)
    assert is_loaded()
    assert module.rectangle() == ("rectangle", 3)


def test_only_a_known_source_that_nobody_has_imported_may_wait(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not may_be_deferred("coopsim_without_such_a_package")
    monkeypatch.setitem(sys.modules, package, sys)
    assert not may_be_deferred(package)
    monkeypatch.delitem(sys.modules, package)
    importlib.import_module("matplotlib.pyplot")
    assert not may_be_deferred(package)
    for name in ("matplotlib.pyplot", "matplotlib"):
        monkeypatch.delitem(sys.modules, name)
    assert may_be_deferred(package)
    monkeypatch.setattr(figures_module, "KNOWN_DRAWING", frozenset({"another"}))
    assert not may_be_deferred(package)


def test_a_figure_is_made_when_a_script_asks_for_its_axes(package: str) -> None:
    figures = DeferredFigures()
    figures.import_module(f"{package}.robotarium_abc")
    drawn = robotarium(figures)
    assert drawn.show_figure is True
    assert not is_loaded()
    assert type(drawn._axes_handle).__name__ == "Axes"
    assert drawn._axes_handle is drawn._axes_handle
    assert len(sys.modules["matplotlib.pyplot"].made) == 1
    with pytest.raises(AttributeError, match="'Robotarium' object has no attribute 'anything'"):
        _ = drawn.anything


def test_a_late_import_of_pyplot_finds_the_figure(package: str) -> None:
    figures = DeferredFigures()
    figures.import_module(f"{package}.robotarium_abc")
    drawn = robotarium(figures)
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    assert "_axes_handle" not in vars(drawn)  # imported, and not used
    assert pyplot.made == [drawn._axes_handle]
    assert figures not in sys.meta_path


def test_a_script_that_has_pyplot_gets_its_figure_at_once(package: str) -> None:
    figures = DeferredFigures()
    figures.import_module(f"{package}.robotarium_abc")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    assert pyplot.made == []
    for maker in (figures, None):
        drawn = robotarium(maker)
        assert pyplot.made[-1] is vars(drawn)["_axes_handle"]
    assert len(pyplot.made) == 2


def test_what_a_script_imports_and_does_not_use_is_never_loaded(package: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import matplotlib\nimport matplotlib.pyplot as plt\nfrom matplotlib import pyplot\n"
        "from matplotlib.patches import Rectangle, Polygon as Used\n",
        encoding="utf-8",
    )
    assert unused_names(script) == {
        ("matplotlib", "pyplot"),
        ("matplotlib.patches", "Rectangle"),
        ("matplotlib.patches", "Polygon"),
    }
    figures = DeferredFigures(frozenset({("matplotlib.patches", "Rectangle")}))
    figures.import_module(f"{package}.robotarium_abc")
    lines = "import matplotlib\nimport matplotlib.pyplot as plt\nfrom matplotlib import pyplot\n"
    script.write_text(f"{lines}from matplotlib.patches import Rectangle\n", encoding="utf-8")
    names = runpy.run_path(str(script), run_name="__main__")
    assert names["plt"] is names["pyplot"] is names["matplotlib"].pyplot is sys.modules["matplotlib.pyplot"]
    for module in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches"):
        assert type(sys.modules[module]) is not ModuleType  # waits
    assert names["Rectangle"].upper() == "RECTANGLE"  # used by another way all the same
    assert type(sys.modules["matplotlib.patches"]) is ModuleType
    assert names["plt"].made == []


@pytest.mark.parametrize(
    "text", ["from matplotlib.patches import Rectangle\nRectangle\n", "from . import (\n", "import os\n"]
)
def test_names_that_are_used_or_cannot_be_read_wait_for_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    assert unused_names(tmp_path / "script.py") == frozenset()
    assert unused_names(tmp_path / "none.py") == frozenset()


def test_a_used_module_comes_after_its_package_and_once(package: str, tmp_path: Path) -> None:
    (tmp_path / "matplotlib/__init__.py").write_text(
        "loaded = []\nimport matplotlib.colors\nloaded.append('root')\n", encoding="utf-8"
    )
    (tmp_path / "matplotlib/colors.py").write_text(
        "import matplotlib\nmatplotlib.loaded.append('colors')\n", encoding="utf-8"
    )
    (tmp_path / "matplotlib/path.py").write_text(
        "from matplotlib import loaded\nloaded.append('path')\n", encoding="utf-8"
    )
    DeferredFigures().import_module(f"{package}.robotarium_abc")
    matplotlib: Any = importlib.import_module("matplotlib")
    path: Any = importlib.import_module("matplotlib.path")
    assert "loaded" not in vars(matplotlib)
    colors: Any = importlib.import_module("matplotlib.colors")
    assert vars(matplotlib)["loaded"] == ["colors", "root"]
    assert colors is matplotlib.colors
    assert colors.__spec__.origin == str(tmp_path / "matplotlib/colors.py")
    assert path.loaded == ["colors", "root", "path"]
    path.curve = 4
    assert path.curve == 4


def test_what_is_written_into_a_waiting_module_stays(package: str) -> None:
    DeferredFigures().import_module(f"{package}.robotarium_abc")
    patches: Any = importlib.import_module("matplotlib.patches")
    patches.Rectangle = "mine"
    assert patches.Rectangle == "mine"
