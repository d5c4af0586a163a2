"""Questions of motors to the joints of a MuJoCo engine, as calls of kernels: where they are and what moves them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from coopsim.features.space.addresses import data_layout, functions
from coopsim.features.space.grounded_motors import GroundedMotors, Limits
from coopsim.features.space.kernels import to_poses
from coopsim.features.space.light_bases import POSTURES
from coopsim.features.space.passive import Loose, Yielding, bear_followers, follow, give_way, rest, yielding_of
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled
from coopsim.kernels.sequence import KernelCall

if TYPE_CHECKING:
    from coopsim.features.space.model import Model


class JointCalls(NamedTuple):
    """Requests of motors at joints.

    Attributes:
        read: Writes positions and velocities.
        invert: Writes the efforts for wanted accelerations.
    """

    read: KernelCall
    invert: KernelCall


Exerted: TypeAlias = tuple[Ints, Floats, Ints]
"""Joints that move, in their order; their signs; their numbers in MuJoCo's velocities."""


class MotorAnswers(ABC):
    """Requests of motors that an engine with a compiled model answers.

    Attributes:
        is_together, is_coupled, is_grounded, is_rubbing: See `EngineMark`.
    """

    is_together: bool
    is_coupled: bool
    is_grounded: bool
    is_rubbing: bool
    _arrays: Any

    @abstractmethod
    def _ready(self) -> "Model":
        """Return the model of the present world."""

    @abstractmethod
    def contact_step(self, dt: float) -> float:
        """Return the length of the step by which motors reckon with contacts in one of `dt` [s] [s]."""

    def joint_calls(
        self,
        joints: Ints,
        motion: tuple[Floats, Floats],
        efforts: tuple[Floats, Floats],
        loose: Loose | None = None,
        *,
        is_one: bool = False,
        limits: Limits | None = None,
    ) -> JointCalls | None:
        """Return what motors of joints, shape (n, k), ask for; see `joint_calls_of`.

        With limits, see `Limits`, those are all motors of robots that `are_grounded`.
        """
        world = self._ready()
        calls = joint_calls_of(world, self._arrays, joints, motion, efforts, loose, is_one=is_one)
        if calls is None or limits is None or world.mirror is None:
            return calls
        return calls._replace(invert=self._grounded_motors(joints, loose, limits).call(*efforts))

    def are_grounded(self, joints: Ints) -> bool:
        """Return whether motors know what a robot touches: one without wheels, on a free base.

        Args:
            joints: Some that are driven, of one robot, shape (k,).
        """
        world = self._ready()
        is_so = self.is_grounded and self.is_together  # which all versions with the first have
        return is_so and world.mirror is not None and world.mirror.are_grounded(joints)

    def grounded_efforts(
        self, joints: Ints, accelerations: Floats, limits: Limits, loose: Loose | None = None
    ) -> Floats:
        """Return efforts of all motors of robots that `are_grounded`, shape (n, k), see `GroundedMotors`.

        Args:
            joints: All driven ones, of each robot, shape (n, k).
            accelerations: That are wanted, shape (n, k).
            limits: Of the motors.
            loose: As that of `inverse_dynamics`.
        """
        return self._grounded_motors(joints, loose, limits).solve(accelerations)

    def _grounded_motors(self, joints: Ints, loose: Loose | None, limits: Limits) -> GroundedMotors:
        """Return motors of robots that `are_grounded`."""
        world, (most, dt) = self._ready(), limits
        assert world.mirror is not None  # noqa: S101 - no robot is grounded then
        seen = most, self.contact_step(dt) if self.is_rubbing else dt
        return world.mirror.grounded_motors(world, joints, loose, seen, is_rubbing=self.is_rubbing)

    def are_unsteady(self, modules: Sequence[Ints]) -> bool:
        """Return whether motors of a robot would swing up if each module reckoned alone, see `light_bases`.

        Args:
            modules: Joints of each module of one robot.
        """
        world = self._ready()
        if not self.is_together or world.mirror is None:
            return False
        return world.mirror.are_unsteady(world.model, modules, POSTURES if self.is_coupled else 1)

    def inverse_dynamics(self, accelerations: Floats, loose: Loose | None = None, robots: Ints | None = None) -> Floats:
        """Return the efforts that give chained joints these accelerations, 0 for others, shape (j,) [N m, N].

        Args:
            accelerations: Of all joints, shape (j,) [rad/s2, m/s2].
            loose: Joints that nothing drives and that give way, with the length of a step; others are rigid.
            robots: All driven joints of each robot whose free base gives way, shape (n, k); None = all bases stand.
        """
        return self._ready().inverse_dynamics(accelerations, loose, robots)


def joint_calls_of(
    world: Any,
    arrays: Any,
    joints: Ints,
    motion: tuple[Floats, Floats],
    efforts: tuple[Floats, Floats],
    loose: Loose | None = None,
    *,
    is_one: bool = False,
) -> JointCalls | None:
    """Return what motors ask for; None where kernels cannot call MuJoCo, or no joint is chained.

    Args:
        world: A compiled model.
        arrays: What its steps take.
        joints: Which, shape (n, k).
        motion: Where positions and velocities go, shape (n, k) each.
        efforts: Accelerations that are wanted, and where the efforts go, shape (n, k) each.
        loose: Joints that nothing drives, and the length of a step; None where they count as rigid.
        is_one: Whether these are all motors of their robots, to which a free base gives way.
    """
    if world.mirror is None or data_layout() is None:
        return None
    read = _reading(world, (arrays.rows, arrays.signs, arrays.dofs), joints, *motion)
    return JointCalls(read, _inverse(world, int(functions(("mj_mulM",))[0]), joints, efforts, loose, is_one=is_one))


