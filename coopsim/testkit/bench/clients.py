"""`coopsim bench clients`: how many round trips and lockstep steps a second clients in other languages make."""

import contextlib
import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from coopsim.errors import NoReply
from coopsim.testkit import Run
from coopsim.testkit.bench.command import at_least, at_most, report
from coopsim.testkit.conformance import ExamReport, Language, RestartedClient, examine_restart, languages
from coopsim.testkit.conformance.client import misbehaviour
from coopsim.testkit.conformance.live import ROBOTS, ROOM
from coopsim.testkit.conformance.program import ClientProgram
from coopsim.testkit.conformance.values import read, written, written_list

YARDSTICK = "python_thin"
BOUNDS = {"c": 1.2, "cpp": 1.2, "rust": 1.2, "go": 1.2, "java": 1.2, "javascript": 0.8, "matlab": 0.1}
"""Smallest ratios to the client in Python; other languages have none."""
FAULT_SECONDS = 2.0
"""Most seconds until a client says that something went wrong, or is back."""
_Pair = tuple[tuple[float, float], tuple[float, float]]
"""Round trips and steps per second of a client, and of the yardstick just before or behind it."""
_WARMING = 16
"""Times as long as a part of a round each program runs before it is measured."""
_PING = (written("/sim/clock"), written(0), "", "")  # command 0, which every module has
# one velocity for each robot
_STEP = (written("/sim/step"), written(11), written_list((0, *ROBOTS)), written_list((0.25, 0.125) * len(ROBOTS)))
_CLAIM = ("ask", written("/sim/step"), written(13), written_list(ROBOTS), "")
_RELEASE = ("ask", written("/sim/step"), written(15), "", "")


@click.command()
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default="clients")
@click.option("--seconds", default=0.1, show_default=True, type=click.FloatRange(0.01), help="Of each kind in a round.")
@click.option("--rounds", default=11, show_default=True, type=click.IntRange(1), help="Each has all languages.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def clients(folder: Path, seconds: float, rounds: int, as_json: bool) -> None:
    """Compare the clients of a folder with that in Python, each by turns with it, at one simulation in lockstep.

    value: median ratio to the client in Python; `pings` are round trips, `steps` those of three robots in a message;
    per_second: median. `faults`: the slowest answer while a server is late, says what is no message, refuses, breaks
    off, or is started again, beyond the client's own time-out.
    """
    examined = [language for language in languages(folder.resolve()) if language.examined and not language.missing]
    report(measured(examined, seconds, rounds), as_json=as_json)


def measured(here: Sequence[Language], seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Return three rows per language: pings, steps, faults.

    Raises:
        NoReply: A program cannot be built, or fails.
    """
    with Run(ROOM, "--no-controllers") as run, contextlib.ExitStack() as running:
        programs = {language.folder.name: running.enter_context(_started(language)) for language in here}
        address = run.plain.rpartition("/")[2]
        speeds = {name: _warmed(program, address, seconds) for name, program in programs.items()}
        counts = {name: tuple(max(10, round(seconds * share)) for share in speed) for name, speed in speeds.items()}
        pairs: dict[str, list[_Pair]] = {name: [] for name in programs}
        for number, (name, it) in itertools.product(range(rounds), programs.items()):
            turns = [(it, counts[name]), (programs[YARDSTICK], counts[YARDSTICK])]
            first, second = (_round(*turn, address) for turn in (turns if number % 2 else reversed(turns)))
            pairs[name].append((first, second) if number % 2 else (second, first))
        rows = [row for language in here for row in _rows(language, pairs[language.folder.name])]
        return rows + _faults({language.name: programs[language.folder.name] for language in here})


def _rows(language: Language, found: Sequence[_Pair]) -> Iterator[dict[str, Any]]:
    for place, what in enumerate(("pings", "steps")):
        value = statistics.median(mine[place] / yardstick[place] for mine, yardstick in found)
        case = f"{language.name}, {what}"
        figures = {"per_second": round(statistics.median(mine[place] for mine, _ in found))}
        if language.folder.name in BOUNDS:
            yield at_least(case, "ratio", value, BOUNDS[language.folder.name]) | figures
        else:
            yield {"case": case, "unit": "ratio", "value": round(value, 4)} | figures


def _faults(programs: Mapping[str, ClientProgram]) -> list[dict[str, Any]]:
    """Return a row per language: the seconds after which it says what went wrong, or is back.

    Raises:
        NoReply: It fails a dialog.
    """
    misbehaviours = {name: [*misbehaviour(program)] for name, program in programs.items()}
    restarted = {name: RestartedClient(program) for name, program in programs.items()}
    examine_restart([*restarted.values()])
    reports = {name: ExamReport([*misbehaviours[name], *exam.findings]) for name, exam in restarted.items()}
    for name, told in reports.items():
        if told.failed:
            raise NoReply(f"{name} does not bear what a server may do:\n{told}")
    return [
        at_most(f"{name}, faults", "s", report.slowest.seconds or 0.0, FAULT_SECONDS)
        for name, report in reports.items()
        if report.slowest is not None
    ]


def _started(language: Language) -> ClientProgram:
    language.make()
    return ClientProgram(language.command("conformance"), language.folder)


def _warmed(program: ClientProgram, address: str, seconds: float) -> tuple[float, float]:
    """Return round trips and steps per second, after as much time as programs take that compile while they run."""
    counts, speeds, began = (10, 10), (0.0, 0.0), perf_counter()
    while perf_counter() - began < _WARMING * seconds:
        speeds = _round(program, counts, address)
        counts = (max(10, round(seconds * speeds[0])), max(10, round(seconds * speeds[1])))
    return speeds


def _round(program: ClientProgram, counts: tuple[int, ...], address: str) -> tuple[float, float]:
    """Return round trips and steps per second."""
    _answer(program, "connect", address, "30")
    pings = counts[0] / float(read(_answer(program, "time", str(counts[0]), *_PING)[1]))
    _answer(program, *_CLAIM)
    steps = counts[1] / float(read(_answer(program, "time", str(counts[1]), *_STEP)[1]))
    _answer(program, *_RELEASE)
    _answer(program, "close")
    return pings, steps


def _answer(program: ClientProgram, *words: str) -> list[str]:
    answer = program.asked(*words)
    if answer[0] not in {"connected", "time", "reply", "closed"}:
        raise NoReply(f"expected an answer to {words[0]}, got {' '.join(answer)}")
    return answer
