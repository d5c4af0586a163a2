"""`coopsim bench clients`: how many round trips and lockstep steps a second clients in other languages make."""

import contextlib
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from coopsim.bench.command import at_least, at_most, report
from coopsim.errors import NoReply
from coopsim.testing import Run
from coopsim.testing.conformance import ExamReport, Language, RestartedClient, examine_restart, languages
from coopsim.testing.conformance.client import misbehaviour
from coopsim.testing.conformance.live import ROBOTS, ROOM
from coopsim.testing.conformance.program import ClientProgram
from coopsim.testing.conformance.values import read, written, written_list

YARDSTICK = "python_thin"
BOUNDS = {"c": 1.2, "cpp": 1.2, "rust": 1.2, "go": 1.2, "java": 1.2, "javascript": 0.8, "matlab": 0.1}
"""Smallest ratios to the client in Python; other languages have none."""
FAULT_SECONDS = 2.0
"""Most seconds until a client says that something went wrong, or is back."""
_PING = (written("/sim/clock"), written(0), "", "")
_STEP = (written("/sim/step"), written(11), written_list((0, *ROBOTS)), written_list((0.25, 0.125) * len(ROBOTS)))
_CLAIM = ("ask", written("/sim/step"), written(13), written_list(ROBOTS), "")
_RELEASE = ("ask", written("/sim/step"), written(15), "", "")


@click.command()
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default="clients")
@click.option("--count", default=1000, show_default=True, type=click.IntRange(10), help="Requests in a round.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Each has all languages.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def clients(folder: Path, count: int, rounds: int, as_json: bool) -> None:
    """Compare the clients of a folder with that in Python, by turns at one simulation in lockstep.

    value: median ratio to the client in Python; `pings` are round trips, `steps` those of three robots in a message;
    per_second: median. `faults`: the slowest answer while a server is late, says what is no message, refuses, breaks
    off, or is started again, beyond the client's own time-out.
    """
    here = [each for each in languages(folder.resolve()) if each.examined and not each.missing]
    report(measured(here, count, rounds), as_json=as_json)


def measured(here: Sequence[Language], count: int, rounds: int) -> list[dict[str, Any]]:
    """Return two rows per language.

    Raises:
        NoReply: A program cannot be built, or fails.
    """
    with Run(ROOM, "--no-controllers") as run, contextlib.ExitStack() as running:
        programs = {it.folder.name: running.enter_context(_started(it)) for it in here}
        address = run.plain.rpartition("/")[2]
        found = [{name: _round(it, address, count) for name, it in programs.items()} for _ in range(rounds + 1)]
        rows = [row for it in here for row in _rows(it, found[1:])]  # the first round warms up
        return rows + _faults({it.name: programs[it.folder.name] for it in here})


def _rows(language: Language, found: Sequence[dict[str, tuple[float, float]]]) -> Iterator[dict[str, Any]]:
    for place, what in enumerate(("pings", "steps")):
        mine = [each[language.folder.name][place] for each in found]
        ratios = [mine[number] / each[YARDSTICK][place] for number, each in enumerate(found)]
        case, value, told = (
            f"{language.name}, {what}",
            statistics.median(ratios),
            {"per_second": round(statistics.median(mine))},
        )
        if language.folder.name in BOUNDS:
            yield at_least(case, "ratio", value, BOUNDS[language.folder.name]) | told
        else:
            yield {"case": case, "unit": "ratio", "value": round(value, 4)} | told


def _faults(programs: Mapping[str, ClientProgram]) -> list[dict[str, Any]]:
    """Return a row per language: the seconds after which it says what went wrong, or is back.

    Raises:
        NoReply: It fails a dialog.
    """
    found = {name: [*misbehaviour(program)] for name, program in programs.items()}
    restarted = {name: RestartedClient(program) for name, program in programs.items()}
    examine_restart([*restarted.values()])
    reports = {name: ExamReport([*found[name], *each.findings]) for name, each in restarted.items()}
    for name, told in reports.items():
        if told.failed:
            raise NoReply(f"{name} does not bear what a server may do:\n{told}")
    return [
        at_most(f"{name}, faults", "s", told.slowest.seconds or 0.0, FAULT_SECONDS)
        for name, told in reports.items()
        if told.slowest is not None
    ]


def _started(language: Language) -> ClientProgram:
    language.make()
    return ClientProgram(language.command("conformance"), language.folder)


def _round(program: ClientProgram, address: str, count: int) -> tuple[float, float]:
    """Return round trips and steps per second."""
    _told(program, "connect", address, "30")
    pings = count / float(read(_told(program, "time", str(count), *_PING)[1]))
    _told(program, *_CLAIM)
    steps = count / float(read(_told(program, "time", str(count), *_STEP)[1]))
    _told(program, *_RELEASE)
    _told(program, "close")
    return pings, steps


def _told(program: ClientProgram, *words: str) -> list[str]:
    answer = program.asked(*words)
    if answer[0] not in {"connected", "time", "reply", "closed"}:
        raise NoReply(f"expected an answer to {words[0]}, got {' '.join(answer)}")
    return answer
