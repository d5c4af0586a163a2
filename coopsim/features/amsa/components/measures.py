"""Figures of evaluated data over time: each value counts as long as it held, whatever else stepped meanwhile."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

FIGURES: Final = ("max_error", "rms_error", "overshoot", "settling_time", "max_distance", "final_distance")
"""Names of all figures."""
USUAL: Final = ("max_error", "rms_error")
"""Those by which runs are compared where a system names none."""
# the usual 5 % band of control engineering
BAND: Final = 0.05
"""Share of the reference within which data have settled; of the first error where the reference is 0."""


@dataclass(frozen=True, slots=True)
class Held:
    """A value and the time during which it held [s]."""

    begin: float
    end: float
    value: float


def held(times: Sequence[float], values: Sequence[float], end: float) -> list[Held]:
    """Return values with the times during which they held, the last one up to `end`; no two alike stand together."""
    spans: list[Held] = []
    for begin, until, value in zip(times, [*times[1:], end], values, strict=True):
        # equal neighbours are joined: a figure must not depend on how often a value was written
        if spans and spans[-1].value == value and spans[-1].end == begin:
            spans[-1] = Held(spans[-1].begin, until, value)
        elif until > begin:
            spans.append(Held(begin, until, value))
    return spans


def counted(pieces: Sequence[Held], begin: float) -> list[Held]:
    """Return what lies behind a time; all where nothing does."""
    kept = [Held(max(begin, piece.begin), piece.end, piece.value) for piece in pieces if piece.end > begin]
    # a run that ended while it started has no settled part, and figures of nothing mean nothing
    return kept or list(pieces)


def figures(whole: Sequence[Held], settled: Sequence[Held], reference: float) -> dict[str, float]:
    """Return all figures of data that should have a value.

    Args:
        whole: What the data were, from the beginning on.
        settled: The part of it that counts for the errors: without the time in which everything starts.
        reference: The value that they should have.
    """
    values = [interval.value for interval in settled]
    return {
        "max_error": max(abs(value - reference) for value in values),
        "rms_error": rms_error(settled, reference),
        "overshoot": overshoot(whole, reference),
        "settling_time": settling_time(whole, reference),
        "max_distance": max(values),
        "final_distance": values[-1],
    }


def rms_error(pieces: Sequence[Held], reference: float) -> float:
    """Return the root of the mean over time of the squared error."""
    seconds = math.fsum(piece.end - piece.begin for piece in pieces)
    return math.sqrt(
        # fsum: thousands of small terms, and results must not depend on their order
        math.fsum((piece.value - reference) ** 2 * (piece.end - piece.begin) for piece in pieces) / seconds
    )


def overshoot(pieces: Sequence[Held], reference: float) -> float:
    """Return how far data went beyond the reference, seen from where they began."""
    from_below = pieces[0].value <= reference
    return max(0.0, *((piece.value - reference) * (1 if from_below else -1) for piece in pieces))


def settling_time(pieces: Sequence[Held], reference: float) -> float:
    """Return after what time the error stays within `BAND`; the whole time where it never does [s]."""
    # 5 % of 0 is 0, which nothing ever keeps
    band = BAND * (abs(reference) or abs(pieces[0].value - reference))
    outside = [piece.end for piece in pieces if abs(piece.value - reference) > band]
    return outside[-1] - pieces[0].begin if outside else 0.0


@dataclass(frozen=True)
class SystemRun:
    """A run of a system, as metrics of plugins see it.

    Attributes:
        times: When data were written [s].
        values: All data by name, a value for each time.
        reference: The value that the evaluated data should have.
        begin: From when on the run counts: before it everything starts [s].
        end: When the run ended [s].
    """

    times: Sequence[float]
    values: Mapping[str, Sequence[Any]]
    reference: float
    begin: float
    end: float

    def held(self, data: str) -> list[Held]:
        """Return what data were, each value with the time during which it held, from `begin` on."""
        return counted(held(self.times, [float(sample) for sample in self.values[data]], self.end), self.begin)


Measure: TypeAlias = Callable[[SystemRun], float | None]


@dataclass(frozen=True)
class SystemMetric:
    """A metric of runs of systems, which a plugin registers: `PLUGINS = {"metrics": {"effort": SystemMetric(effort)}}`.

    Attributes:
        measure: Returns a number, None where the system has no such thing.
    """

    measure: Measure
    is_of_systems = True
