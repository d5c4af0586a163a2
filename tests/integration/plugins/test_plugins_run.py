"""Loose and installed plugins in real runs."""

import json
import os
from pathlib import Path

import pytest
from plugin_runs import LAW, MOODY, MOODY_LINE, coopsim, shown

from coopsim.client import connect
from coopsim.testkit import Run

pytestmark = pytest.mark.integration
PLACE = f"moody.py:{MOODY_LINE}: device moody: ValueError: in a bad mood"


def test_a_device_that_fails_stops_neither_the_tick_nor_the_servers(folder: Path) -> None:
    with Run("quiet.scenario", "--plugin", "moody.py", "--json") as run, connect(run.endpoint) as sim:
        modules = [sim.module(f"/{name}/moody") for name in ("robot1", "robot2")]
        sim.module("/robot1/moody").parameters["fails_at"] = 0
        before = sim.clock.status().tick
        last = [module.count().count for module in modules]
        sim.clock.pause()
        sim.clock.step(5)
        assert sim.clock.status().tick >= before + 5
        assert [module.count().count for module in modules] == last
        sim.robot("robot1").motors.set_velocity(0.1, 0.0)
        info = json.loads(sim.module("/sim/info").info().info)
        (failure,) = info["failures"]
        assert (failure["robots"], failure["module"], failure["text"]) == ("carrier", "moody", PLACE)
        statistics = json.loads(modules[1].statistics().statistics)
        assert statistics["switched_off"] == PLACE
        assert statistics["since_tick"] == failure["tick"]
        assert "switched_off" not in json.loads(sim.module("/robot1/motors").statistics().statistics)
        assert run.stop() == 130
    assert run.printed.count(PLACE) == 1
    assert "moody of carrier is switched off, its readings stay as they are" in run.printed
    assert run.summary["failures"] == ["moody of carrier"]
    assert "Traceback" not in run.printed


def test_a_run_with_a_failed_device_ends_with_exit_code_1_and_names_it(folder: Path) -> None:
    (folder / "carrier.robot").write_text((folder / "carrier.robot").read_text() + "fails_at 10\n")
    done = coopsim("run", "quiet.scenario", "--plugin", "moody.py", "--mode", "free", "--duration", "1", "--port", "0")
    assert done.returncode == 1
    assert "the duration is over; with an error: moody of carrier" in done.stdout
    assert "100 ticks" in done.stdout
    assert done.stderr.count(PLACE) == 1
    assert "tick 10" in done.stderr


def test_a_reset_switches_it_on_and_clients_are_told(folder: Path) -> None:
    with Run("quiet.scenario", "--plugin", "moody.py") as run, connect(run.endpoint) as sim:
        sim.clock.pause()
        sim.module("/robot1/moody").parameters["fails_at"] = 0
        sim.clock.step(1)
        assert len(json.loads(sim.module("/sim/info").info().info)["failures"]) == 1
        sim.module("/sim/world").reset()
        assert json.loads(sim.module("/sim/info").info().info)["failures"] == []
        sim.clock.step(3)
        assert sim.module("/robot1/moody").count().count > 0


def test_a_robot_with_a_loose_device_is_inserted_and_a_scene_of_them_loaded_while_running(folder: Path) -> None:
    """S-3: robots and sensors are loaded at run time, without making the simulator anew."""
    plugins = ("--plugin", "moody.py", "--plugin", "carrier.robot")
    with Run("single", "--no-controllers", *plugins) as run, connect(run.endpoint) as sim:
        sim.module("/sim/world").insert("[ROBOT_7]\ntype carrier\nname late\nposition 1 1 0\n")
        sim.clock.pause()
        sim.clock.step(1)
        assert sim.module("/late/moody").count().count > 0
        sim.module("/sim/world").load("quiet.scenario")
        sim.clock.step(1)
        assert sim.module("/robot2/moody").count().count > 0


