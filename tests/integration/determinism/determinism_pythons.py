"""The Pythons of this machine, and what each of them makes of the same scene."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SECONDS = 240.0
VARIABLE = "COOPSIM_PYTHONS"
DECISIVE = ("numpy", "numba", "pymunk")
"""Packages of which another version may give other digits."""


@dataclass(frozen=True)
class Outcome:
    """What a process made of the scene; `problem` says why it could not."""

    states: list[str] = field(default_factory=list)
    versions: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def ran(command: list[str], cwd: Path | None = None, **environment: str) -> Outcome:
    """Run the scene in a process of its own."""
    path = os.pathsep.join([str(ROOT), str(HERE)])
    done = subprocess.run(
        [*command, str(HERE / "determinism_child.py")],
        env={**os.environ, "PYTHONPATH": path, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return Outcome(problem=lines[-1 if lines[0].startswith("Traceback") else 0])
    return Outcome(**json.loads(done.stdout))


def others() -> Iterator[str]:
    """Yield the Pythons that are there besides this one: those on the path, and those that a variable names."""
    named = [program for program in os.environ.get(VARIABLE, "").split(os.pathsep) if program]
    on_path = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    programs = {os.path.abspath(program): None for program in [*named, *on_path] if program}
    yield from (program for program in programs if program != os.path.abspath(sys.executable))


def comparison_text(python: str, outcome: Outcome, here: Outcome) -> str:
    """Say how another Python compares."""
    if outcome.problem:
        return f"{python}: cannot take part: {outcome.problem}"
    version, packages = outcome.versions["python"], _packages(outcome.versions, here.versions)
    if outcome.states == here.states:
        return f"{python} ({version}{packages}): the same states"
    first = next(n for n, pair in enumerate(zip(outcome.states, here.states, strict=True)) if pair[0] != pair[1])
    return f"{python} ({version}{packages}): other states from tick {10 * first} to {10 * first + 10} on"


def is_bound(outcome: Outcome, here: Outcome) -> bool:
    """Return whether a Python has the packages with which states must be the same."""
    return not outcome.problem and all(
        outcome.versions.get(package) == here.versions.get(package) for package in DECISIVE
    )


def _packages(versions: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    return "".join(
        f", {package} {versions.get(package)}" for package in DECISIVE if versions.get(package) != here.get(package)
    )
