"""Files that are loaded while running: --plugin FILE."""

import hashlib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from plugin_sources import GAS, ROBOT, SCENARIO, Put

from coopsim import plugins
from coopsim.errors import BadFile, NoSuchFile, NoSuchPlugin, PluginClash, PluginFailed
from coopsim.plugins import blame, blamed, blamed_location, shown
from coopsim.robots import TypeRegistry, check, load, load_type, plug


def test_a_loose_device_is_known_like_an_installed_one(put: Put) -> None:
    loose = plug(put("gas.py", GAS))
    assert "gas" in plugins.registered("devices")
    assert plugins.load("devices", "gas").__name__ == "Gas"
    assert TypeRegistry().devices["gas"].kind == "gas"
    assert plugins.is_foreign("devices", "gas")
    assert plugins.registered("devices")["gas"].places == ("gas.py",)
    assert loose.sha256 == hashlib.sha256(GAS.encode()).hexdigest()


def test_a_file_that_is_given_twice_is_loaded_once(put: Put) -> None:
    path = put("gas.py", GAS)
    assert plug(path) is plug(Path("gas.py"))
    assert len(plugins.loose_files()) == 1


def test_what_is_forgotten_is_unknown_again(put: Put) -> None:
    path = put("gas.py", GAS)
    plug(path)
    plugins.forget(path)
    with pytest.raises(NoSuchPlugin):
        plugins.load("devices", "gas")


def test_an_edit_is_seen_however_soon_it_comes(put: Put) -> None:
    path = put("gas.py", GAS)
    plug(path)
    plugins.forget(path)
    path.write_text(GAS.replace("2.0", "3.0"))
    plug(path)
    assert plugins.load("devices", "gas").interface.parameter("gain").default == 3.0


def test_a_plugin_may_import_its_neighbours(put: Put) -> None:
    put("lamp_neighbour_of_a_test.py", "KIND = 'x'\n")
    path = put("gas.py", "import lamp_neighbour_of_a_test\n" + GAS)
    assert plug(path).offers["devices"]["gas"]


def test_neighbours_are_found_late_too_by_plugins_alone_and_behind_installed_packages(put: Put) -> None:
    put("package_that_numpy_would_like.py", "KIND = 'x'\n")
    put("numpy.py", "raise SystemExit('taken for numpy')\n")
    late = "def asked():\n    import package_that_numpy_would_like\n    return package_that_numpy_would_like.KIND\n"
    gas = plug(put("gas.py", "import numpy\n" + late + GAS)).offers["devices"]["gas"]
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("package_that_numpy_would_like")
    assert sys.modules[gas.__module__].asked() == "x"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\ny = 1 / 0\n", r"^mine\.py:2: mine\.py: ZeroDivisionError: division by zero"),
        ("def f(:\n", r"^mine\.py:1: mine\.py: SyntaxError"),
        ("\nimport nothing_that_is_there\n", r"^mine\.py:2: mine\.py: ModuleNotFoundError"),
        ("\n\nraise SystemExit(2)\n", r"^mine\.py:3: mine\.py: SystemExit"),
        ("x = 1\n", r"^mine\.py:1: the file registers nothing; end it with"),
        ("\nPLUGINS = [1]\n", r"^mine\.py:2: PLUGINS must have the form"),
        ("PLUGINS = {'device': {}}\n", r"^mine\.py:1: PLUGINS knows no group 'device' \(device → devices\?\)"),
        ("PLUGINS = {'devices': {'a b': 1}}\n", r"^mine\.py:1: 'a b' cannot be a name"),
        ("PLUGINS: dict = {'devices': {'gas': 1}}\n", "device gas: expected a class"),
        ("PLUGINS = {'controllers': {'go': 1}}\n", "controller go: expected main"),
        ("PLUGINS = {'engines': {'new': dict}}\n", "engine new: dict has no method step"),
        ("PLUGINS = {'robots': {'rover': 3}}\n", "a robot is the path of a .robot file, got 3"),
        ("PLUGINS = {'robots': {'rover': 'other.robot'}}\n", "must be the path of a file rover.robot"),
        ("a = '\0'\n", "null bytes"),
    ],
)
def test_a_mistake_is_told_with_file_and_line_and_leaves_nothing_behind(put: Put, source: str, words: str) -> None:
    before = {group: list(plugins.registered(group)) for group in plugins.GROUPS}
    with pytest.raises(PluginFailed, match=words):
        plug(put("mine.py", source))
    assert {group: list(plugins.registered(group)) for group in plugins.GROUPS} == before
    assert not plugins.loose_files()