def test_a_recording_says_which_plugins_it_needs_and_verify_asks_for_them(folder: Path) -> None:
    plugin = ("--plugin", "moody.py")
    result = coopsim(
        *("run", "quiet.scenario", *plugin, "--mode", "free", "--duration", "1", "--port", "0", "--record", "r.mcap")
    )
    assert result.returncode == 0, result.stderr
    said = json.loads(coopsim("info", "r.mcap", "--json").stdout.splitlines()[-1])
    assert list(said["plugins"]) == ["moody.py"]
    refused = coopsim("verify", "r.mcap")
    assert refused.returncode == 4
    assert "cannot tell: r.mcap was made with plugins that are not here; add --plugin moody.py" in refused.stdout
    assert f"moody.py (sha256 {said['plugins']['moody.py'][:16]}...) for device moody" in refused.stdout
    assert "different" not in refused.stdout
    proven = coopsim("verify", "r.mcap", *plugin)
    assert proven.returncode == 0, proven.stdout
    assert "identical, 100 ticks" in proven.stdout
    assert "another plugin" not in proven.stdout
    (folder / "moody.py").write_text(MOODY.replace("return robot.tick", "return robot.tick + 1"))
    verification = coopsim("verify", "r.mcap", *plugin)
    assert verification.returncode == 1
    assert "another plugin: moody.py (sha256" in verification.stdout
    assert "moody" in verification.stdout
    going_on = ("run", "--from", "r.mcap@0.5", "--duration", "0.2", "--port", "0", "--mode", "free")
    assert "704" in coopsim(*going_on).stderr
    assert coopsim(*going_on, *plugin).returncode == 0


def test_a_failure_is_part_of_the_recording_and_proven_with_it(folder: Path) -> None:
    (folder / "carrier.robot").write_text((folder / "carrier.robot").read_text() + "fails_at 30\n")
    options = ("--mode", "free", "--duration", "1", "--port", "0", "--record", "r.mcap")
    assert coopsim("run", "quiet.scenario", "--plugin", "moody.py", *options).returncode == 1
    proven = coopsim("verify", "r.mcap", "--plugin", "moody.py")
    assert "identical, 100 ticks" in proven.stdout, proven.stdout + proven.stderr


def test_a_recording_is_shown_without_the_plugins_it_was_made_with(folder: Path) -> None:
    options = ("--mode", "free", "--duration", "1", "--port", "0", "--record", "r.mcap")
    assert coopsim("run", "quiet.scenario", "--plugin", "moody.py", *options).returncode == 0
    for more in ([], ["--plugin", "moody.py"]):
        with shown("r.mcap", "--paused", *more) as endpoint, connect(endpoint) as sim:
            sim.module("/sim/playback").seek(0.5)
            assert sim.module("/robot1/moody").count().count == 50


def test_a_law_that_a_plugin_brings_is_started_and_ends(folder: Path) -> None:
    plugins = ("--plugin", "moody.py", "--plugin", "brief.py")
    done = coopsim("run", "driven.scenario", *plugins, "--mode", "lockstep", "--port", "0")
    assert done.returncode == 0, done.stderr
    assert "all controllers have ended" in done.stdout
    assert "brief" in done.stdout


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("left[0] / (left[0] - 20)", "brief: brief.py:17: controller brief: ZeroDivisionError: division by zero"),
        ("seen.nothing_such", "brief.py:17: controller brief: "),
    ],
)
def test_a_mistake_in_a_law_is_told_with_file_and_line(folder: Path, last: str, words: str) -> None:
    (folder / "brief.py").write_text(LAW.replace("LAST", last))
    plugins = ("--plugin", "moody.py", "--plugin", "brief.py")
    done = coopsim("run", "driven.scenario", *plugins, "--mode", "lockstep", "--port", "0")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_option_of_a_law_is_told_as_ever(folder: Path) -> None:
    scenario = folder / "driven.scenario"
    scenario.write_text(scenario.read_text() + "spede 3\n")
    plugins = ("--plugin", "moody.py", "--plugin", "brief.py")
    done = coopsim("run", "driven.scenario", *plugins, "--mode", "lockstep", "--port", "0")
    assert done.returncode == 1
    assert "unrecognized arguments: --spede 3" in done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("class Moody", "class Moody:\nclass Moody"), "moody.py:8: moody.py: IndentationError"),
        (("def read(self, robot)", "def read(self)"), "device Moody: read(self, robot) is called"),
        (("return robot.tick", "return 1.0, 2.0"), "read gave 2 values for robot1, not 1: count"),
        (('"fails_at", int', '"fails_at", list'), "moody.py:14: device moody: parameter fails_at: unknown type list"),
        (("1000000, ", '"0", '), "moody.py:14: "),
        (('"moody": Moody', '"sonars": Moody'), "moody.py registers the device 'sonars', which coopsim.devices.sonars"),
    ],
)
def test_a_mistake_that_can_be_seen_before_lets_nothing_begin(
    folder: Path, change: tuple[str, str], words: str
) -> None:
    (folder / "moody.py").write_text(MOODY.replace(*change))
    done = coopsim("run", "quiet.scenario", "--plugin", "moody.py", "--duration", "1", "--port", "0")
    assert done.returncode == 1
    assert words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert "ticks" not in done.stdout


