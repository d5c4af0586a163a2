"""Templates for insertions when somebody asks for a box, a robot or a target: sections, and names that are free."""

import re
from collections.abc import Collection

from coopsim.geometry import Vector3

SHAPES = ("box", "cylinder", "sphere")
COMPOSED = ("dumbbell", "tee", "corner")
"""Objects of several shapes."""
POLYGON = "polygon"
_ARTIFACT_COLORS = {"lamp": "235 215 130", "conveyor": "92 98 110", "door": "150 112 78"}
ARTIFACTS = tuple(_ARTIFACT_COLORS)
"""Types of things with devices that stand in a world."""
SIZED = ("conveyor",)
"""Those of one shape: their sections may say a size."""
TARGET_COLORS = ("red", "blue", "green", "yellow", "orange", "purple", "cyan", "magenta")
ROBOT = "single"
_SIZES = {"box": "0.5 0.5 0.5", "cylinder": "0.5 0.5 0.6", "sphere": "0.5 0.5 0.5"}
_COLORS = {"box": "220 168 92", "cylinder": "133 173 189", "sphere": "194 133 148"}
_CORNERS = "-0.5 -0.5  0.5 -0.5  0.5 0  0 0  0 0.5  -0.5 0.5"
"""Of a new polygon [m]: not convex, which no other shape can be."""
_PARTS: dict[str, tuple[tuple[str, str, tuple[float, float]], ...]] = {
    "dumbbell": (
        ("cylinder", "0.4 0.4 0.3", (0.0, 0.0)),
        ("box", "0.6 0.15 0.15", (0.5, 0.0)),
        ("cylinder", "0.4 0.4 0.3", (1.0, 0.0)),
    ),
    "tee": (("box", "1.2 0.3 0.3", (0.0, 0.0)), ("box", "0.3 0.7 0.3", (0.0, -0.5))),
    "corner": (("box", "1.2 0.3 0.3", (0.0, 0.0)), ("box", "0.3 0.7 0.3", (-0.45, 0.5))),
}
"""Of composed objects: shape, size, and place from the first shape [m]."""
_SHADES = ("237 115 33", "51 133 219", "64 168 97", "148 87 191", "214 76 120", "40 170 170", "200 165 40")
_NUMBER = re.compile(r"_?\d*$")


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name that nobody has: that which is wanted, or its stem with the first number from 2 on."""
    wanted = wanted.replace("/", "_")
    stem = _NUMBER.sub("", wanted) or wanted
    all_taken = {*taken, *(name.partition("/")[0] for name in taken)}  # a team has a name, too
    numbers = (f"{stem}{number}" for number in range(2, len(all_taken) + 3))
    return wanted if wanted not in all_taken else next(name for name in numbers if name not in all_taken)


def free_target(wanted: str, taken: Collection[str]) -> str:
    """Return the name of a target that nobody has: a colour, or one with a number."""
    color = _NUMBER.sub("", wanted)
    numbers = (f"{color}_{number}" for number in range(2, len(taken) + 3))
    return color if color not in taken else next(name for name in numbers if name not in taken)


def object_section(shape: str, name: str, at: Vector3) -> str:
    """Return the section of an object of 2 kg."""
    keys = {"size": _SIZES[shape], "position": _words(at), "mass": "2", "color": _COLORS[shape]}
    return section("OBJECT_1", {"type": shape, "name": name, **keys})


def polygon_section(name: str, at: Vector3) -> str:
    """Return the section of a polygon of 2 kg."""
    keys = {"points": _CORNERS, "height": "0.5", "position": _words(at), "mass": "2", "color": "150 170 110"}
    return section("OBJECT_1", {"type": POLYGON, "name": name, **keys})


def artifact_section(kind: str, name: str, at: Vector3) -> str:
    """Return the section of an artifact; robots alone have colours of robots."""
    keys = {"type": kind, "name": name, "position": _words(at), "color": _ARTIFACT_COLORS[kind]}
    return section("ARTIFACT_1", keys)


def composed_section(kind: str, name: str, at: Vector3) -> str:
    """Return the section of an object of several shapes, of 1 kg each.

    Args:
        kind: One of `COMPOSED`.
        name: Its name.
        at: Where its first shape stands [m].
    """
    (shape, size, _), *parts = _PARTS[kind]
    mass = str(1 + len(parts))
    keys = {"type": shape, "name": name, "size": size, "position": _words(at), "mass": mass, "color": _COLORS[shape]}
    for number, (part, extent, (x, y)) in enumerate(parts, 1):
        keys[f"part_{number}"] = f"{part} {extent} {x:g} {y:g} 0 mass 1 color {_COLORS[part]}"
    return section("OBJECT_1", keys)


def robot_section(kind: str, name: str, at: Vector3, count: int) -> str:
    """Return the section of a robot, or of a team.

    Args:
        kind: Its type.
        name: Its name.
        at: Where it stands [m].
        count: How many there are already; neighbours have different colours.
    """
    keys = {"type": kind, "name": name, "position": _words(at), "color": _SHADES[count % len(_SHADES)]}
    return section("ROBOT_1", keys)


def target_section(name: str, at: Vector3) -> str:
    """Return the section of a target."""
    return section("TARGET", {name: _words(at)})


def section(header: str, keys: dict[str, str]) -> str:
    """Return a section as files have it."""
    return "\n".join([f"[{header}]", *(f"{key} {value}" for key, value in keys.items())]) + "\n"


def renamed(text: str, name: str, at: Vector3 | None = None) -> str:
    """Return the first section of a text under another name.

    Args:
        text: As `/sim/world section` gives it.
        name: The other name.
        at: Where it is put [m]; None = where it is.
    """
    header, *lines = text.split("\n\n", maxsplit=1)[0].strip().splitlines()
    keys = dict(line.split(None, 1) for line in lines)
    if header == "[TARGET]":
        place, *_ = keys.values() if at is None else (_words(at),)
        return section("TARGET", {name: place})
    moved = {} if at is None else {"position": _words(at)}
    return section(header.strip("[]"), {**keys, "name": name, **moved})


def with_size(text: str, size: str) -> str:
    """Return the section of an artifact with another size.

    Args:
        text: As `/sim/world section` gives it.
        size: Length, width and height [m].
    """
    header, *lines = text.strip().splitlines()
    keys = dict(line.split(None, 1) for line in lines)
    return section(header.strip("[]"), {**keys, "size": size})


def _words(place: Vector3) -> str:
    return " ".join(f"{value + 0.0:.6g}" for value in place)
