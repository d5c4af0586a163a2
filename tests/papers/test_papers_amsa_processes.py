"""Items of AMSA on generated code: the challenge as processes in Python, which find the figures of the free system."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim import plugins
from coopsim.features.amsa.commands.generate import generate

DURATION = "24"


@pytest.mark.integration
def test_a_24_a_79_processes_made_of_the_model_do_what_the_system_does_by_itself(tmp_path: Path) -> None:
    result = CliRunner().invoke(generate, ["python", "challenge", "-o", str(tmp_path / "made")])
    assert result.exit_code == 0, result.output
    choices = ["--scenario", "scenario2", "--duration", DURATION, "--json"]
    by_processes = last_line([sys.executable, str(tmp_path / "made/run.py"), *choices, "--speed", "0"])
    alone = last_line([sys.executable, "-m", "coopsim", "components", "run", "challenge", *choices])
    assert by_processes["phases"] == alone["phases"]
    assert by_processes["phases"][0]["max_distance"] > 15.0


TANK = """
Template Tank { input inflow output level parameter { double area = 2; } }
Template Float { input level output reading }
Template Valve { input reading output inflow parameter { double wanted = 1; double gain = 2; } }
Template Pump { input asked output flow }
System tank {
    order floor sonar valve pump;
    evaluate level reference 1;
    controlled floor : Tank @ 10 Hz { inflow <- flow; level -> level; }
    composite cockpit {
        sensor sonar : Float @ 5 Hz { level <- level; reading -> reading; }
        control valve : Valve @ 5 Hz { reading <- reading; inflow -> asked; }
    }
    actuator pump : Pump @ 10 Hz { asked <- asked; flow -> flow; }
}
"""
PLUGIN = """
from beside import limited
from coopsim.features.amsa.components import Behavior


class Tank(Behavior):
    def initialize(self):
        self.level = 0.0

    def do_step(self, inputs, parameters):
        self.level += inputs.inflow / parameters.area * self.period
        return self.level


def made(factor):
    def valve(inputs, parameters):
        return factor * parameters.gain * (parameters.wanted - inputs.reading)

    return valve


PLUGINS = {
    "components": {
        "Tank": Tank,
        "Valve": made(1.0),
        "Float": lambda inputs, _: inputs.level,
        "Pump": lambda inputs, _: limited(inputs.asked),
    }
}
"""


@pytest.fixture(scope="module")
def tank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a system with a plugin of its own: a class, a closure, two lambdas, a file beside it."""
    folder = tmp_path_factory.mktemp("tank")
    (folder / "tank.amsa").write_text(TANK, encoding="utf-8")
    (folder / "tank.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "beside.py").write_text("def limited(flow):\n    return min(flow, 1.5)\n", encoding="utf-8")
    words = ["python", str(folder / "tank.amsa"), "-o", str(folder / "made"), "--plugin", str(folder / "tank.py")]
    result = CliRunner().invoke(generate, words)
    for loose in plugins.loose_files():
        plugins.forget(loose.path)
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.integration
def test_a_24_a_79_processes_of_templates_of_ones_own_need_nothing_but_their_package(
    tank: Path, tmp_path: Path
) -> None:
    package = shutil.copytree(tank / "made", tmp_path / "elsewhere")
    choices = ["--duration", "4", "--settle", "0", "--json"]
    by_processes = last_line([sys.executable, str(package / "run.py"), *choices, "--speed", "0"])
    words = [str(tank / "tank.amsa"), "--plugin", str(tank / "tank.py"), *choices]
    alone = last_line([sys.executable, "-m", "coopsim", "components", "run", *words])
    assert by_processes["phases"] == alone["phases"]
    assert 0.5 < by_processes["phases"][0]["final_distance"] < 1.5


@pytest.mark.integration
def test_a_component_that_dies_ends_the_run_with_the_reason(tank: Path, tmp_path: Path) -> None:
    """A-24: what is generated notices that a component died."""
    package = shutil.copytree(tank / "made", tmp_path / "broken")
    (package / "domain" / "Valve.py").write_text("raise RuntimeError('no valve')\n", encoding="utf-8")
    command = [sys.executable, str(package / "run.py"), "--duration", "4", "--speed", "0"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "RuntimeError: no valve" in done.stderr
    assert "the component valve ended with exit code 1" in done.stderr


@pytest.mark.integration
def test_help_and_mistakes_begin_no_process(tank: Path, tmp_path: Path) -> None:
    package = shutil.copytree(tank / "made", tmp_path / "asked")
    (package / "hub.scenario").unlink()  # without it a run would fail
    for words, code, said in ((["--help"], 0, "--speed SPEED"), (["--scenario", "no"], 2, "invalid choice: 'no'")):
        command = [sys.executable, str(package / "run.py"), *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done.stderr


def last_line(command: list[str]) -> dict[str, list[dict[str, float]]]:
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    phases: dict[str, list[dict[str, float]]] = json.loads(done.stdout.splitlines()[-1])
    return phases
