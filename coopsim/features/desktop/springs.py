"""Coils of springs, as ribbons."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.poses import turned
from coopsim.features.desktop.ribbons import RIBBON
from coopsim.features.pictures.drawing_model import AROUND, COIL_SHARE, COILS, SPRING, STRAIGHT, WIDEST_COIL
from coopsim.geometry import Floats
from coopsim.state import JointRow

_WIDTH = 2.0  # pixels, of the wire of a spring


def spring_ribbons(springs: Iterable[JointRow], poses: Mapping[str, Floats]) -> NDArray[np.void]:
    """Return rows of `RIBBON` for springs whose bodies are known.

    Args:
        springs: With the places where they are held.
        poses: Of bodies, by name, each of shape (7,).
    """
    ends = [
        (_world_point(poses[spring.a], spring.anchor), _world_point(poses[spring.b], spring.far_anchor))
        for spring in springs
        if spring.anchor is not None and spring.far_anchor is not None and spring.a in poses and spring.b in poses
    ]
    lines = [coil(begin, end) for begin, end in ends]
    ribbons = np.zeros(sum(len(line) - 1 for line in lines), RIBBON)
    if lines:
        ribbons["r_begin"] = np.concatenate([line[:-1] for line in lines])
        ribbons["r_end"] = np.concatenate([line[1:] for line in lines])
        ribbons["r_color"], ribbons["r_fade"], ribbons["r_width"] = SPRING, 1.0, _WIDTH
    return ribbons


def coil(begin: Floats, end: Floats) -> Floats:
    """Return points of a coil between two places, which it begins and ends at, shape (n, 3) [m]."""
    way = end - begin
    length = float(np.linalg.norm(way))
    along = way / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    aside = np.cross(along, np.eye(3)[int(np.abs(along).argmin())])
    aside /= np.linalg.norm(aside)
    angles = np.linspace(0.0, 2.0 * np.pi * COILS, COILS * AROUND + 1)[:, np.newaxis]
    radius = min(WIDEST_COIL, COIL_SHARE * length)
    around = radius * (np.cos(angles) * aside + np.sin(angles) * np.cross(along, aside))
    shares = np.linspace(STRAIGHT, 1.0 - STRAIGHT, len(angles))[:, np.newaxis]
    inner: Floats = begin + shares * way + around
    return np.concatenate([begin[np.newaxis], inner, end[np.newaxis]])


def _world_point(pose: Floats, local: tuple[float, float, float] | None) -> Floats:
    place: Floats = pose[:3] + turned(pose[np.newaxis, 3:], np.array([local], float))[0]
    return place
