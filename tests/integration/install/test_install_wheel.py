"""The wheel, installed into an empty environment, of each Python of this machine: what is in it, and that it runs.

The tutorial is typed there, too, as by somebody who has nothing but the wheel.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from install_modules import PYTHONS, ROOT, install

from coopsim import version as program
from coopsim.testkit.run import Run

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
CLIENT_MEGABYTES = 130.0
CART = """[ROBOT]
summary drives, and knows where it is
[BODY]
size 0.4 0.4 0.2
mass 8
[DEVICE_1]
type differential_drive
name motors
[DEVICE_2]
type odometry
name odometry
"""
CLIENT_COMMANDS = {
    "ls": "/ann/motors",
    "describe /ann/motors": "set_velocity",
    "call /ann/motors set_velocity 0.2 0": "ok",
    "watch /ann/odometry --count 1": "heading",
    "status": "1 robot",
    "keys list --help": "Usage",
}
_LITERAL = ROOT / "tests" / "examples" / "literal.py"
_ALONE = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"')
_UNCOMPILED = "PIP_COMPILE", "0"
"""Python compiles what is imported, which is a small part of what pip would compile."""
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install.make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def here(wheel: Path) -> Iterator[Any]:
    """An environment, of this Python, with nothing but coopsim in it, and its kernels.

    They are those of the sources, which are believed for the same code; the other Pythons compile theirs. Each of its
    3400 compiled files holds its own path, so it lies as deep as a user's, and not below the folders of pytest.
    """
    with tempfile.TemporaryDirectory() as folder:
        installation = install.install(PYTHONS[HERE], str(wheel), Path(folder) / "venv")
        (package,) = installation.python.parents[1].glob("lib/python*/site-packages/coopsim")
        for kind in (".nbc", ".nbi"):
            for kept in (ROOT / "coopsim").rglob(f"*{kind}"):
                target = package / kept.relative_to(ROOT / "coopsim")
                if target.parent.is_dir():  # a room of before is not in the wheel
                    shutil.copy(kept, target)
        install.output_of([str(installation.python), "-m", "coopsim.features.doctor.warm", "--first"])
        yield installation


@pytest.fixture(scope="module")
def python(here: Any) -> str:
    """Its interpreter."""
    return str(here.python)


def test_this_python_is_among_those_found() -> None:
    assert HERE in PYTHONS


OF_CHECKOUTS = tuple(
    f"coopsim/{folder}/" for folder in ("testkit/fuzz", "testkit/own_bench", "features/gateways/bench")
)


def test_the_wheel_holds_every_program_and_whatever_they_read(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    kinds = (
        "worlds/*.world",
        "scenarios/*.scenario",
        "robots/types/*.robot",
        "templates/*.template",
        "features/**/page/*.*",
        "features/**/*.jinja",
        "features/desktop/shaders/*.glsl",
    )
    for kind in (*kinds, "py.typed", "**/*.py"):
        files = {str(file.relative_to(ROOT)) for file in (ROOT / "coopsim").glob(kind) if file.is_file()}
        assert files, kind
        left_out = {file for file in files if file not in names and f"{file}.gz" not in names}
        assert {file for file in left_out if not file.startswith(OF_CHECKOUTS)} == set(), kind
    assert not [name for name in names if not name.startswith("coopsim")]


def test_an_empty_environment_with_the_wheel_runs_a_scenario_from_an_empty_folder(here: Any, tmp_path: Path) -> None:
    assert here.megabytes <= install.MEGABYTES_BOUND
    assert here.own_megabytes <= install.OWN_BOUND
    assert any(package.startswith("coopsim ") for package in here.packages)
    _, report = install.run_formation(here.python, tmp_path)
    assert (report["ticks"], sorted(report["robots"])) == (100, ["robot1", "robot2", "robot3"])
    code = "from coopsim import version; print(version.build(), version.commit() or 'no commit')"
    said = subprocess.run([str(here.python), "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert said.stdout.strip() == f"{program.build()} no commit"
    listing = [here.python.parent / "coopsim", "bench", "--help"]
    assert "hostile" in subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    refused = subprocess.run([here.python.parent / "coopsim", "fuzz"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "fuzz is for those who change coopsim: wheels leave it out" in refused.stderr


@pytest.mark.parametrize("version", sorted(set(PYTHONS) - {HERE}))
def test_the_other_pythons_run_the_wheel_too(
    version: str, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sonars, whose kernels take half a minute to compile."""
    monkeypatch.setenv(*_UNCOMPILED)
    installation = install.install(PYTHONS[version], str(wheel), tmp_path / "venv")
    (tmp_path / "cart.robot").write_text(CART)
    (tmp_path / "cart.scenario").write_text("[ROBOT_1]\ntype cart\nname ann\nposition 0 0 0\n")
    command = [
        installation.python.parent / "coopsim",
        "run",
        "cart.scenario",
        "--no-gui",
        "--mode",
        "free",
        "--duration",
        "1",
    ]
    report = json.loads(install.output_of([*map(str, command), "--port", "0", "--json"], cwd=tmp_path).splitlines()[-1])
    assert (report["ticks"], sorted(report["robots"])) == (100, ["ann"])


def test_the_environment_has_nothing_that_only_tests_need(python: str) -> None:
    listed = [*install.pip(), "--python", python, "list", "--format", "freeze", "--disable-pip-version-check"]
    names = {line.partition("==")[0].lower() for line in subprocess.check_output(listed, text=True).splitlines()}
    assert not names & {"pytest", "hypothesis", "mypy", "ruff", "mkdocs", "pip", "setuptools"}


def test_the_tutorial_runs_as_it_is_typed_from_its_first_lesson_to_its_last(python: str, tmp_path: Path) -> None:
    """On the usual ports, so in a network of its own, where nothing else runs; with the wheel alone."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = (*_ALONE, sys.executable, str(_LITERAL), str(tmp_path), python)
    done = subprocess.run(command, capture_output=True, text=True, timeout=850, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_client_needs_only_what_the_page_about_services_installs(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*_UNCOMPILED)
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
        install.output_of([sys.executable, "-c", "print('not today'); raise SystemExit(3)"])
