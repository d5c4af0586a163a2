"""Poses of many bodies at once: arrays of x y z [m] and quaternions w x y z."""

import numpy as np

from coopsim.geometry import Floats


def turned(rotations: Floats, vectors: Floats) -> Floats:
    """Return vectors rotated by unit quaternions, shape (n, 3)."""
    w, axis = rotations[:, :1], rotations[:, 1:]
    twice: Floats = 2.0 * _cross(axis, vectors)
    found: Floats = vectors + w * twice + _cross(axis, twice)
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
    found = np.empty_like(frames)
    found[:, :3] = frames[:, :3] + turned(frames[:, 3:], poses[:, :3])
    a, b = frames[:, 3:], poses[:, 3:]
    found[:, 3] = a[:, 0] * b[:, 0] - np.einsum("ij,ij->i", a[:, 1:], b[:, 1:])
    found[:, 4:] = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + _cross(a[:, 1:], b[:, 1:])
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
    found[opposite, 3:] = earlier[opposite, 3:] - share * (later[opposite, 3:] + earlier[opposite, 3:])
    found[:, 3:] /= np.linalg.norm(found[:, 3:], axis=1, keepdims=True)
    return found


def _cross(a: Floats, b: Floats) -> Floats:
    """Return cross products, shape (n, 3), three times as fast as numpy's."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    found[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    found[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    found[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return found
