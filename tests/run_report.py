"""Simulations of a test that failed: how their processes stand and what they printed last, as a section of its report.

A run that has gone or stands still answers nobody, and all tests that share it fail with "no reply": only its processes
can tell why.
"""

import contextlib
import gc
import re
from pathlib import Path
from subprocess import Popen

import pytest
from forked_python import PlainPopen

from coopsim.testkit import Run

_LAST = 20
"""Lines that are shown of what a run printed."""
_KNOWN = re.compile(r"coopsim (run|replay|gui|view)")


def add_to(report: pytest.TestReport) -> None:
    """Append a section to the report of a test that failed, where this process has started simulations."""
    # not `subprocess.Popen`, in whose place a test that fails may have put something else; and
    # by their types: whoever looks at a weak proxy otherwise looks at what it stands for, which may be gone
    objects = gc.get_objects()
    running = [process for process in objects if issubclass(type(process), PlainPopen) and _is_simulation(process)]
    parents = _parents()
    lines = [line for process in running for line in _described(process, parents)]
    for run in objects:
        if issubclass(type(run), Run) and run.printed:
            lines += [f"printed by the run at {run.endpoint}:", *run.printed.splitlines()[-_LAST:]]
    if lines:
        report.sections.append(("simulations of this process", "\n".join(lines)))


def _is_simulation(process: "Popen[bytes]") -> bool:
    words = process.args if isinstance(process.args, list | tuple) else [process.args]
    return bool(_KNOWN.search(" ".join(map(str, words))))


def _described(process: "Popen[bytes]", parents: dict[int, int]) -> list[str]:
    words = process.args if isinstance(process.args, list | tuple) else [process.args]
    end = "" if process.returncode is None else f", ended with {process.returncode}"
    family = [process.pid] if process.pid in parents else []
    for pid in family:  # which grows meanwhile
        family += [child for child, parent in parents.items() if parent == pid]
    return [f"{' '.join(map(str, words[2:]))}{end}", *(f"  {_state(pid)}" for pid in family)]


def _parents() -> dict[int, int]:
    """Return the parent of each process."""
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            parents[int(file.parent.name)] = int(file.read_text().rpartition(")")[2].split()[1])
    return parents


def _state(pid: int) -> str:
    """Return number, state (Z = ended and not read, T = stopped), place in the kernel and command of a process."""
    folder, words = Path(f"/proc/{pid}"), [str(pid)]
    with contextlib.suppress(OSError):  # it has just ended
        words.append((folder / "stat").read_text().rpartition(")")[2].split()[0])
        words.append((folder / "wchan").read_text())
        words.append((folder / "cmdline").read_text().replace("\0", " ").strip())
    return " ".join(words)
