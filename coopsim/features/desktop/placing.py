"""Poses as the keys of a file say them, and whether an entity is as keys say."""

import math
from collections.abc import Mapping
from typing import TypeAlias

from coopsim.geometry import Pose, Quaternion, Vector3, quaternion
from coopsim.scene import Flaw
from coopsim.scene.edit import NO_TEXTURE
from coopsim.scene.parts import part
from coopsim.scene.values import color as read_color
from coopsim.state import EntityRow

Entries: TypeAlias = Mapping[str, str]
"""Keys of a section with their values, as they are written."""
_BESIDE = 1e-6
"""Too little to be seen [m]."""
_NEAR, _TURNED, _ALIKE = 0.02, math.radians(1.0), 0.005
"""Up to here two places [m], two headings [rad], and two shares of a colour count as the same."""


def entries_of(pose: Pose) -> dict[str, str]:
    """Return the keys that say a pose."""
    x, y, z = (x + 0.0 for x in pose[:3])
    phi, psi, theta = (round(math.degrees(angle), 6) + 0.0 for angle in angles(pose[3:]))
    return {"position": f"{x:.6g} {y:.6g} {z:.6g}", "orientation": f"{phi:.6g} {psi:.6g} {theta:.6g}"}


def angles(rotation: Quaternion) -> Vector3:
    """Return rotations about the fixed x, y and z axes, in that order [rad]."""
    w, x, y, z = rotation
    phi = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    psi = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
    return phi, psi, math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def text_of(entries: Entries) -> str:
    """Return lines `key value`."""
    return "\n".join(f"{key} {value}" for key, value in entries.items())


def position_entries(entries: Entries, row: EntityRow) -> Entries:
    """Return entries that put an entity there, wherever it went by itself.

    The scene says where it was put last. Where that is the same place nothing would differ, and it would stay where it
    is; so it is put a micrometre beside.
    """
    if "position" not in entries:
        return entries
    x, y, z = (float(word) for word in entries["position"].split())
    beside = math.dist((x, y, z), row.pose[:3]) < _BESIDE
    return {**entries, "position": f"{x + _BESIDE:.9g} {y:.9g} {z:.9g}"} if beside else entries


def entries_in(text: str) -> dict[str, str]:
    """Return the keys of the first section of a text."""
    entries: dict[str, str] = {}
    for line in text.splitlines()[1:]:
        if line.startswith("["):
            break
        key, _, value = line.partition(" ")
        if value.strip():
            entries[key.lower()] = value.strip()
    return entries


def differing(entries: Entries, row: EntityRow, now: Pose) -> str:
    """Return the first key that an entity does not have as it is given, "" = it has all.

    A body counts as where it was put even when it has gone from there by itself.

    Args:
        entries: As they were given.
        row: What the entity is, and where it began.
        now: Where it is.
    """
    return next((key for key, value in entries.items() if not _has(key, value, row, now)), "")


def _has(key: str, value: str, row: EntityRow, now: Pose) -> bool:
    words = value.split()
    match key:
        case "color":
            shade = read_color(words)
            return isinstance(shade, Flaw) or math.dist(shade, row.color) < _ALIKE
        case "position":
            place = tuple(map(float, words))
            return any(math.dist(place, pose[:3]) < _NEAR for pose in (now, row.pose))
        case "orientation":
            phi, psi, theta = (math.radians(float(word)) for word in words)
            turn = quaternion(phi, psi, theta)
            return any(_between(turn, pose[3:]) < _TURNED for pose in (now, row.pose))
        case "texture":
            return value == (texture_of(row) or NO_TEXTURE)
        case "size":
            return math.dist(tuple(map(float, words)), row.size) < _NEAR
        case "height":
            return math.isclose(float(value), row.size[2], abs_tol=_NEAR)
        case "points":
            return _has_corners(words, row)
        case "mass" | "friction":
            return math.isclose(float(value), getattr(row, key), rel_tol=1e-6, abs_tol=1e-9)
        case _ if key.startswith("part_"):
            return _has_part(words, row)
    return True


def _has_corners(words: list[str], row: EntityRow) -> bool:
    """Return whether a polygon has these corners, wherever the middle of the box around them is."""
    corners = [list(map(float, words[begin::2])) for begin in (0, 1)]
    now = [list(map(float, outline_of(row).split()[begin::2])) for begin in (0, 1)]
    if [len(axis) for axis in corners] != [len(axis) for axis in now] or not words:
        return False
    middles = [(min(axis) + max(axis)) / 2.0 for axis in corners]
    shifts = zip(corners, now, middles, strict=True)
    return all(abs(a - middle - b) < _NEAR for axis, mine, middle in shifts for a, b in zip(axis, mine, strict=True))


def _has_part(words: list[str], row: EntityRow) -> bool:
    """Return whether something of this shape, size and place is drawn of an object; `none` says nothing."""
    object_part = part(words) if len(words) > 1 else None
    return (
        object_part is None
        or isinstance(object_part, Flaw)
        or any(
            visual.shape == object_part.shape
            and math.dist(visual.size, object_part.size) < _NEAR
            and math.dist(visual.pose[:3], object_part.position) < _NEAR
            for visual in row.drawn()
        )
    )


def texture_of(row: EntityRow) -> str:
    """Return the picture, or the pattern, on an entity, "" = none."""
    return next((visual.texture for visual in row.visuals if visual.texture), "")


def outline_of(row: EntityRow) -> str:
    """Return the corners of a polygon as its section says them, "" of other shapes."""
    points = next((visual.points for visual in row.visuals if visual.points), ())
    pairs = zip(points[::2], points[1::2], strict=True)
    return "  ".join(f"{rounded(x)} {rounded(y)}" for x, y in pairs)


def _between(a: Quaternion, b: Quaternion) -> float:
    """Return how far two rotations are apart [rad]."""
    return 2.0 * math.acos(min(1.0, abs(sum(first * second for first, second in zip(a, b, strict=True)))))


def rounded(value: float) -> str:
    """Return a number as people write it."""
    return f"{round(value, 6) + 0.0:.6g}"
