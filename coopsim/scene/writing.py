"""Values to words: the inverse of `values`, so that what is written is read back as it was, to the last bit.

Radians become degrees here and nowhere else. `old` are the words that stand there now: those that mean the same stay.
"""

import math
from collections.abc import Callable, Sequence

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.colors import NAMED, color_named
from coopsim.scene.joint_spec import JointDynamics

Words = list[str]
_MOST_DIGITS = 17  # enough for every double
_NEIGHBOURS = 4  # doubles on either side of the one that arithmetic gave; one of them may print shorter
_EXACT = 1e15  # beyond it a whole number has digits that mean nothing


def in_short(value: float) -> str:
    """Return the shortest text of a number that is read back as it is."""
    is_whole = value == int(value) and abs(value) < _EXACT
    is_minus_nought = value == 0.0 and math.copysign(1.0, value) < 0.0
    return str(int(value)) if is_whole and not is_minus_nought else repr(float(value))


def in_degrees(angle: float) -> str:
    """Return the shortest text in degrees of an angle [rad] that is read back as it is.

    Not every float is some number of degrees; where there is none the nearest one is returned.
    """
    near = math.degrees(angle)
    rounded = (round(near, digits) for digits in range(_MOST_DIGITS))
    degrees_found = next((degrees for degrees in (*rounded, *_around(near)) if math.radians(degrees) == angle), near)
    return in_short(degrees_found)


def number(value: float, _old: Sequence[str] = ()) -> Words:
    """Return one number."""
    return [in_short(value)]


def text(value: str, _old: Sequence[str] = ()) -> Words:
    """Return the words of a text."""
    return value.split()


def vector(value: Vector3, old: Sequence[str] = ()) -> Words:
    """Return three numbers."""
    return _kept(value, old, float, in_short)


def angles(value: Vector3, old: Sequence[str] = ()) -> Words:
    """Return three angles [rad] in degrees."""
    return _kept(value, old, lambda word: math.radians(float(word)), in_degrees)


def grid(value: tuple[int, int, float], _old: Sequence[str] = ()) -> Words:
    """Return columns x rows and the distance."""
    return [f"{value[0]}x{value[1]}", in_short(value[2])]


def area(value: Sequence[float], _old: Sequence[str] = ()) -> Words:
    """Return the corners of an area, or that it is the floor."""
    return [in_short(number) for number in value] or ["floor"]


def points(value: Sequence[tuple[float, float]], old: Sequence[str] = ()) -> Words:
    """Return x and y of points."""
    flat = [coordinate for point in value for coordinate in point]
    if len(old) != len(flat):
        return [in_short(coordinate) for coordinate in flat]
    return [
        word if float(word) == coordinate else in_short(coordinate) for coordinate, word in zip(flat, old, strict=True)
    ]


def names(value: Sequence[str], _old: Sequence[str] = ()) -> Words:
    """Return names."""
    return list(value)


def limits(value: tuple[str, Sequence[float]], _old: Sequence[str] = ()) -> Words:
    """Return the limits of a joint of a kind: of a hinge in degrees."""
    kind, ends = value
    return [in_degrees(end) if kind == "hinge" else in_short(end) for end in ends]


def position_of(value: tuple[str, float], _old: Sequence[str] = ()) -> Words:
    """Return a position of a joint of a kind: of a hinge in degrees."""
    kind, position = value
    return [in_degrees(position) if kind == "hinge" else in_short(position)]


def follows(value: tuple[str, JointDynamics], _old: Sequence[str] = ()) -> Words:
    """Return which joint one of a kind follows, in which ratio, and the offset if there is one."""
    kind, dynamics = value
    offset = position_of((kind, dynamics.offset)) if dynamics.offset else []
    return [dynamics.follows, in_short(dynamics.ratio), *offset]


def color(value: Vector3, _old: Sequence[str] = ()) -> Words:
    """Return a colour: its name, whole numbers 0 to 255, or numbers 0 to 1, whichever is read back as it is first."""
    named = next((name for name in NAMED if color_named(name) == value), None)
    if named is not None:
        return [named]
    # dark ones, such as 1 1 0, would be read as numbers 0 to 1
    whole = [str(round(channel * 255)) for channel in value]
    return whole if values.color(whole) == value else [in_short(channel) for channel in value]


def _around(near: float) -> list[float]:
    above, below, numbers = near, near, []
    for _ in range(_NEIGHBOURS):
        above, below = math.nextafter(above, math.inf), math.nextafter(below, -math.inf)
        numbers += [above, below]
    return numbers


def _kept(value: Vector3, old: Sequence[str], read: Callable[[str], float], write: Callable[[float], str]) -> Words:
    if len(old) != len(value):
        return [write(element) for element in value]
    return [word if read(word) == element else write(element) for element, word in zip(value, old, strict=True)]
