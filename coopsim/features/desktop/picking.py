"""Object under the mouse: the first shape that a ray meets."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.poses import inverse, turned
from coopsim.features.desktop.shapes import PRISM
from coopsim.geometry import Floats
from coopsim.scene.polygons import convex_parts, edges

_ROUND = ("cylinder", "cone")


class Hit(NamedTuple):
    """First thing that a ray meets.

    Attributes:
        name: Of the entity.
        distance: From the origin of the ray [m].
    """

    name: str
    distance: float


def between(
    model: SceneModel,
    camera: OrbitCamera,
    hidden: Collection[str],
    corners: tuple[tuple[float, float], tuple[float, float]],
) -> list[str]:
    """Return robots, objects and targets whose middles are seen between two pixels.

    Args:
        model: What there is.
        camera: That looks.
        hidden: Names of what is not drawn.
        corners: The pixels.
    """
    rows = [row for row in model.entities if row.kind not in ("floor", "area") and not row.is_wall]
    rows = [row for row in rows if row.name not in hidden]
    if not rows:
        return []
    places = np.array([model.entity_poses[model.numbers[row.name], :3] for row in rows])
    pixels, away = camera.project(places)
    low, high = np.minimum(*corners), np.maximum(*corners)
    inside = ((pixels >= low) & (pixels <= high)).all(axis=1) & (away > 0.0)
    return [row.name for row, is_inside in zip(rows, inside, strict=True) if is_inside]


def pick(model: SceneModel, origin: Floats, direction: Floats) -> Hit | None:
    """Return the first entity that a ray meets, None if it meets nothing.

    Args:
        model: What there is.
        origin: Where the ray begins, shape (3,) [m].
        direction: Of length 1, shape (3,).
    """
    if not len(model.entity):
        return None
    begin, along = _in_boxes(model, origin, direction)
    enter, leave = _slabs(begin, along)
    for look, rows in model.looks.items():
        if look.shape in _ROUND or look.shape == "sphere":
            ends = _quadric(begin[rows], along[rows], 3 if look.shape == "sphere" else 2)
            enter[rows], leave[rows] = np.maximum(enter[rows], ends[0]), np.minimum(leave[rows], ends[1])
        if look.shape == PRISM:
            enter[rows] = _in_prism(begin[rows], along[rows], look.points)
        if look.shape == "polygon":  # an area; it is chosen in the list
            enter[rows] = np.inf
    length = np.where((enter <= leave) & (leave > 0.0), np.maximum(enter, 0.0), np.inf)
    nearest = int(np.argmin(length))
    if not np.isfinite(length[nearest]):
        return None
    return Hit(model.entities[model.entity[nearest]].name, float(length[nearest]))


def _in_boxes(model: SceneModel, origin: Floats, direction: Floats) -> tuple[Floats, Floats]:
    """Return the ray seen from each shape, whose box reaches from -0.5 to 0.5 there."""
    opposite, size = inverse(model.poses[:, 3:]), np.maximum(model.size, 1e-9)
    begin = turned(opposite, origin - model.poses[:, :3]) / size - model.middle_shares
    return begin, turned(opposite, np.broadcast_to(direction, (len(size), 3))) / size


def _slabs(begin: Floats, along: Floats) -> tuple[Floats, Floats]:
    """Return where a ray enters and leaves each box."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (-0.5 - begin) / along, (0.5 - begin) / along
    return np.fmax.reduce(np.minimum(low, high), axis=1), np.fmin.reduce(np.maximum(low, high), axis=1)


def _quadric(begin: Floats, along: Floats, axes: int) -> tuple[Floats, Floats]:
    """Return where a ray enters and leaves each sphere, of 3 axes, or endless cylinder, of 2, in its box."""
    p, d = begin[:, :axes], along[:, :axes]
    a, b = np.einsum("ij,ij->i", d, d), np.einsum("ij,ij->i", p, d)
    beside = np.einsum("ij,ij->i", p, p) - 0.25
    inside = b * b - a * beside
    root = np.sqrt(np.maximum(inside, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        enter, leave = (-b - root) / a, (-b + root) / a
    parallel = a < 1e-12
    misses = np.where(parallel, beside > 0.0, inside < 0.0)
    enter, leave = np.where(parallel, -np.inf, enter), np.where(parallel, np.inf, leave)
    return np.where(misses, np.inf, enter), np.where(misses, -np.inf, leave)


def _in_prism(begin: Floats, along: Floats, shares: Sequence[float]) -> Floats:
    """Return where a ray enters each upright polygon in its box, infinity where it misses the polygon itself.

    Args:
        begin: Where the ray begins, seen from each box, shape (n, 3).
        along: Its direction there, shape (n, 3).
        shares: Numbers x and y of each corner, as shares of the box.
    """
    enter = np.full(len(begin), np.inf)
    low, high = _slabs(begin[:, 2:], along[:, 2:])
    for part in convex_parts(list(zip(shares[::2], shares[1::2], strict=True))):
        first, last = low, high
        for (x, y), (u, v) in edges(part):
            # how far left of the edge, where the part is, the ray begins, and how fast it gets there
            off = (u - x) * (begin[:, 1] - y) - (v - y) * (begin[:, 0] - x)
            speed = (u - x) * along[:, 1] - (v - y) * along[:, 0]
            with np.errstate(divide="ignore", invalid="ignore"):
                place = -off / speed
            first = np.where(speed > 0.0, np.maximum(first, place), first)
            last = np.where(speed < 0.0, np.minimum(last, place), last)
            last = np.where((speed == 0.0) & (off < 0.0), -np.inf, last)
        enter = np.where((first <= last) & (last > 0.0), np.minimum(enter, first), enter)
    return enter
