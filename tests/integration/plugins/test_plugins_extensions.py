"""Extensions in real runs (SwarmSimX, section 2.2): begun before the source of the run, ended after it."""

from pathlib import Path

import pytest
from plugin_runs import coopsim

pytestmark = pytest.mark.integration
BRIDGES = '''"""Two bridges and a driver that asks for one of them; all note what they are called for."""

import os
from pathlib import Path

from coopsim.devices.artifacts import Driver, SimulationExtension
from coopsim.interfaces import Command, Field, Interface

LOG = Path(__file__).with_name("called.txt")


def note(what):
    with LOG.open("a") as file:
        file.write(f"{os.getpid()} {what}\\n")


class Antenna(SimulationExtension):
    def init(self):
        self.sent = 0
        note("antenna init")

    def shutdown(self):
        note(f"antenna shutdown after {self.sent}")


class Bus(SimulationExtension):
    def init(self):
        note("bus init")
        BEGIN

    def shutdown(self):
        note("bus shutdown")


class Sender(Driver):
    interface = Interface("sender", "Sends.", (Command(10, "sent", gives=(Field("sent", "1"),)),))

    def __init__(self):
        note("create")

    def configure(self, descriptor):
        note("configure")

    def run(self):
        self.environment.extension("antenna").sent += 1
        return self.environment.extension("antenna").sent

    def destroy(self):
        note("destroy")


PLUGINS = {"devices": {"sender": Sender}, "extensions": {"bus": Bus, "antenna": Antenna}}
'''
MAST = """<artifact>
  <body type="box" size="0.2 0.2 1" mass="10" wheels="no"/>
  <driver type="sender"/>
</artifact>
"""
FIRST, LAST = ["antenna init", "bus init", "create", "configure"], ["destroy", "bus shutdown"]
WORDS = ("--mode", "free", "--duration", "0.05", "--port", "0", "--no-gui")


@pytest.fixture
def bridges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the plugin; its driver sits on an artifact of an XML file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bridges.py").write_text(BRIDGES.replace("BEGIN", "pass"))
    (tmp_path / "mast.xml").write_text(MAST)
    (tmp_path / "masts.scenario").write_text("[WORLD]\nfile empty.world\n[ROBOT_1]\ntype mast\nname mast\n")
    return tmp_path


def called(folder: Path) -> tuple[list[str], set[str]]:
    """Return what was called, in this order, and in which processes; forget it."""
    lines = [line.split(" ", 1) for line in (folder / "called.txt").read_text().splitlines()]
    (folder / "called.txt").unlink()
    return [what for _, what in lines], {process for process, _ in lines}


def test_extensions_begin_before_the_source_and_end_after_it_in_a_run_and_in_its_proof(bridges: Path) -> None:
    run = coopsim("run", "masts.scenario", "--plugin", "bridges.py", *WORDS, "--record", "run.mcap")
    assert run.returncode == 0, run.stdout + run.stderr
    order, processes = called(bridges)
    assert order[:4] == FIRST
    assert order[-3:] == [*LAST, "antenna shutdown after 5"]
    assert order.count("create") == order.count("destroy")
    assert len(processes) == 1

    proof = coopsim("verify", "run.mcap", "--plugin", "bridges.py")
    assert proof.returncode == 0, proof.stdout + proof.stderr
    order, _ = called(bridges)
    assert order[:4] == FIRST
    assert order[-3:-1] == LAST
    assert order[-1].startswith("antenna shutdown after ")


def test_an_extension_that_cannot_begin_stops_the_run_and_the_others_are_ended(bridges: Path) -> None:
    (bridges / "bridges.py").write_text(BRIDGES.replace("BEGIN", 'raise OSError("no such bus")'))
    run = coopsim("run", "masts.scenario", "--plugin", "bridges.py", *WORDS)
    assert run.returncode == 1, run.stdout + run.stderr
    line = 1 + BRIDGES.splitlines().index("        BEGIN")
    assert f"bridges.py:{line}: extension bus: OSError: no such bus" in run.stderr + run.stdout
    assert "Traceback" not in run.stderr + run.stdout
    assert called(bridges)[0] == ["antenna init", "bus init", "antenna shutdown after 0"]
