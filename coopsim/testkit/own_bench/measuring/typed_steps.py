"""Steps of ten robots by names beside the same steps by numbers, in each language that has both."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from coopsim.testkit import Run
from coopsim.testkit.bench.measuring.cpu import kept_apart
from coopsim.testkit.conformance.program import ClientProgram
from coopsim.testkit.conformance.values import read, written, written_list

_ROBOTS = tuple(f"robot{number}" for number in range(1, 11))
_ROOM = "[SIMULATION]\nmode lockstep\nseed 7\n" + "".join(
    f"\n[ROBOT_{number}]\ntype single\nname robot{number}\nposition 0 {number - 5} 0\n" for number in range(1, 11)
)
_STEP = written("/sim/step"), written(11), written_list((0, *_ROBOTS)), written_list((0.25, 0.125) * len(_ROBOTS))
_CLAIM = "ask", written("/sim/step"), written(13), written_list(_ROBOTS), ""
_RELEASE = "ask", written("/sim/step"), written(15), "", ""
_WARM, _FEWEST = 200, 20
"""Steps of each kind that are made first, since some compile while they run; and of each turn at least."""

Answer = Callable[..., list[str]]
"""What a program answers to the words of a line; it raises what it should not answer."""


def measured(programs: Mapping[str, ClientProgram], answer: Answer, seconds: float, rounds: int) -> dict[str, float]:
    """Return by language what a step by names takes in times of what one by numbers takes, a median of turns.

    Raises:
        NoReply: A program answers something else.
    """
    with Run(_ROOM, "--no-controllers") as run:
        address = run.plain.rpartition("/")[2]
        ratios = {}
        for name, program in programs.items():
            answer(program, "connect", address, "30")
            with kept_apart(run.launcher, program.pid):
                ratios[name] = _ratio(program, answer, seconds, rounds)
            answer(program, "close")
        return ratios


def _ratio(program: ClientProgram, answer: Answer, seconds: float, rounds: int) -> float:
    by_numbers(program, answer, _WARM)
    count = max(_FEWEST, round(seconds / by_names(program, answer, _WARM)))
    ratios: list[float] = []
    for turn in range(rounds):
        turns: Sequence[Any] = (by_names, by_numbers) if turn % 2 else (by_numbers, by_names)
        taken = {kind: kind(program, answer, count) for kind in turns}
        ratios.append(taken[by_names] / taken[by_numbers])
    return statistics.median(ratios)


def by_names(program: ClientProgram, answer: Answer, count: int) -> float:
    """Return what a step takes whose commands and readings have names [s]."""
    return float(read(answer(program, "steps", str(count), written_list(_ROBOTS))[1])) / count


def by_numbers(program: ClientProgram, answer: Answer, count: int) -> float:
    """Return what a step takes that is a request of numbers [s]."""
    answer(program, *_CLAIM)
    taken = float(read(answer(program, "time", str(count), *_STEP)[1])) / count
    answer(program, *_RELEASE)
    return taken
