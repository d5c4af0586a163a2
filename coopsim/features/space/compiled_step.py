"""A whole step of the MuJoCo engine as one call of a kernel: what `step` does, in the same order, to the same bits.

MuJoCo's functions take a microsecond or two each in a small world, and less than calling them from Python does.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coopsim.features.space.addresses import addresses, contact_views, data_layout, functions, heads
from coopsim.features.space.step_kernels import IS_KNOWN, MADE, PARTS, Calls, make_step
from coopsim.geometry import Floats, Ints
from coopsim.kernels.sequence import KernelCall, KernelSequence

if TYPE_CHECKING:  # kernels can be compiled where MuJoCo is not installed
    from coopsim.features.space.model import Model
    from coopsim.features.space.state import SpatialState

_PLACES = "mj_kinematics", "mj_comPos", "mj_makeM"
_FLEXES, _TENDONS, _MASSES, _COLLIDE = ("mj_flex",), ("mj_tendon",), ("mj_factorM",), ("mj_collision",)
_CONSTRAIN = "mj_makeConstraint", "mj_island"
_VELOCITIES = ("mj_fwdVelocity",)
_PASSIVE = (
    "mj_passive",
    "mj_referenceConstraint",
)  # mj_fwdVelocity but for mj_comVel, mj_rne and what a rigid world lacks
_FORCES = "mj_fwdActuation", "mj_fwdAcceleration", "mj_fwdConstraint"
_AGAIN = "mj_fwdAcceleration", "mj_fwdConstraint"
_SPEEDS = *_PLACES, "mj_comVel"
_MOVES = {"implicitfast": ("mj_implicit",), "rk4": ("mj_RungeKutta", "mj_Euler")}
_EULER = ("mj_Euler",)
_NOT_MADE = -1  # written before a step: a kernel that fails leaves it


class StepArrays(NamedTuple):
    """Arrays that a step takes and gives, besides a model.

    Attributes:
        weight: Of each body, shape (n,) [N].
        down: Written: feet on the floor, -1 where anything else is touched, shape (n,).
        efforts: Of all joints, shape (j,) [N m, N]; cleared.
        rows: Joints that move, shape (m,).
        signs: Whether b rides on a, 1, or a on b, -1, shape (m,).
        dofs: Where MuJoCo has their velocities, shape (m,).
        centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        planar: Written, shape (n, 6).
        height: Written, shape (n,) [m].
        part: Length of each part of the step, shape (1,) [s].
    """

    weight: Floats
    down: Ints
    efforts: Floats
    rows: Ints
    signs: Floats
    dofs: Ints
    centres: Floats
    planar: Floats
    height: Floats
    part: Floats


class StepOutcome(NamedTuple):
    """Outcome of a step.

    Attributes:
        kind: One of those above.
        which: Row of a body, or number of a joint.
    """

    kind: int
    which: int


class CompiledStep:
    """Steps of a world that stays who it is.

    Attributes:
        before: Positions and velocities of all rows before the step.
        kept: Those that MuJoCo goes on from, before the step.
        call: What a step is.
    """

    def __init__(self, arguments: tuple[Any, ...], kept: Sequence[Floats], outcome: Ints) -> None:
        self.call = KernelCall(make_step, arguments, MADE)
        self._outcome, self._words = outcome, arguments[0][2]
        self._sequence = KernelSequence.of((self.call,))
        self.before, self.kept = (kept[0], kept[1]), (kept[2], kept[3])

    @classmethod
    def of(cls, world: "Model", state: "SpatialState", bodies: "StepArrays") -> "CompiledStep | None":
        """Return the steps of a world, None where kernels cannot call MuJoCo's functions."""
        layout = data_layout()
        if layout is None:
            return None
        data, mirror = world.data, world.mirror
        # heads, not the arrays: both move from step to step
        count, forces = heads(data, layout)
        kept = world.qpos.copy(), world.qvel.copy(), world.coordinates.copy(), world.rates.copy()
        warnings, outcome = data.warning.number, np.zeros(2, np.int64)
        motion = world.qpos, world.qvel, world.applied, world.places
        arguments = (
            _calls(world),
            (
                (count, forces, *contact_views(data, layout)),
                (world.rows, world.surfaces, world.is_foot, world.masses, world.inverses),
                (world.spans, world.meets, world.spots, world.spheres, world.normal, world.meets_now),
                motion,
                (state.wrench, state.rest, bodies.weight, bodies.down),
                _mirror_arrays(world) if mirror is not None else _no_mirror(world),
            ),
            (bodies.efforts, bodies.rows, bodies.signs, bodies.dofs, world.efforts),
            (*kept, world.coordinates, world.rates),
            (bodies.centres, bodies.planar, bodies.height),
            (outcome, warnings),
            bodies.part,
        )
        step = cls(arguments, kept, outcome)
        return step if step._sequence is not None else None

    def make(self, parts: int) -> StepOutcome:
        """Make a step in equal parts.

        Raises:
            MemoryError: The kernel did not get the memory it needs; nothing else stops it.
        """
        self._words[PARTS], self._outcome[0] = parts, _NOT_MADE
        if self._sequence is not None:
            self._sequence.run(0)
        return self.outcome()

    def step_call(self, parts: int) -> KernelCall:
        """Return the call that a step in equal parts is."""
        self._words[PARTS] = parts
        return self.call

    def outcome(self) -> StepOutcome:
        """Return how the last step came out.

        Raises:
            MemoryError: It was not made.
        """
        kind, which = self._outcome.tolist()
        if kind == _NOT_MADE:
            raise MemoryError("not enough memory for a step of the mujoco engine; use fewer bodies, or free some")
        return StepOutcome(kind, which)


def _calls(world: "Model") -> Calls:
    model, data = addresses(world.model, world.data)
    before = (*(_FLEXES if world.model.nflex else ()), *(_TENDONS if world.model.ntendon else ()))
    contacts = _COLLIDE, _CONSTRAIN, _VELOCITIES, _PASSIVE, _FORCES, _AGAIN
    groups = _PLACES, (*before, *_MASSES), *contacts, _MOVES.get(world.integrator, _EULER), _SPEEDS
    begins = np.cumsum([0, *map(len, groups)]).astype(np.int64)
    sizes = world.model
    is_rigid = not (sizes.nflex or sizes.ntendon or sizes.nu)
    words = np.zeros(PARTS + 1, np.int64)
    words[:IS_KNOWN] = (
        model,
        data,
        functions(("mj_rne",))[0],
        world.data.qfrc_bias.ctypes.data,
        world.mirror is not None,
        is_rigid,
    )
    return functions([name for group in groups for name in group]), begins, words


def _mirror_arrays(world: "Model") -> tuple[Any, ...]:
    mirror = world.mirror
    assert mirror is not None  # noqa: S101 - asked for then alone
    numbers = mirror.ids, mirror.roots, mirror.free, mirror.addresses, mirror.dofs[0], mirror.diagonals
    return (
        *world.seen,
        *numbers,
        world.outer,
        world.data.M,
        world.inertias,
        world.data.qacc,
        world.gains,
        world.flying,
    )


def _no_mirror(world: "Model") -> tuple[Any, ...]:
    """Return arrays of the same kinds, so that one kernel serves worlds with and without a mirror."""
    data, none = world.data, np.zeros(0, np.int64)
    seen = data.xpos, data.xquat, data.cvel, data.subtree_com
    return (
        *seen,
        none,
        none,
        none,
        np.zeros((0, 2), np.int64),
        none,
        none,
        data.xfrc_applied,
        data.M,
        np.zeros(0),
        data.qacc,
        data.qacc,
        world.flying,
    )
