"""What is drawn of sensors of a recording, with its plugins and without."""

from pathlib import Path

import pytest

from coopsim.errors import NoSuchPlugin
from coopsim.features.desktop.shown import RecordedScene
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load, registry, settings
from coopsim.robots.blueprint import DeviceBlueprint
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path, spec = tmp_path / "a.mcap", load("single")
    with RecordedRun(Simulation(spec), path, attachments={RUN: spec_to_json(spec)}) as run:
        run.tick(3)
    return path


def test_a_recording_is_drawn_where_the_plugin_of_a_device_is_missing(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = RecordedScene(recording)
    whole.at(0.02)

    def device_type(device: DeviceBlueprint) -> object:
        if device.kind == "target":
            raise NoSuchPlugin("devices has no 'target'")
        return registry.device_type(device)

    monkeypatch.setattr(settings, "device_type", device_type)
    shown = RecordedScene(recording)
    shown.at(0.02)
    assert repr(shown._sensors) == repr(whole._sensors)
    assert "single" in shown._sensors
    whole.close()
    shown.close()