def _reading(world: Any, exerted: Exerted, joints: Ints, positions: Floats, velocities: Floats) -> KernelCall:
    """Return the call that writes positions and velocities of joints.

    Args:
        world: A compiled model.
        exerted: Its joints.
        joints: Which, shape (n, k).
        positions: Written, shape (n, k) [rad, m].
        velocities: Written, shape (n, k) [rad/s, m/s].
    """
    place_of = dict(zip(world.ways[:, 1].tolist(), world.ways[:, 0].tolist(), strict=True))
    columns = {
        row: (sign, place_of[dof], dof) for row, sign, dof in zip(*(array.tolist() for array in exerted), strict=True)
    }
    # of joints that do not move the sign is 0: they read 0 from anywhere
    chosen = [columns.get(row, (0.0, 0, 0)) for row in joints.ravel().tolist()]
    signs = np.array([entry[0] for entry in chosen], np.float64).reshape(joints.shape)
    places = np.array([entry[1:] for entry in chosen], np.int64).reshape(*joints.shape, 2)
    return KernelCall(_read, (world.coordinates, world.rates, places, signs, positions, velocities))


def _inverse(
    world: Any, product: int, joints: Ints, efforts: tuple[Floats, Floats], loose: Loose | None, *, is_one: bool
) -> KernelCall:
    """Return the call that writes the efforts which accelerate chained joints, see `MujocoEngine.inverse_dynamics`.

    Args:
        world: A compiled model with a mirror.
        product: Address of MuJoCo's product of the matrix of inertia and a vector.
        joints: Which, shape (n, k).
        efforts: Accelerations, and where the efforts go, shape (n, k) each.
        loose: As that of `joint_calls_of`.
        is_one: As that of `joint_calls_of`.
    """
    chosen = world.mirror.places_of(joints)
    addresses = np.array([product, world.model._address, world.data._address], np.int64)  # noqa: SLF001 - MuJoCo's name
    wanted, actual = np.zeros(world.model.nv), np.zeros(world.model.nv)
    pointers = np.array([actual.ctypes.data, wanted.ctypes.data], np.int64)
    arrays = world.data.qfrc_bias, wanted, actual
    passive, dt = loose or (np.zeros((len(joints), 0), np.int64), 0.0)
    yielding = yielding_of(world, world.mirror.giving_way(passive, joints if is_one else None))
    borne = world.mirror.borne_by_others(passive)
    return KernelCall(_invert, (addresses, pointers, chosen, arrays, (yielding, dt, borne), *efforts))


@compiled
def _read(
    coordinates: Floats, rates: Floats, places: Ints, signs: Floats, positions: Floats, velocities: Floats
) -> None:
    for i in range(signs.shape[0]):
        for k in range(signs.shape[1]):
            positions[i, k] = signs[i, k] * coordinates[places[i, k, 0]]
            velocities[i, k] = signs[i, k] * rates[places[i, k, 1]]


@compiled
def _invert(
    addresses: Ints,
    pointers: Ints,
    dofs: Ints,
    arrays: tuple[Floats, Floats, Floats],
    loose: tuple[Yielding, float, tuple[Ints, Floats]],
    accelerations: Floats,
    efforts: Floats,
) -> None:
    bias, wanted, actual = arrays
    # of the step before: other robots' joints are wanted at rest
    wanted[:] = 0.0
    for i in range(dofs.shape[0]):
        for k in range(dofs.shape[1]):
            if dofs[i, k] >= 0:
                wanted[dofs[i, k]] = accelerations[i, k]
    yielding, dt, borne = loose
    rest(yielding[0], wanted)
    follow(borne, wanted)
    call_c(addresses[0], (addresses[1], addresses[2], pointers[0], pointers[1]))
    if yielding[0].size:
        give_way(yielding, actual, dt, wanted)
        follow(borne, wanted)
        call_c(addresses[0], (addresses[1], addresses[2], pointers[0], pointers[1]))
    actual += bias
    bear_followers(borne, actual)
    for i in range(dofs.shape[0]):
        for k in range(dofs.shape[1]):
            at = dofs[i, k]
            efforts[i, k] = actual[at] if at >= 0 else 0.0


def motion_calls_of(
    numbers: tuple[Floats, Floats, Ints],
    centres: Floats,
    motion: tuple[Floats, Floats],
    step: tuple[tuple[Floats, Floats], Floats],
    accelerations: Floats | None,
) -> tuple[KernelCall, ...]:
    """Return what brings poses and twists up to date, then what writes accelerations, if they are asked for.

    Args:
        numbers: Positions, velocities and where each body's begin.
        centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        motion: Poses and twists, shape (n, 7) and (n, 6).
        step: Positions and velocities before the last step, and its length, shape (1,) [s].
        accelerations: Written, shape (n, 6).
    """
    fill = KernelCall(to_poses, (*numbers, centres, *motion))
    if accelerations is None:
        return (fill,)
    before, dt = step
    poses, twists = np.empty_like(motion[0]), np.empty_like(motion[1])
    return (
        fill,
        KernelCall(to_poses, (*before, numbers[2], centres, poses, twists)),
        KernelCall(_differ, (motion[1], twists, dt, accelerations)),
    )


@compiled
def _differ(after: Floats, before: Floats, dt: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = (after[i, k] - before[i, k]) / dt[0]
