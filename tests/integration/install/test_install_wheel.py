"""The wheel, installed into an empty environment, of each Python of this machine: what is in it, and that it runs.

The README and the tutorial are read there, too, as by somebody who has nothing but the wheel.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from install_modules import PYTHONS, ROOT, install

from coopsim.testing.run import Run

sys.path.append(str(ROOT / "tests" / "examples"))
from blocks import lessons
from runner import read

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
CLIENT_MEGABYTES = 130.0
CLIENT_COMMANDS = {
    "ls": "/ann/motors",
    "describe /ann/motors": "set_velocity",
    "call /ann/motors set_velocity 0.2 0": "ok",
    "watch /ann/odometry --count 1": "heading",
    "status": "1 robot",
    "keys list --help": "Usage",
}
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install.make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def here(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An environment, of this Python, with nothing but coopsim in it."""
    return install.install(PYTHONS[HERE], str(wheel), tmp_path_factory.mktemp("here") / "venv")


@pytest.fixture(scope="module")
def python(here: Any) -> str:
    """Its interpreter."""
    return str(here.python)


def test_this_python_is_among_those_found() -> None:
    assert HERE in PYTHONS


def test_the_wheel_holds_every_program_and_whatever_they_read(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    kinds = (
        "worlds/*.world",
        "scenarios/*.scenario",
        "robots/types/*.robot",
        "templates/*.template",
        "drawing/page/*.*",
    )
    for kind in (*kinds, "py.typed", "**/*.py"):
        there = {str(file.relative_to(ROOT)) for file in (ROOT / "coopsim").glob(kind) if file.is_file()}
        assert there, kind
        assert there <= names, kind
    assert not [name for name in names if not name.startswith("coopsim")]


@pytest.mark.parametrize("version", PYTHONS)
def test_an_empty_environment_with_the_wheel_runs_a_scenario_from_an_empty_folder(
    version: str, wheel: Path, here: Any, tmp_path: Path
) -> None:
    made = here if version == HERE else install.install(PYTHONS[version], str(wheel), tmp_path / "venv")
    assert made.megabytes <= install.MEGABYTES_BOUND
    assert any(each.startswith("coopsim ") for each in made.packages)
    empty = tmp_path / "empty"
    empty.mkdir()
    _, told = install.run_formation(made.python, empty)
    assert (told["ticks"], sorted(told["robots"])) == (100, ["robot1", "robot2", "robot3"])


def test_the_environment_has_nothing_that_only_tests_need(python: str) -> None:
    listed = [*install.pip(), "--python", python, "list", "--format", "freeze", "--disable-pip-version-check"]
    names = {line.partition("==")[0].lower() for line in subprocess.check_output(listed, text=True).splitlines()}
    assert not names & {"pytest", "hypothesis", "mypy", "ruff", "mkdocs", "pip", "setuptools"}


def test_the_readme_and_the_tutorial_work_with_the_wheel_alone(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert "COOPSIM_ENDPOINT" not in os.environ
    for page in [ROOT / "README.md", *lessons()]:
        read(page, tmp_path, python)


def test_a_client_needs_only_what_the_page_about_services_installs(wheel: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "howto" / "service.md").read_text(encoding="utf-8")
    lines = [line.split()[1:] for line in page.splitlines() if line.startswith("pip install")]
    assert len(lines) == 2
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([PYTHONS[HERE], "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    pip = (*install.pip(), "--python", str(python), "-q", "--disable-pip-version-check")
    for words in lines:
        subprocess.run([*pip, *(str(wheel) if word == "coopsim" else word for word in words)], check=True)
    size = sum(file.stat().st_size for file in (tmp_path / "venv").rglob("*") if file.is_file())
    assert size <= CLIENT_MEGABYTES * 1e6
    with Run("[ROBOT_1]\ntype single\nname ann\nposition 0 0 0\n", "--no-controllers") as run:
        environment = {"PATH": "/usr/bin:/bin", "COOPSIM_ENDPOINT": run.endpoint}
        for words, printed in CLIENT_COMMANDS.items():
            command = [str(python), "-m", "coopsim", *words.split()]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
            )
            assert done.returncode == 0, done.stderr
            assert printed in done.stdout
    command = [str(python), "-m", "coopsim", "run", "single"]
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 1
    assert "coopsim: this needs the Python package" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_is_no_python_is_not_taken_for_one() -> None:
    assert install._version("/nowhere/python") is None
    assert install._version(os.devnull) is None


def test_a_command_that_fails_is_told_with_what_it_said() -> None:
    with pytest.raises(install.Failed, match=r"exit code 3\nnot today"):
        install._do([sys.executable, "-c", "print('not today'); raise SystemExit(3)"])
