"""The first hour of a new user, typed and timed: `python docs/first_hour.py [--root DIR] [--here]`.

Makes a bare Debian with debootstrap (or takes an empty folder of this machine, and says so), installs what the README
asks for, types the tutorial from its first command to its last, and writes the transcript to `docs/first_hour.md` and
the times to `benchmarks/results/first_hour.json`. Needs git, the network and, for Debian, root and debootstrap.
"""

import argparse
import inspect
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from first_hour_places import ROOT, Debian, Here, Place, end

sys.path += [str(ROOT / "tests" / "examples"), str(ROOT / "benchmarks")]

from blocks import Block, blocks, commands, lessons
from figures import keep, saved

PAGE = ROOT / "docs" / "first_hour.md"
MOVING_BOUND, COMMANDS_BOUND = 60.0, 10
LONGEST, SHOWN = 900.0, 18
_MOVING = re.compile(r"^(\d{4}-\d\d-\d\d [\d:]{8})? +\d+\.\d\d s +x\d")
_READY = re.compile(r"answering on (tcp://\S+) ")
_ACTIVATE = ". .venv/bin/activate"
_OWN = "python away.py"


class Unexpected(Exception):
    """A command did not end as the tutorial says; the text is its output."""


@dataclass
class Hour:
    """What was typed, printed and measured.

    Attributes:
        lines: The transcript as Markdown.
        seconds: By command, in order.
        moving: From `make run` until robots move [s].
        typed: Commands up to the first controller of one's own.
    """

    lines: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    moving: float = 0.0
    typed: int = 0
    is_own: bool = False

    def count(self, command: str) -> None:
        """Count a command as typed, until the first controller of one's own has run."""
        self.typed += not self.is_own
        self.is_own |= command == _OWN

    def say(self, command: str, output: str, seconds: float) -> None:
        """Add a command with its output to the transcript."""
        self.seconds[command] = self.seconds.get(command, 0.0) + seconds
        self.lines += ["```text", f"$ {command}", *_shortened(output), "```", "", f"{seconds:.1f} s", ""]


class Typist:
    """Types the blocks of pages at a place, with the runs that they begin."""

    def __init__(self, place: Place, hour: Hour) -> None:
        self._place, self._hour = place, hour
        self._live: subprocess.Popen[str] | None = None
        self._endpoint = self._before = ""

    def read(self, page: Path) -> None:
        """Type everything on a page."""
        title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        self._hour.lines += [f"## {title}", ""]
        try:
            for block in blocks(page):
                self._type(block)
        finally:
            self._end()

    def _type(self, block: Block) -> None:
        if block.mark == "file":
            self._place.write(block.argument, block.text)
            self._hour.lines += [f"*{block.argument} is written as the lesson says.*", ""]
        elif block.mark == "ends":
            self._end()
        elif block.mark == "live":
            self._begin(*commands(block))
        elif block.language == "sh":
            for line in commands(block):
                self._hour.count(line)
                if line == _ACTIVATE:
                    self._before = f"{line} && "
                    self._hour.say(line, "", 0.0)
                else:
                    self.do(line, code=int(block.argument) if block.mark == "fails" else 0)

    def do(self, command: str, *, code: int = 0) -> None:
        """Type a command and wait for its end.

        Raises:
            Unexpected: It ended with another exit code.
        """
        free = f"{command} --port 0" if command.startswith("coopsim run") else command
        began = time.perf_counter()
        variables = {"COOPSIM_ENDPOINT": self._endpoint} if self._endpoint else {}
        with self._place.begin(self._before + free, **variables) as process:
            output = self._heard(process, began)
        if process.returncode != code:
            raise Unexpected(f"{command}: exit code {process.returncode}\n{output}")
        self._hour.say(command, output, time.perf_counter() - began)

    def _heard(self, process: "subprocess.Popen[str]", began: float) -> str:
        assert process.stdout is not None
        output = []
        for line in process.stdout:
            output.append(line)
            if not self._hour.moving and _MOVING.match(line):
                self._hour.moving = time.perf_counter() - began
        return "".join(output)

    def _begin(self, command: str) -> None:
        self._end()
        self._hour.count(command)
        self._live = self._place.begin(f"{self._before}exec {command} --port 0")
        assert self._live.stdout is not None
        if not select.select([self._live.stdout], [], [], LONGEST)[0]:
            raise Unexpected(f"{command}: it says nothing")
        output = ""
        for line in self._live.stdout:
            output += line
            match = _READY.search(line)
            if match:
                self._endpoint = match[1]
                break
        else:
            raise Unexpected(f"{command}: it does not answer\n{output}")
        self._hour.lines += ["In a terminal of its own:", "", "```text", f"$ {command}", output.rstrip(), "```", ""]

    def _end(self) -> None:
        if self._live is not None:
            end(self._live)
        self._live, self._endpoint = None, ""


