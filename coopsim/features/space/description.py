"""MuJoCo's description of a world: its options, and bodies that are added in groups where there are many.

MuJoCo lists all bodies, joints and shapes of a description anew with each one that is added to it: ten thousand robots
would take minutes. Groups are small descriptions, attached one after another; what is compiled is the same to the bit.

Source: MuJoCo's documentation, "Model Editing", section "Attachment".
"""

import warnings

from coopsim.errors import EngineCannot
from coopsim.features.space.binding import complaints, mujoco
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS
from coopsim.kernels.constants import GRAVITY

MOST = 64
"""Bodies of a group without what hangs on them; of 32 to 256 the time is about the same."""
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
        bodies: How many there will be.
    """

    def __init__(self, whole: mujoco.MjSpec, bodies: int) -> None:
        self._whole, self._is_large = whole, bodies > _FEW
        self._group: mujoco.MjSpec | None = None
        self._count = 0

    def parent(self, *, is_whole: bool) -> mujoco.MjsBody:
        """Return the body to which the next one is added.

        Args:
            is_whole: Whether it needs what the world's own description has, such as meshes.
        """
        if is_whole or self._count >= MOST:
            self.attach()
        if is_whole or not self._is_large:
            return self._whole.worldbody
        if self._group is None:
            self._group = mujoco.MjSpec()
            self._group.compiler.degree = False
        self._count += 1
        return self._group.worldbody

    def attach(self) -> None:
        """Attach the group that was begun, if any: the next body comes after it."""
        if self._group is not None:
            self._whole.attach(self._group, frame=self._whole.worldbody.add_frame(), prefix="", suffix="")
            complaints.clear()  # MuJoCo would like a prefix; names differ without one
        self._group, self._count = None, 0


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


def compiled(whole: mujoco.MjSpec) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return what MuJoCo makes of a description.

    Raises:
        EngineCannot: MuJoCo refuses it.
    """
    try:
        with warnings.catch_warnings():
            # bodies have names of their own already
            warnings.filterwarnings("ignore", "Attaching a spec with an empty prefix")
            model = whole.compile()
        data = mujoco.MjData(model)
        complaints.clear()
    except (ValueError, mujoco.FatalError) as problem:
        raise EngineCannot(f"MuJoCo cannot build this world: {' '.join(str(problem).split())}") from problem
    return model, data


def _set_options(option: mujoco.MjOption) -> None:
    option.gravity = [0.0, 0.0, -GRAVITY]
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 20.0
    option.tolerance = 1e-10
    # bodies have few shapes: trees of their boxes cost more than they save
    option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
