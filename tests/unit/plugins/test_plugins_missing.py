"""`verify` and `info` where something is missing that a recording was made with: nobody can tell, and what to add."""

import json
from pathlib import Path

import pytest
from plugin_sources import GAS, ROBOT, SCENARIO, Put

from coopsim import plugins
from coopsim.app.main import run
from coopsim.replay.about import attachments, metadata
from coopsim.robots import load, plug
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

SPREAD = '''"""How far robots are apart."""


def spread(run):
    """Return nothing."""
    return None


PLUGINS = {"metrics": {"spread": spread}}
'''
GOAL = "\n[GOAL_1]\nscore spread below 4\n"


def recorded(put: Put, scenario: str, *files: tuple[str, str]) -> Path:
    """Record a run with plugins, and forget these."""
    for name, text in files:
        plug(put(name, text))
    spec = load(put("run.scenario", scenario))
    path = put("run.scenario", scenario).with_name("run.mcap")
    with RecordedRun(Simulation(spec), path, metadata=metadata(spec, {}), attachments=attachments(spec, {})) as taken:
        taken.tick(20)
    for loose in plugins.loose_files():
        plugins.forget(loose.path)
    return path


@pytest.fixture
def judged(put: Put) -> Path:
    return recorded(
        put, f"[WORLD]\nfile arena.world\n[ROBOT_1]\ntype single\nname robot1\n{GOAL}", ("spread.py", SPREAD)
    )


def test_a_missing_metric_leaves_the_states_proved_and_says_what_to_add(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(judged)]) == 4
    said = capsys.readouterr().out
    assert "cannot tell: the metric 'spread' is not here; add --plugin spread.py (sha256 " in said
    assert "identical as far as compared, 20 of 20 ticks" in said
    assert run(["verify", str(judged), "--plugin", "spread.py"]) == 0
    assert "identical, 20 ticks" in capsys.readouterr().out


def test_info_names_the_plugins_and_what_each_is_for(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(judged), "--json"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["needs"] == ["spread.py for metric spread"]
    assert list(said["plugins"]) == ["spread.py"]


def test_without_the_plugin_of_a_device_nobody_can_tell(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(put, SCENARIO, ("gas.py", GAS), ("carrier.robot", ROBOT))
    assert run(["verify", str(path), "--json"]) == 4
    out, complaint = capsys.readouterr()
    said = json.loads(out)
    assert (said["outcome"], said["identical"], said["first_difference"]) == ("cannot tell", False, None)
    assert "add --plugin gas.py" in said["open"][0]
    assert "for device gas" in complaint
    assert run(["verify", str(path), "--plugin", "gas.py"]) == 0
    assert "identical, 20 ticks" in capsys.readouterr().out


def test_without_the_engine_nobody_can_tell(
    judged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plug("spread.py")
    whole = plugins.registered

    def fewer(group: str) -> dict[str, plugins.Plugin]:
        return {name: plugin for name, plugin in whole(group).items() if name != "pymunk"}

    monkeypatch.setattr("coopsim.plugins._registry.registered", fewer)
    assert run(["verify", str(judged)]) == 4
    said = capsys.readouterr().out
    assert "cannot tell: engines has no 'pymunk'" in said
    assert "different" not in said
