"""Bodies seen from above, and those that have no such image."""

import math
from dataclasses import replace

import numpy as np
import pytest
from engine_standins import body

from coopsim.engines.plane.footprints import FARTHEST, check_planar, footprints, friction_arm, inertia, layers
from coopsim.errors import EngineCannot
from coopsim.geometry import quaternion
from coopsim.scene import Span


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"mass": -1.0}, "mass"),
        ({"mass": math.nan}, "mass"),
        ({"mass": math.inf}, "mass"),
        ({"rolling": -0.1}, "rolling"),
        ({"kind": "cone"}, "'cone' is unknown; expected box, cylinder, sphere"),
        ({"size": (0.5, 0.4, 0.3)}, "not round"),
        ({"size": (0.0, 0.0, 0.3)}, "size"),
        ({"size": (1e-150, 1e-150, 1e-150)}, "from 1e-09 to 1e"),
        ({"mass": 5e-324}, "no moment of inertia"),
        ({"mass": 1e308, "size": (1e5, 1e5, 1.0)}, "no moment of inertia"),
        ({"size": (math.nan, 0.5, 0.3)}, "size"),
        ({"friction": -1.0}, "friction"),
        ({"restitution": 1.5}, "restitution"),
        ({"position": (math.inf, 0.0, 0.0)}, "finite"),
        ({"x": math.nan}, "pose"),
        ({"y": 1e9}, "pose"),
    ],
)
def test_a_body_that_cannot_be_is_refused_by_name_and_place(change, says):
    with pytest.raises(EngineCannot, match=r"^thing\.world:3:1: .*'thing'") as caught:
        check_planar(body("thing", **change))

    assert says in str(caught.value)


def test_a_body_from_no_file_is_refused_by_name_alone():
    with pytest.raises(EngineCannot, match=r"^the pymunk engine cannot hold 'thing'"):
        check_planar(replace(body("thing", mass=-1.0), span=Span()))


@pytest.mark.parametrize("angles", [(0.1, 0.0, 0.0), (0.0, -0.2, 1.0), (math.pi, 0.0, 0.0)])
def test_a_tilted_body_is_refused_and_told_the_cure(angles):
    tilted = replace(body("ramp", mass=0.0, kind="box"), pose=(0.0, 0.0, 0.0, *quaternion(*angles)))

    with pytest.raises(EngineCannot, match=r"^ramp\.world:3:1: .*tilted.*set the first two angles"):
        check_planar(tilted)


def test_an_orientation_that_is_no_rotation_and_a_body_without_shape_are_refused():
    with pytest.raises(EngineCannot, match="quaternion"):
        check_planar(replace(body("thing"), pose=(0.0,) * 7))
    with pytest.raises(EngineCannot, match="no shape"):
        check_planar(replace(body("thing"), shapes=()))


@pytest.mark.parametrize("heading", [-3.0, 0.0, 2.5])
def test_an_upright_body_may_have_any_heading(heading):
    check_planar(body("thing", yaw=heading))


@pytest.mark.parametrize(
    ("low", "high", "bits"),
    [
        (0.0, 0.3, 0b111),
        (0.3, 0.4, 0b1000),
        (0.05, 0.05, 0b1),
        (-2.0, 0.1, 0b1),
        (3.05, 90.0, 3 << 30),
        (50.0, 60.0, 1 << 31),
    ],
)
def test_heights_are_layers_of_a_tenth_of_a_metre(low, high, bits):
    assert layers(low, high) == bits


def test_inertia_and_friction_arm_agree_with_a_sum_over_many_points():
    spec = body("plate", mass=2.0, kind="box", size=(0.8, 0.3, 0.1))
    side = (np.arange(400) + 0.5) / 400 - 0.5
    x, y = np.meshgrid(side * 0.8, side * 0.3)

    assert inertia(2.0, footprints(spec)) == pytest.approx(2.0 * (x**2 + y**2).mean(), rel=1e-4)
    assert friction_arm(footprints(spec)) == pytest.approx(np.hypot(x, y).mean(), rel=1e-4)


@pytest.mark.parametrize(
    "change", [{"friction": 0.0}, {"friction": FARTHEST}, {"restitution": 0.0}, {"restitution": 1.0}]
)
def test_the_ends_of_what_is_permitted_are_permitted(change):
    check_planar(body("thing", **change))
