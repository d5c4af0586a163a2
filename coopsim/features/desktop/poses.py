"""Poses of many bodies at once: arrays of x y z [m] and quaternions w x y z."""

from collections.abc import Sequence

import numpy as np

from coopsim.geometry import Floats


def turned(rotations: Floats, vectors: Floats) -> Floats:
    """Return vectors rotated by unit quaternions, shape (n, 3)."""
    found = np.empty(np.broadcast_shapes(rotations[:, 1:].shape, vectors.shape))
    found[:, 0], found[:, 1], found[:, 2] = _turned(_columns(rotations), _columns(vectors))
    return found


def inverse(rotations: Floats) -> Floats:
    """Return the opposite rotations, shape (n, 4)."""
    found: Floats = rotations * np.array([1.0, -1.0, -1.0, -1.0])
    return found


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
    found = np.empty_like(frames)
    across, along, up = _turned(a, places)
    found[:, 0], found[:, 1], found[:, 2] = x + across, y + along, z + up
    one, two, three = _cross(a[1:], (i, j, k))
    found[:, 3] = a[0] * w - (a[1] * i + a[2] * j + a[3] * k)
    found[:, 4] = a[0] * i + w * a[1] + one
    found[:, 5] = a[0] * j + w * a[2] + two
    found[:, 6] = a[0] * k + w * a[3] + three
    return found


def between(earlier: Floats, later: Floats, share: float) -> Floats:
    """Return poses between two instants, each rotation on the shorter way.

    Args:
        earlier: Shape (n, 7).
        later: Of the same bodies.
        share: 0 = the earlier ones, 1 = the later ones.
    """
    found = earlier + share * (later - earlier)
    opposite = np.einsum("ij,ij->i", earlier[:, 3:], later[:, 3:]) < 0.0
    if opposite.any():
        found[opposite, 3:] = earlier[opposite, 3:] - share * (later[opposite, 3:] + earlier[opposite, 3:])
    found[:, 3:] /= np.sqrt(np.einsum("ij,ij->i", found[:, 3:], found[:, 3:]))[:, np.newaxis]
    return found


def _columns(rows: Floats) -> Sequence[Floats]:
    """Return the columns of an array, each in one piece: numpy calculates with them twice as fast."""
    return tuple(np.ascontiguousarray(rows.T))


def _turned(rotations: Sequence[Floats], vectors: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the columns of vectors that are rotated by unit quaternions, given as columns."""
    w, *axis = rotations
    twice = [2.0 * each for each in _cross(axis, vectors)]
    x, y, z = (vector + w * two + three for vector, two, three in zip(vectors, twice, _cross(axis, twice), strict=True))
    return x, y, z


def _cross(a: Sequence[Floats], b: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the columns of cross products."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