def spend(place: Place) -> Hour:
    """Spend the first hour at a place.

    Raises:
        Unexpected: Something did not go as the tutorial says.
    """
    hour = Hour()
    typist = Typist(place, hour)
    if place.preparing:
        hour.lines += ["## Before", ""]
        typist.do(place.preparing)
    for lesson in lessons():
        typist.read(lesson)
    return hour


def rows_of(hour: Hour) -> list[dict[str, Any]]:
    """Return what was measured, in rows as those of `coopsim bench`."""
    lessons_take = sum(seconds for command, seconds in hour.seconds.items() if not command.startswith("apt-get"))
    return [
        _row("make run, until robots move", "s", round(hour.moving, 1), MOVING_BOUND),
        _row("make run, until it has ended", "s", round(hour.seconds["make run"], 1)),
        _row("first controller of one's own", "commands", hour.typed, COMMANDS_BOUND),
        _row("all commands of the tutorial", "s", round(lessons_take, 1)),
    ]


def _row(case: str, unit: str, value: float, bound: float | None = None) -> dict[str, Any]:
    return {"case": case, "unit": unit, "value": value, "bound": bound, "ok": None if bound is None else value <= bound}


def page_of(place: Place, hour: Hour) -> str:
    """Return the transcript as a page."""
    return "\n".join(
        [
            "# The first hour",
            "",
            f"Written by `python docs/first_hour.py` in {place.about}. Every command of the [tutorial]"
            "(tutorial/README.md) was typed, none left out; long outputs are cut. Ports are free ones.",
            "",
            "<!-- generated: figures first_hour -->",
            "<!-- end -->",
            "",
            *hour.lines,
        ]
    )


def _shortened(output: str) -> list[str]:
    lines = [line.rstrip() for line in output.replace("\r", "\n").splitlines() if line.strip()]
    if len(lines) <= SHOWN:
        return lines
    return [*lines[: SHOWN // 2], f"... {len(lines) - SHOWN} lines ...", *lines[-SHOWN // 2 :]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Spend the hour and write it down; exit code 1 if something did not go as the tutorial says."""
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, help="a Debian to use, or where to make one [made and removed]")
    parser.add_argument("--here", action="store_true", help="an empty folder of this machine instead of a Debian")
    parser.add_argument("--try", dest="trial", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    load, began = os.getloadavg()[0], time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="coopsim-first-hour-") as folder:
        if not options.here and options.root is None and shutil.which("debootstrap") is None:
            parser.error("there is no debootstrap: `apt-get install debootstrap`, or --here")
        work = options.root or Path(folder) / "root"
        place: Place = Here(work) if options.here else Debian(work)
        try:
            hour = spend(place)
        except Unexpected as problem:
            print(problem, file=sys.stderr)
            return 1
    rows = rows_of(hour)
    for row in rows:
        print(f"{row['case']:<40} {row['value']:>8} {row['unit']}")
    if not options.trial:
        command = "python docs/first_hour.py" + " --here" * options.here
        keep("first_hour", saved(command, rows, time.perf_counter() - began, load))
        PAGE.write_text(page_of(place, hour), encoding="utf-8")
        subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py")], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