def test_a_file_that_is_missing_or_of_another_kind_is_refused(put: Put, tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match=r"nothing\.py: no such file"):
        plug("nothing.py")
    with pytest.raises(NoSuchFile, match="is a directory"):
        plug(tmp_path)
    with pytest.raises(PluginFailed, match=r"notes\.txt: a plugin is a file \.py or \.robot"):
        plug(put("notes.txt", "x"))


def test_a_name_that_is_taken_is_refused_with_both_places(put: Put) -> None:
    with pytest.raises(
        PluginClash, match=r"mine\.py registers the device 'sonars', which coopsim\.devices\.sonars:Son"
    ):
        plug(put("mine.py", GAS.replace('{"gas": Gas}', '{"sonars": Gas}')))
    plug(put("gas.py", GAS))
    with pytest.raises(PluginClash, match=r"other/gas\.py registers the device 'gas', which gas\.py registers"):
        plug(put("other/gas.py", GAS))
    with pytest.raises(PluginClash, match=r"single\.robot registers the robot 'single', which .*types/single\.robot"):
        plug(put("single.robot", ROBOT))


# robots


def test_a_loose_robot_type_is_found_from_any_scenario(put: Put) -> None:
    plug(put("gas.py", GAS))
    plug(put("types/carrier.robot", ROBOT))
    spec = load(put("try.scenario", SCENARIO))
    assert spec.types["carrier"].summary == load_type("carrier").summary == "carries a sensor of gas"


def test_a_program_may_bring_robots_by_paths_beside_it(put: Put) -> None:
    put("types/carrier.robot", ROBOT)
    both = '{"devices": {"gas": Gas}, "robots": {"carrier": "carrier.robot"}}'
    plug(put("types/gas.py", GAS.replace('{"devices": {"gas": Gas}}', both)))
    assert load(put("try.scenario", SCENARIO)).types["carrier"].mass == 10


def test_a_robot_type_that_is_beside_the_scenario_too_is_refused_with_both_places(put: Put) -> None:
    plug(put("gas.py", GAS))
    plug(put("types/carrier.robot", ROBOT))
    put("carrier.robot", ROBOT)
    with pytest.raises(BadFile, match=r"5:13: .*'carrier' is there twice: carrier\.robot and types/carrier\.r"):
        load(put("try.scenario", SCENARIO))


def test_the_same_file_given_and_found_beside_the_scenario_is_no_clash(put: Put) -> None:
    plug(put("gas.py", GAS))
    plug(put("carrier.robot", ROBOT))
    assert load(put("try.scenario", SCENARIO)).types["carrier"].name == "carrier"


def test_typing_errors_get_the_names_of_loose_plugins_as_hints(put: Put) -> None:
    plug(put("gas.py", GAS))
    (problem,) = check(put("carrier.robot", ROBOT.replace("type        gas", "type        gass")))
    assert "gass → gas?" in str(problem)
    put("carrier.robot", ROBOT)
    (problem, _) = check(put("try.scenario", SCENARIO.replace("type        carrier", "type        carier")))
    assert "carier → carrier?" in str(problem)


# whose line it was


def test_the_innermost_line_of_the_plugin_is_to_blame_not_what_it_calls(put: Put) -> None:
    path = put("deep.py", "import json\ndef go():\n    return inner()\ndef inner():\n    return json.loads('{')\n")
    names: dict[str, Callable[[], None]] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(ValueError, match="Expecting") as raised:
        names["go"]()
    trace = raised.value.__traceback__
    assert trace is not None
    problem = raised.value.with_traceback(trace.tb_next)  # who calls it in earnest is our own
    assert str(blame("device gas", problem)).startswith("deep.py:5: device gas: JSONDecodeError: Expecting")


def test_our_own_errors_and_what_is_told_already_stay_as_they_are() -> None:
    plugin_failed = PluginFailed("here:1: it")
    assert blame("device gas", plugin_failed) is plugin_failed
    with pytest.raises(NoSuchFile), blamed("device gas"):
        raise NoSuchFile("x")


def test_without_a_foreign_line_the_one_who_failed_is_named() -> None:
    assert str(blame("device gas", ValueError("a\n  b"))) == "device gas: ValueError: a b"
    assert str(blame("device gas", KeyboardInterrupt())) == "device gas: KeyboardInterrupt"
    assert blamed_location(ValueError()) == ""


def test_paths_are_shown_as_people_give_them(put: Put, tmp_path: Path) -> None:
    assert shown(put("a/b.py", "")) == "a/b.py"
    assert shown("/usr/lib") == "/usr/lib"
