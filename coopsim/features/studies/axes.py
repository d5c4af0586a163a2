"""Axes of a study: ranges and lists of values, and the combinations that are run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from coopsim.errors import BadArgument, NoSuchPlugin
from coopsim.interpreter import extra_command

_MOST = 100_000  # values; a step that was mistyped ends in an error, not without memory
_SLACK = 1e-9  # of a step: 0:1:0.1 has eleven values although 0.1 is rounded


@dataclass(frozen=True)
class Axis:
    """A thing that is varied.

    Attributes:
        name: `robot1.sonars.noise`, `formation.spacing`.
        values: As text, in order.
        span: Lowest and highest value of a range, () of a list.
    """

    name: str
    values: tuple[str, ...]
    span: tuple[float, ...] = ()


def read_axis(text: str) -> Axis:
    """Return what `NAME=A:B:STEP`, `NAME=A:B` (for samples) or `NAME=v1,v2` says.

    Raises:
        BadArgument: It is something else, or says no value.
    """
    name, equals, values = text.partition("=")
    if not equals or "." not in name or not values.strip(", "):
        raise BadArgument(f"--set {text!r}: expected NAME=A:B:STEP or NAME=v1,v2, as formation.spacing=0.6:1:0.2")
    if ":" in values:
        return _range(name, values, text)
    words = tuple(dict.fromkeys(word.strip() for word in values.split(",") if word.strip()))
    return Axis(name, words)


def combinations(axes: Sequence[Axis]) -> list[dict[str, str]]:
    """Return every combination of the values.

    Raises:
        BadArgument: A range has no step.
    """
    for axis in axes:
        if not axis.values:
            raise BadArgument(f"{axis.name}={axis.span[0]:g}:{axis.span[1]:g} has no step; add one, or --sample N")
    names = [axis.name for axis in axes]
    return [dict(zip(names, combination, strict=True)) for combination in product(*(axis.values for axis in axes))]


def sampled(axes: Sequence[Axis], count: int, seed: int = 0) -> list[dict[str, str]]:
    """Return a Latin hypercube: each of `count` equal parts of every range is met once.

    Args:
        axes: Of a list each value is met equally often.
        count: How many combinations.
        seed: The same seed gives the same ones.

    Raises:
        NoSuchPlugin: The package for it is not installed.
    """
    try:
        from scipy.stats import qmc
    except ImportError:
        raise NoSuchPlugin("--sample needs the package scipy").advise(extra_command("studies")) from None
    points = qmc.LatinHypercube(len(axes), rng=seed).random(count).tolist()
    return [{axis.name: _at(axis, share) for axis, share in zip(axes, row, strict=True)} for row in points]


def _at(axis: Axis, share: float) -> str:
    if axis.span:
        low, high = axis.span
        return in_text(low + share * (high - low))
    return axis.values[min(int(share * len(axis.values)), len(axis.values) - 1)]


def in_text(value: float) -> str:
    """Return a number as it is written in files."""
    return f"{value:.9g}"


def _range(name: str, values: str, text: str) -> Axis:
    try:
        numbers = [float(number) for number in values.split(":")]
    except ValueError:
        raise BadArgument(f"--set {text!r}: expected numbers A:B:STEP") from None
    if len(numbers) not in (2, 3) or not all(map(math.isfinite, numbers)):
        raise BadArgument(f"--set {text!r}: expected A:B:STEP")
    low, high = numbers[:2]
    if low >= high:
        raise BadArgument(f"--set {text!r}: the range is empty: {low:g} is not below {high:g}")
    if len(numbers) == 2:
        return Axis(name, (), (low, high))
    step = numbers[2]
    if step <= 0.0 or (high - low) / step > _MOST:
        raise BadArgument(f"--set {text!r}: the step must be above 0 and give at most {_MOST} values, got {step:g}")
    count = math.floor((high - low) / step + _SLACK) + 1
    return Axis(name, tuple(in_text(low + place * step) for place in range(count)), (low, high))
