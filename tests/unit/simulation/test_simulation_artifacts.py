"""Drivers and sensors, one object for each artifact: create, configure, run, destroy, callbacks, and faults."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from artifact_plugins import ROBOT, SCENARIO, SOURCE

from coopsim import plugins
from coopsim.devices.artifacts import running_extensions
from coopsim.devices.artifacts.environment import Order
from coopsim.errors import BadFile, PluginFailed
from coopsim.robots import check, load
from coopsim.robots.plugging import plug
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Remove, SetParameter
from coopsim.state.layout import NUMBER, STAMP


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a plugin that is loaded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamps.py").write_text(SOURCE)
    (tmp_path / "lamp.robot").write_text(ROBOT)
    (tmp_path / "lamps.scenario").write_text(SCENARIO)
    plug("lamps.py")
    yield tmp_path
    plugins.forget("lamps.py")


@pytest.fixture
def log(folder: Path) -> list[Any]:
    """What the plugin was called for."""
    lines: list[Any] = sys.modules[plugins.load("devices", "chief").__module__].LOG
    return lines


def lamps(ticks: int = 0, **moods: int) -> Simulation:
    """Return three lamps after some ticks; the mood of robot1's devices is set before."""
    simulation = Simulation(load("lamps.scenario"), engine="kinematic")
    for module, mood in moods.items():
        apply(simulation, SetParameter("robot1", module, "mood", mood))
    for _ in range(ticks):
        simulation.tick()
    return simulation


def said(simulation: Simulation) -> list[str]:
    return [f"{news.name}: {news.text}" for news in simulation.failures.news]


def test_a_driver_is_created_configured_run_and_destroyed(log: list[Any]) -> None:
    """S-31, S-33 to S-35: a class found by its name is made, gets its artifact and its Descriptor, and runs."""
    simulation = lamps(1)
    begun = [line for line in log if isinstance(line, str)]
    simulation.close()

    assert begun == ["create"] * 3 + [f"{what} robot{k}" for what in ("configure", "run") for k in (1, 2, 3)]
    assert log[-3:] == [f"destroy robot{k}" for k in (1, 2, 3)]


def test_each_object_is_configured_by_the_descriptor_of_its_own_artifact(log: list[Any]) -> None:
    """S-34, S-35: create, configure, run and destroy are those of one artifact."""
    simulation = lamps(1)
    apply(simulation, SetParameter("robot2", "chief", "mood", 1))
    block: Any = simulation.tables.block_of("robot2")
    chiefs = block.devices["chief"]
    assert [driver.descriptor["mood"] for driver in chiefs.objects] == [0, 1, 0]


def test_an_order_of_a_driver_is_of_no_client_and_a_new_one_in_each_tick() -> None:
    """S-42: watchdogs stop what is commanded once; a driver commands in each tick."""
    slot, stamps = np.zeros(5), []
    order = Order(slot, 10, 2)
    for tick in range(3):
        order.give((0.5, -0.25), tick)
        stamps.append(slot[STAMP])
        assert slot[NUMBER:].tolist() == [10.0, 0.5, -0.25, 0.0]
    assert len({*stamps}) == 3
    assert max(stamps) < 0.0


def test_when_artifacts_leave_all_begin_anew_and_the_old_objects_are_destroyed_once(log: list[Any]) -> None:
    """S-36: no call reaches what has been destroyed."""
    simulation = lamps(3)
    seen = simulation.reading("robot1", "chief")[0]
    log.clear()
    apply(simulation, Remove("robot2"))
    simulation.tick()

    assert [line for line in log if isinstance(line, str)] == [
        *("create", "create", "configure robot1", "configure robot3"),
        *("destroy robot1", "destroy robot2", "destroy robot3"),
        *("run robot1", "run robot3"),
    ]
    assert simulation.reading("robot1", "chief")[0] > seen > 0.0  # what it remembers stays


def test_callbacks_are_called_in_the_tick_by_name_of_sensor_and_listener(log: list[Any]) -> None:
    """S-38, S-39, S-84: a driver registers, the sensor calls; in the thread of the tick, in a fixed order."""
    simulation = lamps(1)
    log.clear()
    simulation.tick()

    heard = [line for line in log if isinstance(line, tuple)]
    assert heard == [(f"robot{k}", sensor, 2.0) for sensor in ("robot1", "robot3") for k in (1, 2, 3)]


def test_a_callback_sees_the_readings_themselves_and_cannot_write_them(log: list[Any]) -> None:
    """S-37, S-41: nothing is copied or sent, and the environment leads to the sensors of all."""
    simulation = lamps(2, chief=3)
    environment = simulation.tables.blocks[0].devices["chief"].objects[0].environment

    assert environment.reading("robot3", "meter").base is not None
    assert "read-only" in said(simulation)[0]
    assert environment.reading("robot3", "meter")[0] == simulation.reading("robot3", "meter")[0]


