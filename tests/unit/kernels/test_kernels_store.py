"""Machine code that is kept is that of the present kernel, of all it calls and of the constants they use."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from coopsim.kernels.store import is_stored

_KERNEL = """
import kept_helper
from kept_helper import half
from coopsim.kernels import compiled

@compiled
def area(x):
    return half(x) * x * kept_helper.SCALE
"""
_HELPER = """
from coopsim.kernels import compiled, inlined
from kept_constants import PART
SCALE = {scale}

@{decorator}
def half(x):
    return PART * x
"""

_OF_A_CLASS = """
from typing import NamedTuple
from coopsim.kernels import compiled

class Sides(NamedTuple):
    a: float
    b: float

@compiled
def area(x):
    return x.a * x.b
"""

Write = Callable[..., Callable[[float], float]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes the three files and returns their kernel as a fresh process would load it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(kernel: str = _KERNEL, *, part: float = 0.5, scale: float = 1.0, by: str = "compiled") -> Any:
        texts = (
            f"PART = {part}\n",
            _HELPER.format(scale=scale, decorator=by),
            kernel,
        )
        for name, text in zip(("kept_constants", "kept_helper", "kept_kernel"), texts, strict=True):
            (tmp_path / f"{name}.py").write_text(text)
            module = _module(name, tmp_path / f"{name}.py")
        return module.area

    yield write
    for name in ("kept_constants", "kept_helper", "kept_kernel"):
        sys.modules.pop(name, None)


def _module(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(file.read_bytes(), str(file), "exec"), vars(module))
    return module


def _stored(kernel: Any) -> set[str]:
    return {path.name for path in Path(kernel.stats.cache_path).glob("kept_kernel.*")}


def test_a_kernel_is_stored_until_it_changes(load: Write) -> None:
    first: Any = load()
    assert not is_stored(first)
    first(4.0)
    assert is_stored(load())
    assert not is_stored(load(part=0.25))


def _was_loaded(kernel: Any) -> bool:
    return bool(sum(kernel.stats.cache_hits.values())) and not sum(kernel.stats.cache_misses.values())


def test_machine_code_is_taken_over_while_nothing_changes(load: Write) -> None:
    assert load()(4.0) == 8.0
    again: Any = load()
    assert again(4.0) == 8.0
    assert _was_loaded(again)


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ({"part": 0.25}, 4.0),
        ({"scale": 3.0}, 24.0),
        ({"by": "inlined"}, 8.0),
        ({"kernel": _KERNEL.replace("* x", "* x * x")}, 32.0),
    ],
    ids=["a constant that a helper imports", "a constant of a module", "how a helper is compiled", "the kernel"],
)
def test_a_change_in_any_file_compiles_the_kernel_anew(load: Write, change: dict[str, Any], value: float) -> None:
    load()(4.0)
    changed: Any = load(**change)
    assert changed(4.0) == value
    assert not _was_loaded(changed)


@pytest.mark.parametrize("by", ["compiled", "inlined"])
def test_a_helper_of_another_file_that_changes_gives_the_new_value(load: Write, tmp_path: Path, by: str) -> None:
    load(by=by)(4.0)
    old = _HELPER.format(scale=1.0, decorator=by)
    load(by=by)
    (tmp_path / "kept_helper.py").write_text(old.replace("PART * x", "PART * x + 1.0"))
    for name in ("kept_helper", "kept_kernel"):
        module = _module(name, tmp_path / f"{name}.py")
    assert module.area(4.0) == 12.0


def test_comments_and_lines_change_nothing(load: Write) -> None:
    load()(4.0)
    moved: Any = load("# what follows has moved\n\n" + _KERNEL.replace("(x):", '(x):\n    """Say so."""'))
    assert moved(4.0) == 8.0
    assert _was_loaded(moved)


def test_old_machine_code_is_replaced(load: Write) -> None:
    first: Any = load()
    first(4.0)
    stored = _stored(first)
    assert len(stored) == 2
    second: Any = load("\n\n" + _KERNEL.replace("half(x)", "2.0 * half(x)"))
    assert second(4.0) == 16.0
    assert _stored(second) == stored


def test_machine_code_of_a_kernel_that_is_gone_is_removed(load: Write) -> None:
    removed = _KERNEL + "\n@compiled\ndef gone(x):\n    return x\n"
    load(removed)
    sys.modules["kept_kernel"].gone(1.0)
    again: Any = load(_KERNEL.replace("half(x)", "2.0 * half(x)"))
    assert any("gone" in name for name in _stored(again))
    again(4.0)
    assert not any("gone" in name for name in _stored(again))


def test_machine_code_for_arguments_of_a_class_that_is_gone_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(name: str) -> Any:
        file = tmp_path / "coopsim_sides.py"
        file.write_text(_OF_A_CLASS.replace("Sides", name))
        module = _module("coopsim.coopsim_sides", file)
        return module.area, getattr(module, name)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    area, kind = write("Sides")
    assert area(kind(2.0, 3.0)) == 6.0
    area, kind = write("Edges")
    assert area(kind(2.0, 4.0)) == 8.0
    assert not _was_loaded(area)
    assert is_stored(area)
    sys.modules.pop("coopsim.coopsim_sides")


def test_each_maker_of_kernels_keeps_its_own(load: Write) -> None:
    make = "def make(k):\n    @compiled\n    def f(x):\n        return k * x\n    return f\n\n"
    for _ in range(2):
        load(_KERNEL + make + "f, g = make(2.0), make(3.0)\n")
        module = sys.modules["kept_kernel"]
        assert (module.f(2.0), module.g(2.0)) == (4.0, 6.0)
    assert _was_loaded(module.f)
    assert _was_loaded(module.g)


def test_an_array_is_a_constant_like_any_other(load: Write) -> None:
    text = _KERNEL.replace("@compiled", "import numpy as np\nTABLE = np.array([1.0, {}])\n\n@compiled")
    text = text.replace("kept_helper.SCALE", "TABLE[1]")
    load(text.format(1.0))(4.0)
    assert load(text.format(2.0))(4.0) == 16.0


def test_stored_machine_code_is_used_without_what_compiles() -> None:
    code = (
        "import sys, numpy as np; from coopsim.kernels.sincos import sincos; from coopsim.kernels import compiled\n"
        "from coopsim.sensing.ray_fan import rays_of\n"
        "rays_of(np.zeros(3)); print('numba.np.arraymath' in sys.modules)"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True).stdout
        for _ in range(2)
    ]
    assert said[1].strip() == "False"