def test_an_engine_that_fails_ends_the_run_with_its_line(folder: Path) -> None:
    (folder / "brittle.py").write_text(
        "from coopsim.engines.planar.engine import PymunkEngine\n\n\n"
        "class Brittle(PymunkEngine):\n"
        "    def step(self, dt, substeps=1):\n"
        "        raise RuntimeError('too brittle')\n\n\n"
        "PLUGINS = {'engines': {'brittle': Brittle}}\n"
    )
    scenario = folder / "brittle.scenario"
    scenario.write_text("[WORLD]\nfile arena.world\n[SIMULATION]\nengine brittle\n")
    assert coopsim("check", "brittle.scenario").returncode == 1
    done = coopsim("run", "brittle.scenario", "--plugin", "brittle.py", "--port", "0", "--duration", "1")
    assert done.returncode == 1
    assert "brittle.py:6: engine brittle: tick 0: RuntimeError: too brittle" in done.stderr
    assert "Traceback" not in done.stderr


def test_loose_plugins_are_checked_described_and_hinted_at(folder: Path) -> None:
    assert coopsim("check", "quiet.scenario").returncode == 1
    assert coopsim("check", "quiet.scenario", "--plugin", "moody.py").returncode == 0
    assert coopsim("check", "moody.py", "quiet.scenario").returncode == 0
    everything = coopsim("describe", "--plugin", "moody.py", "--plugin", "brief.py", "--plugin", "carrier.robot").stdout
    assert "Counts ticks until it is told to fail. [moody.py]" in everything
    assert "[brief.py]" in everything
    assert "carrier" in everything
    assert "fails_at" in coopsim("describe", "moody", "--plugin", "moody.py").stdout
    assert "(modey → moody?)" in coopsim("describe", "modey", "--plugin", "moody.py").stderr


def test_an_installed_plugin_behaves_like_a_loose_one(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package with entry points of the same groups and names, as pip lays it out."""
    site = tmp_path_factory.mktemp("site")
    (site / "moody_package.py").write_text(MOODY + "\nCARRIER = 'carrier.robot'\n")
    (site / "brief_package.py").write_text(LAW.replace("LAST", "pass"))
    (folder / "carrier.robot").rename(site / "carrier.robot")
    about = site / "moody_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: moody-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[coopsim.devices]\nmoody = moody_package:Moody\n[coopsim.robots]\ncarrier = moody_package:CARRIER\n"
        "[coopsim.controllers]\nbrief = brief_package:main\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]))
    assert "Counts ticks until it is told to fail. [moody_package:Moody]" in coopsim("describe").stdout
    done = coopsim("run", "driven.scenario", "--mode", "lockstep", "--port", "0", "--record", "r.mcap")
    assert done.returncode == 0, done.stderr
    assert coopsim("verify", "r.mcap").returncode == 0
    clash = coopsim("run", "driven.scenario", "--plugin", "moody.py", "--port", "0")
    assert clash.returncode == 1
    assert "moody.py registers the device 'moody', which moody_package:Moody registers already" in clash.stderr
    plugins = ("--plugin", "moody.py")
    monkeypatch.delenv("PYTHONPATH")
    assert coopsim("verify", "r.mcap", *plugins).returncode == 0


def test_a_device_that_never_returns_is_named_and_ctrl_c_ends_its_run(folder: Path) -> None:
    endless = (folder / "moody.py").read_text().replace('raise ValueError("in a bad mood")', "while True: pass")
    (folder / "moody.py").write_text(endless)
    (folder / "carrier.robot").write_text((folder / "carrier.robot").read_text() + "fails_at 10\n")
    with Run("quiet.scenario", "--plugin", "moody.py", "--mode", "free") as run, connect(run.endpoint) as sim:
        while sim.clock.status().tick < 9:
            assert run.is_alive
        assert run.stop() == 130
    assert f"moody.py:{MOODY_LINE}: device moody: read has been running for" in run.printed
    assert "was killed" not in run.printed
