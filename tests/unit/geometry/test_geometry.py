"""Angles and rotations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.geometry import heading, quaternion, within, wrap

ANGLES = st.floats(-1e4, 1e4)


def about(axis: int, angle: float) -> np.ndarray:
    """Return the rotation matrix about a fixed axis."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def rotate(q: tuple[float, float, float, float], vector: np.ndarray) -> np.ndarray:
    """Rotate by a quaternion w x y z."""
    u = np.array(q[1:])
    return vector + 2.0 * np.cross(u, np.cross(u, vector) + q[0] * vector)


@given(ANGLES)
def test_a_wrapped_angle_is_the_same_direction_within_half_a_turn(angle: float) -> None:
    wrapped = wrap(angle)
    assert -math.pi <= wrapped < math.pi
    assert math.isclose(math.cos(wrapped - angle), 1.0, abs_tol=1e-12)


@pytest.mark.parametrize("angle", [math.pi, -math.pi, 3 * math.pi, math.nextafter(-math.pi, -4), -5e-324])
def test_wrapping_is_half_open_even_where_the_remainder_rounds(angle: float) -> None:
    assert -math.pi <= wrap(angle) < math.pi


@given(ANGLES, ANGLES, ANGLES)
def test_rotations_are_about_the_fixed_axes_x_then_y_then_z(phi: float, psi: float, theta: float) -> None:
    """C-67, C-72: the orientation of a file is phi, psi and theta."""
    q = quaternion(phi, psi, theta)
    expected = about(2, theta) @ about(1, psi) @ about(0, phi)
    for axis in np.eye(3):
        assert np.allclose(rotate(q, axis), expected @ axis, atol=1e-9)


@given(st.floats(-3.14, 3.14))
def test_the_heading_of_an_upright_rotation_is_its_angle(theta: float) -> None:
    assert math.isclose(heading(*quaternion(0.0, 0.0, theta)), theta, abs_tol=1e-12)


def test_a_quarter_turn_left_points_along_y() -> None:
    assert np.allclose(rotate(quaternion(0.0, 0.0, math.pi / 2), np.array([1.0, 0.0, 0.0])), [0.0, 1.0, 0.0])


def test_a_pose_within_a_frame_is_seen_from_outside() -> None:
    left = quaternion(0.0, 0.0, math.pi / 2)
    assert within((1, 2, 3, *left), (1, 0, 0, *left)) == pytest.approx((1, 3, 3, *quaternion(0.0, 0.0, math.pi)))
