"""`coopsim bench clients`: how many round trips and lockstep steps a second clients in other languages make."""

import contextlib
import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import click

from coopsim.errors import NoReply
from coopsim.features.files.figures import at_least, at_most, show
from coopsim.testkit import Run
from coopsim.testkit.bench.measuring.cpu import busy_us, children, kept_apart
from coopsim.testkit.conformance import ExamReport, Language, RestartedClient, examine_restart, languages
from coopsim.testkit.conformance.client import misbehaviour
from coopsim.testkit.conformance.live import ROBOTS, ROOM
from coopsim.testkit.conformance.program import ClientProgram
from coopsim.testkit.conformance.values import read, written, written_list
from coopsim.testkit.own_bench.measuring import typed_steps

YARDSTICK = "python_thin"
_COMPILED = "c", "cpp", "rust", "go", "java"
PINGS = dict.fromkeys(_COMPILED, 0.9) | {"javascript": 0.8, "matlab": 0.1}
"""Smallest ratios to the client in Python of round trips; other languages have none.

A round trip is two changes of process and what the host does, whatever the client is written in. What a client does
itself is seen in its processor time.
"""
STEPS = dict.fromkeys(_COMPILED, 1.2) | {"javascript": 0.8, "matlab": 0.1}
"""Those of steps, which clients have to pack and to read."""
PROCESSOR_TIMES = dict.fromkeys(("c", "cpp", "rust"), 1.0) | {"go": 1.25}
"""Largest ratios to the client in Python of the processor time that a client takes for a round trip.

Most of it is the system's, for sockets and changes of process; Go's runtime seeks other work
on a second thread whenever a socket makes it wait.
"""
FAULT_SECONDS = 2.0
"""Most seconds until a client says that something went wrong, or is back."""
TYPED, TYPED_APART = 1.1, {"javascript": 1.2, "matlab": 1.5}
"""Largest ratio of a step of ten robots by names to one by numbers in the same language.

By names such a step has 70 lookups. JavaScript makes objects of what they find. Octave takes 40 us for a call of a
method, so that all robots are set and read by one call.
"""
_TYPED = "08_typed"  # the example of languages with names
_WARMING = 16
"""Times as long as a part of a round each program runs before it is measured."""
_PING = (written("/sim/clock"), written(0), "", "")  # command 0, which every module has
# one velocity for each robot
_STEP = (written("/sim/step"), written(11), written_list((0, *ROBOTS)), written_list((0.25, 0.125) * len(ROBOTS)))
_CLAIM = ("ask", written("/sim/step"), written(13), written_list(ROBOTS), "")
_RELEASE = ("ask", written("/sim/step"), written(15), "", "")


class Speeds(NamedTuple):
    """Speeds of a client in a round.

    Attributes:
        pings: Round trips a second.
        steps: Steps a second.
        processor_time: Of the client, in a round trip [us].
    """

    pings: float
    steps: float
    processor_time: float


class MeasuredRun(NamedTuple):
    """Simulation that answers.

    Attributes:
        address: Where, by plain TCP.
        launcher: Its process.
    """

    address: str
    launcher: int


_Pair: TypeAlias = tuple[Speeds, Speeds]
"""Of a client, and of the yardstick just before or behind it."""


