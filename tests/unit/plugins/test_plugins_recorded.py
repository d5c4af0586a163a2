"""What a recording says about loose plugins, and what it asks for."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from plugin_sources import GAS, ROBOT, Put

from coopsim import plugins
from coopsim.errors import PluginMissing
from coopsim.recording import Recording
from coopsim.replay.about import metadata
from coopsim.replay.required_plugins import changed, loaded, recorded_plugins, require
from coopsim.robots import RunSpec, plug
from coopsim.scene import Scenario


def recording(*said: Any) -> Recording:
    """Return what these functions look at of a recording."""
    return cast("Recording", SimpleNamespace(path="r.mcap", metadata={"plugins": list(said)}))


def test_files_that_bring_devices_or_engines_are_named_with_their_hash(put: Put) -> None:
    plug(put("gas.py", GAS))
    plug(put("carrier.robot", ROBOT))
    (gas,) = loaded()
    assert (gas["file"], gas["devices"], gas["engines"]) == ("gas.py", ["gas"], [])
    assert gas["sha256"] == plugins.loose_files()[0].sha256
    assert metadata(RunSpec(Scenario()), {})["plugins"] == [gas]


def test_files_that_bring_components_are_asked_for_too(put: Put) -> None:
    plug(put("tank.py", 'PLUGINS = {"components": {"Tank": lambda inputs, parameters: 1.0}}\n'))
    (tank,) = loaded()
    assert tank["components"] == ["Tank"]
    with pytest.raises(PluginMissing, match="for component Valve"):
        require(recording({**tank, "components": ["Tank", "Valve"]}))


def test_the_order_in_which_they_were_given_does_not_matter(put: Put) -> None:
    paths = [put("b.py", GAS), put("a.py", GAS.replace('{"gas": Gas}', '{"lantern": Gas}'))]
    for path in paths:
        plug(path)
    assert [plugin["file"] for plugin in loaded()] == ["a.py", "b.py"]


def test_a_run_without_loose_plugins_says_nothing_of_them() -> None:
    assert "plugins" not in metadata(RunSpec(Scenario()), {})
    require(recording())


def test_every_missing_plugin_is_asked_for_at_once(put: Put) -> None:
    plug(put("gas.py", GAS))
    present = loaded()[0]
    missing = [{"file": f"{name}.py", "sha256": name * 32, "devices": [name], "engines": []} for name in ("ab", "cd")]
    require(recording(present))
    with pytest.raises(PluginMissing) as raised:
        require(recording(present, *missing))
    assert str(raised.value).splitlines() == [
        "r.mcap was made with plugins that are not here; add --plugin ab.py --plugin cd.py",
        "  ab.py (sha256 abababababababab...) for device ab",
        "  cd.py (sha256 cdcdcdcdcdcdcdcd...) for device cd",
    ]


def test_another_file_of_the_same_name_is_told(put: Put) -> None:
    plug(put("gas.py", GAS))
    (gas,) = loaded()
    assert changed(recording(gas)) == []
    (text,) = changed(recording({**gas, "sha256": "0" * 64}))
    assert text == f"gas.py (sha256 0000000000000000... then, {gas['sha256'][:16]}... now)"


def test_what_strangers_wrote_there_does_no_harm() -> None:
    require(recording("gas.py", 3, {"file": "x"}, None))
    assert changed(recording("gas.py", {"sha256": 3, "file": "gas.py"})) == []
    assert recorded_plugins(cast("Recording", SimpleNamespace(metadata={"plugins": 3}))) == []
