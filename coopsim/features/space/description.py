"""MuJoCo's description of a world: its options, and bodies that are added in groups where there are many.

MuJoCo lists all bodies, joints and shapes of a description anew with each one that is added to it: ten thousand robots
would take minutes. Groups are small descriptions, attached to sections, and those to the whole; what is compiled is
the same to the bit.

Source: MuJoCo's documentation, "Model Editing", section "Attachment".
"""

import contextlib
import warnings
from collections.abc import Iterator

from coopsim.errors import EngineCannot
from coopsim.features.space.binding import complaints, mujoco
from coopsim.features.space.free_bodies import FreeJoints
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS
from coopsim.kernels.constants import GRAVITY
from coopsim.memory import return_freed_memory

MOST = 64
"""Bodies of a group without what hangs on them; of 32 to 256 the time is about the same.

It is even: MuJoCo adds up four numbers at a time, and six of each free body before a group must not shift its own.
"""
_GROUPS = 16
"""Groups of a section: attaching takes a time that grows with what is there already."""
_FEW = 256  # bodies; in smaller worlds groups gain nothing
_ARENA, _ARENA_PER_BODY = 64 << 20, 128 << 10  # bytes
OF_MUJOCO = {
    **dict.fromkeys((*INTEGRATORS, AWAKE), mujoco.mjtIntegrator.mjINT_EULER),
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
"""Integrators of MuJoCo by names of ours."""


class Trees:
    """Bodies of a world with all that hangs on them, in the order in which they are added.

    Args:
        whole: Description of the world.
        bodies: How many there will be; those that move come first.
        free: Takes their free joints where there are many; None = something else moves.

    Attributes:
        whole: See above.
        free: None in small worlds.
    """

    def __init__(self, whole: mujoco.MjSpec, bodies: int, free: FreeJoints | None = None) -> None:
        self.whole, self._is_large = whole, bodies > _FEW
        self.free = free if self._is_large else None
        self._group: mujoco.MjSpec | None = None
        self._section: mujoco.MjSpec | None = None
        self._count = self._groups = 0

    def parent(self, *, is_whole: bool) -> mujoco.MjsBody:
        """Return the body to which the next one is added.

        Args:
            is_whole: Whether it needs what the world's own description has, such as meshes.
        """
        if is_whole:
            self.attach()
        elif self._count >= MOST:
            self._attach_group()
        if is_whole or not self._is_large:
            return self.whole.worldbody
        if self._group is None:
            self._group = _part()
        self._count += 1
        return self._group.worldbody

    def attach(self) -> None:
        """Attach what was begun, if anything: the next body comes after it."""
        self._attach_group()
        if self._section is not None:
            _attach(self._section, self.whole)
        self._section, self._groups = None, 0

    def with_data(self, model: mujoco.MjModel) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """Return the compiled world, with free joints where slides stand for them, and memory for its motion.

        The description is gone then.

        Raises:
            EngineCannot: There is not so much memory.
        """
        del self.whole
        if self.free is not None:
            return_freed_memory()
        with _refusals():
            whole = model if self.free is None else self.free.restored(model)
            data = mujoco.MjData(whole)
        complaints.clear()
        return whole, data

    def _attach_group(self) -> None:
        """Attach the group that was begun, if any, to its section, and that to the whole when it is full."""
        if self._group is None:
            return
        if self.free is not None:
            with _refusals():
                self.free.exchange(self._group)
        if self._section is None:
            self._section = _part()
        _attach(self._group, self._section)
        self._group, self._count = None, 0
        self._groups += 1
        if self._groups >= _GROUPS:
            self.attach()


def _part() -> mujoco.MjSpec:
    """Return the empty description of a part of a world."""
    part = mujoco.MjSpec()
    part.compiler.degree = False
    return part


def _attach(part: mujoco.MjSpec, whole: mujoco.MjSpec) -> None:
    whole.attach(part, frame=whole.worldbody.add_frame(), prefix="", suffix="")
    complaints.clear()  # MuJoCo would like a prefix; names differ without one


def empty_description(bodies: int) -> mujoco.MjSpec:
    """Return the description of a world without bodies, with memory for this many."""
    whole = mujoco.MjSpec()
    # reserved, not used: contacts and forces of a step have room in it however many there are
    whole.memory = _ARENA + bodies * _ARENA_PER_BODY
    # threads at compiling small worlds cost more than they save
    whole.compiler.usethread = False
    whole.compiler.degree = False
    _set_options(whole.option)
    return whole


def compiled(whole: mujoco.MjSpec) -> mujoco.MjModel:
    """Return what MuJoCo makes of a description.

    Raises:
        EngineCannot: MuJoCo refuses it.
    """
    with _refusals(), warnings.catch_warnings():
        # bodies have names of their own already
        warnings.filterwarnings("ignore", "Attaching a spec with an empty prefix")
        model = whole.compile()
    complaints.clear()
    return model


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """Raise what MuJoCo refuses as `EngineCannot`."""
    try:
        yield
    except (ValueError, mujoco.FatalError) as problem:
        raise EngineCannot(f"MuJoCo cannot build this world: {' '.join(str(problem).split())}") from problem


def _set_options(option: mujoco.MjOption) -> None:
    option.gravity = [0.0, 0.0, -GRAVITY]
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 20.0
    option.tolerance = 1e-10
    # bodies have few shapes: trees of their boxes cost more than they save
    option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
