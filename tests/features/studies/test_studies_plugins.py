"""A process that does the runs of several studies has the plugins of the one whose run it does."""

from pathlib import Path

from coopsim import plugins
from coopsim.features.studies.job import load_plugins
from coopsim.features.studies.trial import ScenarioJob
from coopsim.robots import RunSpec
from coopsim.scene import Scenario


def test_plugins_of_a_study_take_the_place_of_those_of_the_study_before(tmp_path: Path) -> None:
    plugin_file = tmp_path / "mine.py"
    texts = [b"PLUGINS = {'metrics': {'mine': lambda run: %d}}\n" % number for number in (1, 2)]
    before = plugins.registered("metrics")
    for number, text in enumerate(texts, 1):
        plugin_file.write_bytes(text)
        for _ in range(2):
            load_plugins(ScenarioJob(RunSpec(Scenario()), 1.0, plugins=((str(plugin_file), text),)))
            assert plugins.load("metrics", "mine")(None) == number
    load_plugins(ScenarioJob(RunSpec(Scenario()), 1.0, plugins=()))
    assert plugins.registered("metrics") == before


def test_a_plugin_whose_file_is_not_here_is_loaded_from_what_came_with_the_study(tmp_path: Path) -> None:
    raw = b"PLUGINS = {'metrics': {'mine': lambda run: 3}}\n"
    load_plugins(ScenarioJob(RunSpec(Scenario()), 1.0, plugins=((str(tmp_path / "gone.py"), raw),)))
    assert plugins.load("metrics", "mine")(None) == 3
    copy = next(loose_file.path for loose_file in plugins.loose_files() if loose_file.path.name == "gone.py")
    assert copy.read_bytes() == raw
    load_plugins(ScenarioJob(RunSpec(Scenario()), 1.0, plugins=()))
    assert not copy.parent.exists()
