"""A folder of the user with files that are called like modules of Python and of packages."""

import subprocess
import sys
from pathlib import Path

import forked_python
import pytest

NAMES = (
    *("asyncio", "calendar", "colorsys", "coverage", "csv", "difflib", "logging", "numba", "numpy", "queue", "random"),
    *("select", "selectors", "signal", "socket", "string", "struct", "tempfile", "token", "zmq"),
)
SCRIPT = Path(sys.executable).with_name("coopsim")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder whose files say that they were run."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name}.py was run')\n", encoding="utf-8")
    return tmp_path


def done(folder: Path, *command: str) -> str:
    """Return what a program prints that is begun there, from nothing."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with forked_python.PlainPopen(command, cwd=folder, **options) as process:  # type: ignore[call-overload]
        out, _ = process.communicate(timeout=100)
    assert process.returncode == 0, out
    assert "was run" not in out
    return str(out)


@pytest.mark.parametrize("program", [(str(SCRIPT),), (sys.executable, "-m", "coopsim")])
def test_its_files_are_run_by_no_process_of_a_run(folder: Path, program: tuple[str, ...]) -> None:
    ending = ("--duration", "1", "--mode", "lockstep", "--no-gui", "--port", "0", "--record", "a.mcap")
    done(folder, *program, "run", "formation", *ending)
    assert "identical" in done(folder, *program, "verify", "a.mcap")


def test_nor_by_the_processes_of_a_study(folder: Path) -> None:
    printed = done(folder, str(SCRIPT), "trial", "single", "--seeds", "2", "--duration", "0.2")
    assert "2 of 2 runs succeeded" in printed


def test_a_plugin_of_the_name_of_a_package_that_is_not_installed_is_a_plugin(tmp_path: Path) -> None:
    # numba imports a package `coverage`, if there is one
    metric = done(tmp_path, str(SCRIPT), "new", "metric", "my_way") and (tmp_path / "my_way.py")
    (tmp_path / "coverage.py").write_text(metric.read_text().replace("my_way", "coverage"), encoding="utf-8")
    scenario = (tmp_path / "my_way.scenario").read_text().replace("my_way", "coverage")
    (tmp_path / "a.scenario").write_text(scenario, encoding="utf-8")
    done(tmp_path, str(SCRIPT), "check", "a.scenario", "--plugin", "coverage.py")
