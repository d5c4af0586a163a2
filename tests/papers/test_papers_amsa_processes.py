"""Items of AMSA on generated code: the challenge as processes in Python, which find the figures of the free system."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim.app.generate import generate

DURATION = "24"


@pytest.mark.integration
def test_a_24_a_79_processes_made_of_the_model_do_what_the_system_does_by_itself(tmp_path: Path) -> None:
    made = CliRunner().invoke(generate, ["python", "challenge", "-o", str(tmp_path / "made")])
    assert made.exit_code == 0, made.output
    choices = ["--scenario", "scenario2", "--duration", DURATION, "--json"]
    by_processes = last_line([sys.executable, str(tmp_path / "made/run.py"), *choices, "--speed", "0"])
    alone = last_line([sys.executable, "-m", "coopsim", "components", "run", "challenge", *choices])
    assert by_processes["phases"] == alone["phases"]
    assert by_processes["phases"][0]["max_distance"] > 15.0


def last_line(command: list[str]) -> dict[str, list[dict[str, float]]]:
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, float]]] = json.loads(done.stdout.splitlines()[-1])
    return found
