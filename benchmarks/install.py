"""What an installation takes: `python benchmarks/install.py [--json] [--python PATH ...]`.

Makes a wheel, and for each Python of this machine an empty environment that the wheel is installed into, as `pip
install coopsim` does it: time, size and number of packages. Then a scenario runs from an empty folder, for the first
time, when the kernels are compiled, and once more. It needs a Python with pip, and the network that pip needs.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SECONDS_BOUND, MEGABYTES_BOUND, OWN_BOUND = 25.0, 400.0, 24.0
"""Dependencies bring 376 MB, 180 of them LLVM's, and grow with their releases: our own share has a bound of its own."""
VARIABLE = "COOPSIM_PYTHONS"
OLDEST = (3, 11)
PATIENCE = 600.0
_ANSWER = "import sys; print(*sys.version_info[:3], sys.implementation.name)"


class Failed(Exception):
    """A command did not do what it should; the text is its output."""


@dataclass(frozen=True)
class Installed:
    """An environment with nothing but coopsim in it.

    Attributes:
        python: Its interpreter.
        seconds: How long the installation took.
        megabytes: Size of the environment.
        own_megabytes: Size of what coopsim itself brings.
        packages: Names and versions, coopsim among them.
    """

    python: Path
    seconds: float
    megabytes: float
    own_megabytes: float
    packages: tuple[str, ...]


def pythons() -> dict[str, str]:
    """Return the Pythons of this machine that are new enough, a path by version."""
    named = [program for program in os.environ.get(VARIABLE, "").split(os.pathsep) if program]
    on_path = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], 20)]
    programs: dict[str, str] = {}
    for program in [getattr(sys, "_base_executable", sys.executable), *named, *on_path, *_of_pyenv()]:
        version = _version(program) if program else None
        if version is not None:
            programs.setdefault(version, program)
    return dict(sorted(programs.items(), key=lambda item: [int(part) for part in item[0].split(".")]))


def _of_pyenv() -> list[str]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [str(path) for path in sorted(root.glob("versions/3.*/bin/python3"))]


def _version(python: str) -> str | None:
    """Return `3.11`, None for what is no such Python."""
    try:
        answer = subprocess.run([python, "-c", _ANSWER], capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor, _, name = answer.stdout.split()
    return f"{major}.{minor}" if name == "cpython" and (int(major), int(minor)) >= OLDEST else None


def pip() -> list[str]:
    """Return a command that is pip.

    Raises:
        Failed: No Python here has it.
    """
    for python in (sys.executable, getattr(sys, "_base_executable", None), shutil.which("python3"), *_of_pyenv()):
        command = [str(python), "-m", "pip"]
        if python and subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0:
            return command
    raise Failed("no Python here has pip: `python3 -m ensurepip`, or the package python3-pip")


def make_wheel(folder: Path) -> Path:
    """Make the wheel of this clone in a folder, from a copy, so that nothing old gets into it."""
    copy = folder / "source"
    unwanted = shutil.ignore_patterns("__pycache__", ".*", "build", "dist", "*.egg-info", "*.so", "tests")
    shutil.copytree(ROOT, copy, ignore=unwanted, symlinks=True, ignore_dangling_symlinks=True)
    output_of([*pip(), "wheel", "-q", "--no-deps", "-w", str(folder), str(copy)])
    (wheel,) = folder.glob("coopsim-*.whl")
    return wheel


def install(python: str, what: str, folder: Path) -> Installed:
    """Make an environment in a folder and install something into it, as its user would.

    Args:
        python: Interpreter to make it of.
        what: A wheel, or whatever else pip takes.
        folder: Must not exist.
    """
    inside = folder / "bin" / "python"
    began = time.perf_counter()
    output_of([python, "-m", "venv", "--without-pip", str(folder)])
    output_of([*pip(), "--python", str(inside), "install", "-q", "--disable-pip-version-check", what])
    seconds = time.perf_counter() - began
    listed = output_of([*pip(), "--python", str(inside), "list", "--format", "json", "--disable-pip-version-check"])
    packages = tuple(f"{load['name']} {load['version']}" for load in json.loads(listed))
    (own,) = folder.glob("lib/python*/site-packages/coopsim")
    return Installed(inside, seconds, _megabytes(folder), _megabytes(own), packages)


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6


def run_formation(python: Path, folder: Path) -> tuple[float, dict[str, Any]]:
    """Run a scenario for a simulated second in a folder; return how long it took and its summary."""
    began = time.perf_counter()
    command = [str(python.parent / "coopsim"), "run", "formation", "--no-gui", "--port", "0", "--duration", "1"]
    output = output_of([*command, "--json"], cwd=folder)
    return time.perf_counter() - began, json.loads(output.splitlines()[-1])


def output_of(command: list[str], cwd: Path | None = None) -> str:
    """Run a command and return what it printed.

    Raises:
        Failed: It ended with another exit code than 0, or not at all.
    """
    unseen = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in unseen}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, cwd=cwd, env=environment, check=True
        )
    except subprocess.CalledProcessError as problem:
        raise Failed(f"{' '.join(command)}: exit code {problem.returncode}\n{problem.stdout}{problem.stderr}") from None
    return done.stdout


def measure(chosen: dict[str, str]) -> list[dict[str, Any]]:
    """Return rows as those of `coopsim bench` for each Python."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="coopsim-install-") as work:
        wheel = make_wheel(Path(work))
        for version, python in chosen.items():
            installation = install(python, str(wheel), Path(work) / version)
            empty = Path(work) / f"empty-{version}"
            empty.mkdir()
            first, _ = run_formation(installation.python, empty)
            second, _ = run_formation(installation.python, empty)
            name = f"Python {version}"
            rows += [
                _row(f"{name}: install", "s", installation.seconds, SECONDS_BOUND),
                _row(f"{name}: size", "MB", installation.megabytes, MEGABYTES_BOUND),
                _row(f"{name}: size of coopsim alone", "MB", installation.own_megabytes, OWN_BOUND),
                _row(f"{name}: packages", "packages", len(installation.packages)),
                _row(f"{name}: first run of a second, kernels compiled", "s", first),
                _row(f"{name}: second run of a second", "s", second),
            ]
    return rows


def _row(case: str, unit: str, value: float, bound: float | None = None) -> dict[str, Any]:
    return {
        "case": case,
        "unit": unit,
        "value": round(value, 1),
        "bound": bound,
        "ok": None if bound is None else value <= bound,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 if something failed."""
    parser = argparse.ArgumentParser(description="Measure what an installation takes.")
    parser.add_argument("--python", action="append", help="an interpreter; default: all that are found")
    parser.add_argument("--json", action="store_true", help="last line of the output as JSON")
    options = parser.parse_args(arguments)
    try:
        named = {version: python for python in options.python or () if (version := _version(python))}
        rows = measure(named if options.python else pythons())
    except Failed as problem:
        print(problem, file=sys.stderr)
        return 1
    for row in rows:
        bound = "" if row["bound"] is None else f"  (at most {row['bound']:g}: {'yes' if row['ok'] else 'NO'})"
        print(f"{row['case']:<52} {row['value']:>8} {row['unit']}{bound}")
    if options.json:
        print(json.dumps({"results": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