@pytest.mark.parametrize(
    ("mood", "words"),
    [
        ({"chief": 1}, "chief of robot1 of lamp: lamps.py:84: Chief: ValueError: no way"),
        ({"chief": 2}, "Chief wrote a force that is not finite"),
        ({"chief": 5}, "forces are applied in `run` of a driver"),
        ({"chief": 6}, "robot1 has no device 'nothing' that takes commands"),
        ({"chief": 7}, "no extension 'bus' runs; name its file with --plugin"),
        ({"meter": 1}, "meter of robot1 of lamp: lamps.py:44: Meter: ValueError: in a bad mood"),
        ({"meter": 2}, "Meter wrote a reading that is not finite"),
    ],
)
def test_what_fails_is_switched_off_alone_and_said_once(log: list[Any], mood: dict[str, int], words: str) -> None:
    simulation = lamps(6, **mood)

    assert len(said(simulation)) == 1
    assert words in said(simulation)[0]
    module = next(iter(mood))
    assert simulation.reading("robot1", module)[0] < simulation.reading("robot2", module)[0]
    simulation.start_over()
    simulation.tick()
    assert len(said(simulation)) == 1


def test_a_driver_pushes_its_body_and_commands_others(log: list[Any]) -> None:
    """S-42: drivers reach all artifacts."""
    pushed = lamps(20, chief=4)
    assert pushed.engine.planar[0, 3] > 0.02
    assert abs(pushed.engine.planar[1, 3]) < 1e-9

    commanded = lamps(100, chief=8)
    assert commanded.engine.planar[:, 3].tolist() == pytest.approx([0.2] * 3, abs=0.02)
    assert not commanded.commands.any()  # those of clients are as they were


def test_a_run_that_goes_on_from_a_snapshot_is_the_same(log: list[Any]) -> None:
    whole = lamps(8, chief=4)
    first = lamps(4, chief=4)
    state = snapshot(first)
    second = lamps()
    restore(second, state)
    for _ in range(4):
        second.tick()

    assert second.state_hash() == whole.state_hash()
    assert second.reading("robot1", "chief")[0] == whole.reading("robot1", "chief")[0] == 2.0 * sum(range(8))


def test_an_artifact_has_one_driver(folder: Path) -> None:
    (folder / "lamp.robot").write_text(ROBOT + "[DEVICE_4]\ntype chief\nname second\n")

    messages = [str(problem) for problem in check("lamp.robot")]
    assert len(messages) == 1
    assert messages[0].startswith("lamp.robot:17:")
    assert "only one driver drives an artifact, and 'chief' on line 12 does; remove one" in messages[0]
    with pytest.raises(BadFile, match="only one driver"):
        load("lamps.scenario")


def test_extensions_begin_first_and_end_last(log: list[Any]) -> None:
    """S-43, S-44, S-46: init and shutdown alone, first in, last out; a driver asks for one."""
    with running_extensions():
        simulation = lamps(3, chief=7)
        environment = simulation.tables.blocks[0].devices["chief"].objects[0].environment
        assert environment.extension("bus").said == 3
        simulation.close()

    texts = [line for line in log if isinstance(line, str)]
    assert texts[:2] == ["bus init", "radio init"]
    assert texts[-3:] == ["destroy robot3", "radio shutdown", "bus shutdown"]


def test_an_extension_that_cannot_begin_ends_those_that_have(folder: Path, log: list[Any]) -> None:
    radio = plugins.load("extensions", "radio")
    radio.init = lambda self: 1 / 0
    with pytest.raises(PluginFailed, match="extension radio: ZeroDivisionError"), running_extensions():
        pytest.fail("nothing begins")

    assert log == ["bus init", "bus shutdown"]


def test_an_extension_that_fails_at_its_end_is_told_after_all_others_have_ended(folder: Path, log: list[Any]) -> None:
    """S-44: each is shut down, whatever the one before it does."""
    radio = plugins.load("extensions", "radio")
    radio.shutdown = lambda self: 1 / 0
    with pytest.raises(PluginFailed, match="extension radio: ZeroDivisionError"), running_extensions():
        log.clear()

    assert log == ["bus shutdown"]


def test_what_cannot_be_configured_is_refused_before_anything_runs(folder: Path, log: list[Any]) -> None:
    plugins.load("devices", "chief").configure = lambda self, descriptor: descriptor["nothing"]

    with pytest.raises(PluginFailed, match="chief of robot1: KeyError"):
        lamps()


def test_a_class_that_is_neither_driver_nor_sensor_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(
        "from coopsim.devices.artifacts.authored import Authored\nfrom coopsim.interfaces import Interface\n"
        'class Odd(Authored):\n    interface = Interface("odd", "Odd.", ())\n'
        'PLUGINS = {"devices": {"odd": Odd}}\n'
    )
    with pytest.raises(PluginFailed, match=r"odd\.py:3: Odd must derive from Driver or Sensor"):
        plug(tmp_path / "odd.py")
