"""Cloths, soft bodies and springs, seen from above."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from coopsim.features.pictures.drawing_model import COIL_SHARE, COILS, SPRING, STRAIGHT, WIDEST_COIL
from coopsim.features.pictures.svg import Drawing, Point, color
from coopsim.geometry import Pose, Vector3, quaternion, turned
from coopsim.launch.tracks import Track
from coopsim.scene.lattices import surfaces
from coopsim.state import EntityRow, JointRow

_INK = "#" + bytes(SPRING[:3]).hex()


def draw_skins(on: Drawing, objects: Sequence[EntityRow], tracks: Mapping[str, Track]) -> None:
    """Paint cloths and soft bodies where their nodes came to, and how they stood first where they moved.

    Args:
        on: The picture.
        objects: All of them; those that are no nodes are left out.
        tracks: Ways of bodies by name.
    """
    nodes = [node for node in objects if node.whole]
    begins = [node.pose[:2] for node in nodes]
    ends = [_end(node, tracks.get(node.name)) for node in nodes]
    for faces in surfaces((node.whole, node.cell) for node in nodes).values():
        if not faces:
            continue
        paint, edge = color(nodes[faces[0][0]].color), color(nodes[faces[0][0]].color, 0.6)
        if any(begins[place] != ends[place] for face in faces for place in face):
            for face in faces:
                on.polygon([begins[place] for place in face], fill="none", stroke=edge, stroke_opacity=0.25)
        for face in faces:
            corners = [ends[place] for place in face]
            on.polygon(corners, fill=paint, fill_opacity=0.8, stroke=edge, stroke_width=0.8, stroke_linejoin="round")


def draw_springs(
    on: Drawing, springs: Iterable[JointRow], entities: Sequence[EntityRow], tracks: Mapping[str, Track]
) -> None:
    """Paint springs between where their bodies came to."""
    poses = {entity.name: entity.pose for entity in entities}
    for spring in springs:
        begin, end = _held(spring.a, spring.anchor, poses, tracks), _held(spring.b, spring.far_anchor, poses, tracks)
        if begin is not None and end is not None:
            on.line(zigzag(begin, end), stroke=_INK, stroke_width=1.6, stroke_linejoin="round")


def zigzag(begin: Point, end: Point) -> list[Point]:
    """Return corners of a spring between two places [m]."""
    first, last = np.array(begin), np.array(end)
    way = last - first
    length = float(np.hypot(*way))
    aside = np.array([-way[1], way[0]]) / length if length > 0.0 else np.zeros(2)
    half = min(WIDEST_COIL, COIL_SHARE * length)
    shares = np.linspace(STRAIGHT, 1.0 - STRAIGHT, 2 * COILS)
    inner = [first + share * way + half * (-1.0) ** place * aside for place, share in enumerate(shares)]
    return [(float(x), float(y)) for x, y in (first, first + STRAIGHT * way, *inner, last)]


def _end(row: EntityRow, track: Track | None) -> Point:
    if track is None:
        return row.pose[:2]
    _, x, y, _ = track.points[-1].tolist()
    return x, y


def _held(body: str, local: Vector3 | None, poses: Mapping[str, Pose], tracks: Mapping[str, Track]) -> Point | None:
    """Return where a body holds a spring; None where that is not known."""
    track, pose = tracks.get(body), poses.get(body)
    if local is None:
        return None
    if track is not None:
        _, x, y, theta = track.points[-1].tolist()
        pose = (x, y, 0.0, *quaternion(0.0, 0.0, theta))
    if pose is None:
        return None
    dx, dy, _ = turned(pose[3:], local)
    return pose[0] + dx, pose[1] + dy
