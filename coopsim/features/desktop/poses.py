"""Poses of many bodies at once: arrays of x y z [m] and quaternions w x y z."""

from collections.abc import Sequence

import numpy as np

from coopsim.geometry import Floats


def turned(rotations: Floats, vectors: Floats) -> Floats:
    """Return vectors rotated by unit quaternions, shape (n, 3)."""
    turned_vectors = np.empty(np.broadcast_shapes(rotations[:, 1:].shape, vectors.shape))
    turned_vectors[:, 0], turned_vectors[:, 1], turned_vectors[:, 2] = _turned(_columns(rotations), _columns(vectors))
    return turned_vectors


def inverse(rotations: Floats) -> Floats:
    """Return the opposite rotations, shape (n, 4)."""
    inverted: Floats = rotations * np.array([1.0, -1.0, -1.0, -1.0])
    return inverted


def opposite(poses: Floats) -> Floats:
    """Return how the frame that poses are given in is seen from them, shape (n, 7)."""
    turn = inverse(poses[:, 3:])
    return np.concatenate([-turned(turn, poses[:, :3]), turn], axis=1)


def within(frames: Floats, poses: Floats) -> Floats:
    """Return poses that are given in frames as they are seen from where the frames are given.

    Args:
        frames: p_wa, shape (n, 7).
        poses: p_ab, shape (n, 7).

    Returns:
        p_wb, shape (n, 7).
    """
    x, y, z, *a = _columns(frames)
    *places, w, i, j, k = _columns(poses)
    products = np.empty_like(frames)
    across, along, up = _turned(a, places)
    products[:, 0], products[:, 1], products[:, 2] = x + across, y + along, z + up
    first, two, three = _cross(a[1:], (i, j, k))
    products[:, 3] = a[0] * w - (a[1] * i + a[2] * j + a[3] * k)
    products[:, 4] = a[0] * i + w * a[1] + first
    products[:, 5] = a[0] * j + w * a[2] + two
    products[:, 6] = a[0] * k + w * a[3] + three
    return products


def between(earlier: Floats, later: Floats, share: float) -> Floats:
    """Return poses between two instants, each rotation on the shorter way.

    Args:
        earlier: Shape (n, 7).
        later: Of the same bodies.
        share: 0 = the earlier ones, 1 = the later ones.
    """
    blended = earlier + share * (later - earlier)
    opposite = np.einsum("ij,ij->i", earlier[:, 3:], later[:, 3:]) < 0.0
    if opposite.any():
        blended[opposite, 3:] = earlier[opposite, 3:] - share * (later[opposite, 3:] + earlier[opposite, 3:])
    blended[:, 3:] /= np.sqrt(np.einsum("ij,ij->i", blended[:, 3:], blended[:, 3:]))[:, np.newaxis]
    return blended


def _columns(rows: Floats) -> Sequence[Floats]:
    """Return the columns of an array, each in one piece: numpy calculates with them twice as fast."""
    return tuple(np.ascontiguousarray(rows.T))


def _turned(rotations: Sequence[Floats], vectors: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the columns of vectors that are rotated by unit quaternions, given as columns."""
    w, *axis = rotations
    twice = [2.0 * component for component in _cross(axis, vectors)]
    x, y, z = (vector + w * two + three for vector, two, three in zip(vectors, twice, _cross(axis, twice), strict=True))
    return x, y, z


def _cross(a: Sequence[Floats], b: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the columns of cross products."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