@click.command()
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default="clients")
@click.option("--seconds", default=0.1, show_default=True, type=click.FloatRange(0.01), help="Of each kind in a round.")
@click.option("--rounds", default=11, show_default=True, type=click.IntRange(1), help="Each has all languages.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def clients(folder: Path, seconds: float, rounds: int, as_json: bool) -> None:
    """Compare the clients of a folder with that in Python, each by turns with it, at one simulation in lockstep.

    While round trips are counted, the simulation is kept on one processor and the client on another one.

    value: median ratio to the client in Python; `pings` are round trips, `steps` those of three robots in a message;
    per_second: median. `processor time`: of the client in a round trip, per_second how many fit into a second of it.
    `typed step`: of ten robots by names, in times of one by numbers in the same language.
    `faults`: the slowest answer while a server is late, says what is no message, refuses, breaks off, or is started
    again, beyond the client's own time-out.
    """
    examined = [language for language in languages(folder.resolve()) if language.examined and not language.missing]
    show(measured(examined, seconds, rounds), as_json=as_json)


def measured(languages: Sequence[Language], seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Return rows per language: pings, steps, processor time, typed steps, faults.

    Raises:
        NoReply: A program cannot be built, or fails.
    """
    with Run(ROOM, "--no-controllers") as run, contextlib.ExitStack() as running:
        programs = {language.folder.name: running.enter_context(_started(language)) for language in languages}
        measured_run = MeasuredRun(run.plain.rpartition("/")[2], run.launcher)
        speeds = {name: _warmed(program, measured_run, seconds) for name, program in programs.items()}
        counts = {name: tuple(max(10, round(seconds * share)) for share in speed[:2]) for name, speed in speeds.items()}
        pairs: dict[str, list[_Pair]] = {name: [] for name in programs}
        for number, (name, program) in itertools.product(range(rounds), programs.items()):
            turns = [(program, counts[name]), (programs[YARDSTICK], counts[YARDSTICK])]
            first, second = (_round(*turn, measured_run) for turn in (turns if number % 2 else reversed(turns)))
            pairs[name].append((first, second) if number % 2 else (second, first))
        rows = [row for language in languages for row in _rows(language, pairs[language.folder.name])]
        typed = {lang.folder.name: lang for lang in languages if _TYPED in lang.examples}
        measured_typed = typed_steps.measured({name: programs[name] for name in typed}, _answer, seconds, rounds)
        rows += [
            at_most(f"{typed[name].name}, typed step", "ratio", ratio, TYPED_APART.get(name, TYPED))
            for name, ratio in measured_typed.items()
        ]
        return rows + _faults({language.name: programs[language.folder.name] for language in languages})


def _rows(language: Language, pairs: Sequence[_Pair]) -> Iterator[dict[str, Any]]:
    name = language.folder.name
    for case, bounds, judge in (("pings", PINGS, at_least), ("steps", STEPS, at_least)):
        value = statistics.median(getattr(mine, case) / getattr(yardstick, case) for mine, yardstick in pairs)
        figures = {"per_second": round(statistics.median(getattr(mine, case) for mine, _ in pairs))}
        yield _judged(f"{language.name}, {case}", value, bounds.get(name), judge) | figures
    # over all rounds: a short one may be spent in the collection of garbage
    mine, yardstick = (sum(pair[which].processor_time for pair in pairs) for which in range(2))
    if yardstick:
        figures = {"per_second": round(1e6 * len(pairs) / mine) if mine else 0}
        row = _judged(f"{language.name}, processor time", mine / yardstick, PROCESSOR_TIMES.get(name), at_most)
        yield row | figures


def _judged(
    case: str, value: float, bound: float | None, judge: Callable[[str, str, float, float], dict[str, Any]]
) -> dict[str, Any]:
    if bound is None:
        return {"case": case, "unit": "ratio", "value": round(value, 4)}
    return judge(case, "ratio", value, bound)


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


def _warmed(program: ClientProgram, run: MeasuredRun, seconds: float) -> Speeds:
    """Return the speeds of a client after as much time as programs take that compile while they run."""
    counts, speeds, began = (10, 10), Speeds(0.0, 0.0, 0.0), perf_counter()
    while perf_counter() - began < _WARMING * seconds:
        speeds = _round(program, counts, run)
        counts = (max(10, round(seconds * speeds[0])), max(10, round(seconds * speeds[1])))
    return speeds


def _round(program: ClientProgram, counts: tuple[int, ...], run: MeasuredRun) -> Speeds:
    """Return the speeds of a client in so many round trips and steps."""
    _answer(program, "connect", run.address, "30")
    with kept_apart(run.launcher, program.pid):
        before = _busy_us(program.pid)
        pings = counts[0] / float(read(_answer(program, "time", str(counts[0]), *_PING)[1]))
    processor_time = (_busy_us(program.pid) - before) / counts[0]
    _answer(program, *_CLAIM)
    steps = counts[1] / float(read(_answer(program, "time", str(counts[1]), *_STEP)[1]))
    _answer(program, *_RELEASE)
    _answer(program, "close")
    return Speeds(pings, steps, processor_time)


def _busy_us(pid: int) -> float:
    """Return the processor time of a process and of those that it has started [us]."""
    return busy_us(pid) + sum(map(_busy_us, children(pid)))


def _answer(program: ClientProgram, *words: str) -> list[str]:
    answer = program.asked(*words)
    if answer[0] not in {"connected", "time", "reply", "closed"}:
        raise NoReply(f"expected an answer to {words[0]}, got {' '.join(answer)}")
    return answer
