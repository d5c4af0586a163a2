"""Foreign engines that raise: the run ends with a message that names engine, tick, file and line, and no traceback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation

LAST = 20
SOURCE = '''"""Engines that fail."""

from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument


class Failing(PymunkEngine):
    problem = KeyError("gone")
    steps = 0

    def step(self, dt, substeps=1):
        self.steps += 1
        if self.steps > LAST:
            raise self.problem
        super().step(dt, substeps)


class Exiting(Failing):
    problem = SystemExit(0)


class Refusing(Failing):
    problem = BadArgument("no")


class Broken(PymunkEngine):
    steps = 0

    def step(self, dt, substeps=1):
        self.steps += 1
        if self.steps > LAST:
            del self._things  # what raises is a line of the engine that it inherits from
        super().step(dt, substeps)


class Unmade(PymunkEngine):
    names = property(lambda self: ())


PLUGINS = {
    "engines": {
        "failing": Failing,
        "exiting": Exiting,
        "refusing": Refusing,
        "broken": Broken,
        "unmade": Unmade,
    }
}
'''.replace("LAST", str(LAST))
RAISES = 1 + SOURCE.splitlines().index("            raise self.problem")
TEXTS = {
    "failing": f"failing_engines.py:{RAISES}: engine failing: tick {LAST}: KeyError: 'gone'",
    "exiting": f"failing_engines.py:{RAISES}: engine exiting: tick {LAST}: SystemExit: 0",
    "refusing": f"failing_engines.py:{RAISES}: engine refusing: tick {LAST}: BadArgument: no",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "failing_engines.py").write_text(SOURCE)
    plugins.add("failing_engines.py")
    yield tmp_path
    plugins.forget("failing_engines.py")


@pytest.mark.parametrize("engine", TEXTS)
def test_whatever_a_foreign_engine_raises_in_a_tick_is_named_with_tick_file_and_line(folder: Path, engine: str) -> None:
    simulation = Simulation(load("single"), engine=engine)
    for _ in range(LAST):
        simulation.tick()
    with pytest.raises(PluginFailed) as problem:
        simulation.tick()
    assert str(problem.value) == TEXTS[engine]


def test_an_engine_that_breaks_what_it_inherits_is_named_with_its_own_file(folder: Path) -> None:
    simulation = Simulation(load("single"), engine="broken")
    for _ in range(LAST):
        simulation.tick()
    with pytest.raises(PluginFailed, match=rf"failing_engines\.py:\d+: engine broken: tick {LAST}: AttributeError"):
        simulation.tick()


@pytest.mark.integration
@pytest.mark.parametrize("engine", ["exiting", "failing", "unmade"])
def test_a_run_ends_with_the_message_exit_code_1_and_a_recording_that_can_be_read(folder: Path, engine: str) -> None:
    options = ("--plugin", "failing_engines.py", "--engine", engine, "--mode", "free", "--no-controllers")
    ends = ("--duration", "9", "--port", "0", "--record", "run.mcap")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "coopsim", "run", "single", *options, *ends],
        capture_output=True,
        text=True,
        timeout=90,
        env={key: value for key, value in os.environ.items() if key != "DISPLAY"},
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert "Traceback" not in printed
    if engine == "unmade":  # before the first tick, so that nothing was recorded
        assert "failing_engines.py:" in printed
        assert ": engine unmade: AttributeError: property 'names'" in printed
        return
    assert printed.count(TEXTS[engine]) == 1
    with Recording(folder / "run.mcap") as recording:
        assert recording.duration == pytest.approx(LAST * 0.01)
