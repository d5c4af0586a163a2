"""Finding engines, devices and control laws by name."""

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.errors import NoSuchPlugin, PluginClash, PluginFailed
from coopsim.plugins import _registry

Register = Callable[..., None]


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """Register what a file of the given source offers as the device `mine`."""
    points: list[EntryPoint] = []
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_registry, "entry_points", lambda group: points if group == "coopsim.devices" else [])
    _registry._renew()

    def put(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source)
        points.append(EntryPoint("mine", f"{name}:Mine", "coopsim.devices"))

    yield put
    monkeypatch.undo()
    _registry._renew()


def test_names_are_sorted_and_the_built_in_ones_are_there() -> None:
    devices = list(plugins.registered("devices"))
    assert devices == sorted(devices)
    assert {"bumpers", "compass", "differential_drive", "gps", "odometry", "sonars", "target"} <= set(devices)
    assert "pymunk" in plugins.registered("engines")


def test_what_is_part_of_coopsim_is_not_foreign(register: Register) -> None:
    register("plugin_foreign", "Mine = 1\n")
    assert plugins.is_foreign("devices", "mine")
    assert not plugins.is_foreign("devices", "nothing")
    _registry.registered.cache_clear()


def test_a_name_gives_what_is_registered_under_it(register: Register) -> None:
    register("plugin_fine", "class Mine:\n    kind = 'mine'\n")
    assert plugins.load("devices", "mine").kind == "mine"


def test_an_unknown_name_lists_the_known_ones(register: Register) -> None:
    register("plugin_other", "Mine = 1\n")
    with pytest.raises(NoSuchPlugin, match="'sonnars'; registered: mine"):
        plugins.load("devices", "sonnars")


def test_a_group_without_members_says_so() -> None:
    with pytest.raises(NoSuchPlugin, match="registered: none"):
        plugins.load("teapots", "brown")


def test_a_name_that_two_packages_register_is_refused_with_both_places(register: Register) -> None:
    register("plugin_first", "Mine = 1\n")
    register("plugin_second", "Mine = 2\n")
    with pytest.raises(PluginClash, match="'mine' is registered twice: by plugin_first:Mine and by plugin_second:Mine"):
        plugins.load("devices", "mine")


@pytest.mark.parametrize(
    ("source", "line", "what"),
    [
        ("import math\nmath.sqrt(-1)\n", 2, "ValueError"),
        ("class Mine\n    pass\n", 1, "SyntaxError"),
        ("\n\nimport no_such_module_anywhere\n", 3, "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit"),
    ],
)
def test_a_plugin_that_fails_is_named_with_file_and_line(register: Register, source: str, line: int, what: str) -> None:
    name = f"plugin_bad_{what.lower()}"
    register(name, source)
    with pytest.raises(PluginFailed, match=rf"{name}\.py:{line}: {name}:Mine: {what}"):
        plugins.load("devices", "mine")


def test_a_plugin_without_the_promised_name_is_named(register: Register) -> None:
    register("plugin_lacking", "Yours = 1\n")
    with pytest.raises(PluginFailed, match="plugin_lacking:Mine: AttributeError"):
        plugins.load("devices", "mine")
