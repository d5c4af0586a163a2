"""Compiled steps of a pymunk space are those of pymunk's own functions."""

import numpy as np
import pymunk
import pytest
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import lib

from coopsim.engines.planar.space import PlanarBody, PlanarSpace
from coopsim.engines.planar.stepping import ALL_RIGHT, SpaceStepper
from coopsim.geometry import Floats


def _step(stepper: SpaceStepper, wrench: Floats, noted: Floats, parts: int = 1) -> int:
    call = stepper.step_call(wrench, np.arange(len(wrench)), (stepper.states, noted), 0.01, parts)
    step: int = call.kernel(*call.arguments)
    return step


def _listed(bodies: list[PlanarBody]) -> NDArray[np.uintp]:
    return np.array([body.address for body in bodies], np.uintp)


def _space(count: int) -> tuple[PlanarSpace, list[PlanarBody]]:
    space, bodies = PlanarSpace(pymunk.Space().collision_slop), []
    for k in range(count):
        body = PlanarBody(lib.cpBodyNew(1.0 + k, 0.5))
        body.put((0.9 * k, 0.0, 0.0), (0.0, 0.0, 0.0))
        bodies.append(body)
        space.add(body, [lib.cpCircleShapeNew(body.pointer, 0.5, (0.0, 0.0))])
    return space, bodies


def _reference(count: int) -> tuple[pymunk.Space, list[pymunk.Body]]:
    space, bodies = pymunk.Space(), []
    for k in range(count):
        body = pymunk.Body(1.0 + k, 0.5)
        body.position = 0.9 * k, 0.0
        bodies.append(body)
        space.add(body, pymunk.Circle(body, 0.5))
    return space, bodies


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_compiled_step_is_bit_by_bit_that_of_pymunk(count: int) -> None:
    (space, bodies), (reference, reference_bodies) = _space(count), _reference(count)
    stepper, random = SpaceStepper(space, _listed(bodies)), np.random.default_rng(1)

    for _ in range(50):
        wrench = random.uniform(-50.0, 50.0, (count, 6))
        for body, (x, y, _, _, _, turn) in zip(reference_bodies, wrench.tolist(), strict=True):
            body.force, body.torque = (x, y), turn
        reference.step(0.01)
        before, noted = stepper.states[:, 3:].tolist(), np.zeros((count, 3))
        assert _step(stepper, wrench, noted) == ALL_RIGHT
        assert not wrench.any()
        assert noted.tolist() == before

        expected = [
            [*body_.position, body_.angle, *body_.velocity, body_.angular_velocity] for body_ in reference_bodies
        ]
        assert stepper.states.tolist() == expected
    assert [body.pose[:2] for body in bodies] == [tuple(body_.position) for body_ in reference_bodies]


def test_a_force_that_is_no_number_is_told_and_nothing_moves() -> None:
    space, bodies = _space(3)
    stepper, wrench = SpaceStepper(space, _listed(bodies)), np.ones((3, 6))
    wrench[1, 5] = np.nan

    noted = np.full((3, 3), 7.0)
    assert _step(stepper, wrench, noted) == 1
    assert (noted == 7.0).all()
    assert bodies[0].pose == (0.0, 0.0, 0.0)
    assert not wrench.any()


def test_several_parts_are_several_steps() -> None:
    (space, bodies), (second, second_bodies) = _space(2), _space(2)
    whole, two = SpaceStepper(space, _listed(bodies)), SpaceStepper(second, _listed(second_bodies))

    _step(whole, np.ones((2, 6)), np.zeros((2, 3)), 2)
    _step(two, np.ones((2, 6)), np.zeros((2, 3)))
    _step(two, np.ones((2, 6)), np.zeros((2, 3)))

    assert whole.states.tolist() == two.states.tolist()
