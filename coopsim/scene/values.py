"""Words to values: each reader takes the values of one line and returns what they mean, or the flaw in them.

Degrees become radians here and nowhere else.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from coopsim.geometry import Vector3
from coopsim.scene.colors import NAMED, color_named
from coopsim.suggest import choices, hint, quoted

MOST_ROBOTS = 100_000
"""Largest number of robots of a section."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
RESERVED = ("sim",)
FARTHEST = 1e5
"""Largest coordinate and size [m]."""
SMALLEST = 1e-3
"""Smallest size of a body [m]."""

_RADIAN_ROUNDING = 0.004
"""So far from a multiple of 15 degrees an angle that was meant in radians, with two decimals, may lie [rad]."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """Flaw of a line.

    Attributes:
        index: Which of its values, -1 = the line as a whole.
    """

    text: str
    index: int = -1


Reader: TypeAlias = Callable[[Sequence[str]], Any]
"""Takes the values as written, returns a value or a `Flaw`."""


def to_number(word: str) -> float | Flaw:
    """Return a finite number."""
    try:
        number = float(word)
    except ValueError:
        return Flaw(f"expects a number, got {quoted(word)}{_cure(word)}")
    # Python reads 1_000 as a number; nobody else does, and files are for all languages
    if not math.isfinite(number) or "_" in word:
        return Flaw(f"expects a finite number, got {quoted(word)}")
    return number


def number(low: float, high: float, unit: str = "", *, whole: bool = False) -> Reader:
    """Return a reader of one number within `low` and `high`."""

    def read(values: Sequence[str]) -> float | Flaw:
        if len(values) != 1:
            return _miscounted(values, "1 number")
        value = to_number(values[0])
        if isinstance(value, Flaw):
            return Flaw(value.text, 0)
        if whole and value != int(value):
            return Flaw(f"expects a whole number, got {quoted(values[0])}", 0)
        # the text, not the float: a seed may have more digits than a float holds
        exact = _whole(values[0], value) if whole else value
        return exact if low <= exact <= high else Flaw(_outside("", low, high, unit, values[0]), 0)

    return read


def vector(names: str, lows: Vector3, high: float, unit: str) -> Callable[[Sequence[str]], Vector3 | Flaw]:
    """Return a reader of three numbers, called `names`, each within its low and `high`."""
    words = names.split()

    def read(values: Sequence[str]) -> Vector3 | Flaw:
        if len(values) != 3:
            return _miscounted(values, f"3 numbers ({names})")
        try:
            x, y, z = float(values[0]), float(values[1]), float(values[2])
        except ValueError:
            return _first_flaw(values)
        # false for NaN too
        if "_" not in "".join(values) and lows[0] <= x <= high and lows[1] <= y <= high and lows[2] <= z <= high:
            return (x, y, z)
        flaw = _first_flaw(values)
        if flaw.text:
            return flaw
        index = next(i for i, value in enumerate((x, y, z)) if not lows[i] <= value <= high)
        return Flaw(_outside(words[index] + " ", lows[index], high, unit, values[index]), index)

    return read


def angles(values: Sequence[str]) -> Vector3 | Flaw:
    """Read rotations about x, y and z given in degrees; return radians."""
    read = _DEGREES(values)
    return read if isinstance(read, Flaw) else (math.radians(read[0]), math.radians(read[1]), math.radians(read[2]))


def degrees_meant(word: str) -> int:
    """Return the degrees that an angle was probably meant to be, such as 90 for 1.57; 0 = it looks like degrees."""
    angle = abs(float(word))
    twelfths = round(angle / (math.pi / 12))
    # with two decimals at least: whole degrees such as 3 are as near to a twelfth by chance
    is_near = 0 < twelfths <= 24 and abs(angle - twelfths * math.pi / 12) < _RADIAN_ROUNDING
    return round(math.copysign(15 * twelfths, float(word))) if is_near and len(word.partition(".")[2]) > 1 else 0


def color(values: Sequence[str]) -> Vector3 | Flaw:
    """Read a colour: its name, three whole numbers 0 to 255, or three numbers 0 to 1; return 0 to 1."""
    if len(values) == 1:
        named = color_named(values[0])
        return named or Flaw(f"{quoted(values[0])} is unknown{hint(values[0], NAMED)}", 0)
    if len(values) != 3:
        return _miscounted(values, "a name or 3 numbers (red green blue)")
    read = _BYTES(values)
    # 1 1 1 is white: as bytes it would be black to the eye, which nobody writes so
    if isinstance(read, Flaw) or max(read) <= 1.0:
        return read
    for index, value in enumerate(read):
        if value != int(value):
            return Flaw(f"goes from 0 to 1 or, in whole numbers, from 0 to 255; got {' '.join(values)}", index)
    return (read[0] / 255, read[1] / 255, read[2] / 255)


def name(values: Sequence[str]) -> str | Flaw:
    """Read the name of an entity or a module."""
    if len(values) != 1:
        return _miscounted(values, "1 name")
    if not NAME.fullmatch(values[0]):
        return Flaw(f"{quoted(values[0])} is no name: a letter, then at most 63 letters, digits and _", 0)
    return Flaw(f"{quoted(values[0])} is reserved", 0) if values[0] in RESERVED else values[0]


def member_name(values: Sequence[str]) -> str | Flaw:
    """Read the name of an entity, of a member of a team such as `team1/leader`, or of a joint that supports a load."""
    parts = values[0].split("/") if len(values) == 1 else []
    if len(parts) not in {2, 3}:
        return name(values)
    flaws = [flaw for flaw in (name([part]) for part in parts) if isinstance(flaw, Flaw)]
    return flaws[0] if flaws else values[0]


def names(values: Sequence[str]) -> tuple[str, ...]:
    """Read any number of names, without checking them."""
    return tuple(values)


def grid(values: Sequence[str]) -> tuple[int, int, float] | Flaw:
    """Read columns, rows and the distance between neighbours: `20x10 0.8`."""
    if len(values) != 2:
        return _miscounted(values, "columns x rows and a distance, as `20x10 0.8`")
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", values[0].lower())
    if not match or not int(match[1]) * int(match[2]):
        return Flaw(f"expects columns x rows, as 20x10; got {quoted(values[0])}", 0)
    distance = LENGTH(values[1:])
    return Flaw(distance.text, 1) if isinstance(distance, Flaw) else (int(match[1]), int(match[2]), distance)


def area(values: Sequence[str]) -> tuple[float, ...] | Flaw:
    """Read the area to strew things over: `floor`, or x and y of two corners."""
    if [value.lower() for value in values] == ["floor"]:
        return ()
    if len(values) != 4:
        return _miscounted(values, "`floor`, or 4 numbers (x y of two corners)")
    numbers = [_COORDINATE([value]) for value in values]
    flaw = next(((place, number) for place, number in enumerate(numbers) if isinstance(number, Flaw)), None)
    return Flaw(flaw[1].text, flaw[0]) if flaw else tuple(numbers)


def read_point(values: Sequence[str]) -> tuple[float, float] | Flaw:
    """Read x and y."""
    if len(values) != 2:
        return _miscounted(values, "2 numbers (x y)")
    read = area([*values, "0", "0"])
    return read if isinstance(read, Flaw) else (read[0], read[1])


def points(values: Sequence[str]) -> list[tuple[float, float]] | Flaw:
    """Read x and y of at least two points, no two neighbours in the same place."""
    if len(values) < 4 or len(values) % 2:
        return _miscounted(values, "x and y of at least 2 points")
    corners: list[tuple[float, float]] = []
    for index in range(0, len(values), 2):
        point = read_point(values[index : index + 2])
        if isinstance(point, Flaw):
            return Flaw(point.text, index + point.index)
        if corners and math.dist(point, corners[-1]) < SMALLEST:
            return Flaw(f"point {len(corners) + 1} is where the one before it is", index)
        corners.append(point)
    return corners


def word(values: Sequence[str]) -> str | Flaw:
    """Read one word."""
    return values[0] if len(values) == 1 else _miscounted(values, "1 word")


def one_of(*known: str) -> Reader:
    """Return a reader of one of the `known` words; case does not count."""

    def read(values: Sequence[str]) -> str | Flaw:
        if len(values) != 1:
            return _miscounted(values, f"1 of {choices(known)}")
        low = values[0].lower()
        if low in known:
            return low
        return Flaw(f"expects {choices(known)}; got {quoted(values[0])}{hint(low, known)}", 0)

    return read


def yes_no(values: Sequence[str]) -> bool | Flaw:
    """Read yes or no."""
    read = _YES_NO(values)
    return read if isinstance(read, Flaw) else read == "yes"


def text(values: Sequence[str]) -> str:
    """Read all words as one text."""
    return " ".join(values)


def _first_flaw(values: Sequence[str]) -> Flaw:
    for index, value in enumerate(values):
        read = to_number(value)
        if isinstance(read, Flaw):
            return Flaw(read.text, index)
    return Flaw("")


def _miscounted(values: Sequence[str], expected: str) -> Flaw:
    return Flaw(f"takes {expected}, got {len(values)}")


def _outside(what: str, low: float, high: float, unit: str, got: str) -> str:
    return f"{what}must lie within {low:g} and {high:g}{' ' if unit else ''}{unit}, got {got[:40]}"


def _whole(written: str, value: float) -> int:
    return int(written) if written.lstrip("+-").isdecimal() else int(value)


def _cure(word: str) -> str:
    if word.strip(",;") != word:
        return "; values are separated by spaces"
    return "; decimals have a point" if re.fullmatch(r"[+-]?\d+,\d+", word) else ""


LENGTH = number(SMALLEST, FARTHEST, "m")
_COORDINATE = number(-FARTHEST, FARTHEST, "m")
_DEGREES = vector("phi psi theta", (-1e6, -1e6, -1e6), 1e6, "deg")
_BYTES = vector("red green blue", (0.0, 0.0, 0.0), 255.0, "")
_YES_NO = one_of("yes", "no")


_PARTS = re.compile(r"(\D*)(\d*)")


def by_name(name: str) -> tuple[tuple[tuple[str, int], ...], str]:
    """Return the key of the order that everything is built, listed and hashed in: `robot2` before `robot10`."""
    return tuple([(text, int(digits) if digits else -1) for text, digits in _PARTS.findall(name)]), name


@lru_cache(4)
def rows_in_order(names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the rows of names in this order; kept, since a scene, its engine and its hash sort the same thousands."""
    return tuple(sorted(range(len(names)), key=lambda row: by_name(names[row])))
