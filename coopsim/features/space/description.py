"""MuJoCo's description of a world: its options, and bodies that are added in groups where there are many.

MuJoCo lists all bodies, joints and shapes of a description anew with each one that is added to it: ten thousand robots
would take minutes. Groups are small descriptions, attached to sections, and those to the whole; what is compiled is
the same to the bit.

Source: MuJoCo's documentation, "Model Editing", section "Attachment".
"""

import contextlib
import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from coopsim.engines.contract import BodySpec
from coopsim.errors import EngineCannot
from coopsim.features.space.binding import complaints, mujoco
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS
from coopsim.features.space.grips import SpatialJoint
from coopsim.features.space.merging import CompiledPart, can_merge, merged
from coopsim.features.space.solids import Solid, reserved
from coopsim.geometry import Ints
from coopsim.kernels.constants import GRAVITY
from coopsim.memory import return_freed_memory
from coopsim.scene.measures import POLYGON

MOST = 64
"""Bodies of a group without what hangs on them; of 32 to 256 the time is about the same."""
_GROUPS = 16
"""Groups of a section: attaching takes a time that grows with what is there already."""
_FEW = 256  # bodies; in smaller worlds groups gain nothing
_CARRIED = "hinge", "slide", "support"
"""Kinds of joints that have carriages, where they are not chained."""
OF_MUJOCO = {
    **dict.fromkeys((*INTEGRATORS, AWAKE), mujoco.mjtIntegrator.mjINT_EULER),
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
"""Integrators of MuJoCo by names of ours."""

Part: TypeAlias = tuple[Sequence[str], Sequence[SpatialJoint]]
"""Names of bodies, and what joins them."""


class Trees:
    """Bodies of a world with all that hangs on them, in the order in which they are added.

    Args:
        whole: Description of the world.
        bodies: How many there will be; those that move come first.
    """

    def __init__(self, whole: mujoco.MjSpec, bodies: int) -> None:
        self.whole, self._is_large = whole, bodies > _FEW
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

    def _attach_group(self) -> None:
        """Attach the group that was begun, if any, to its section, and that to the whole when it is full."""
        if self._group is None:
            return
        if self._section is None:
            self._section = _part()
        _attach(self._group, self._section)
        self._group, self._count = None, 0
        self._groups += 1
        if self._groups >= _GROUPS:
            self.attach()


def independent_parts(names: Sequence[str], joints: Sequence[SpatialJoint], solids: Mapping[str, Solid]) -> list[Part]:
    """Return the bodies and joints of a world in parts that no joint ties to each other, in their order.

    Small worlds, and those that cannot be taken apart in this order, are one part. Meshes and nodes of soft bodies
    belong to the whole.

    Args:
        names: Of all bodies, in the order in which they are added.
        joints: In the order in which they are read.
        solids: All bodies by name.
    """
    whole = [(names, joints)]
    if len(names) <= _FEW or not can_merge() or any(_belongs_to_whole(solid.spec) for solid in solids.values()):
        return whole
    row = {name: k for k, name in enumerate(names)}
    spans = _spans(row, joints)
    ends = _ends(spans, len(names))
    part_of = np.searchsorted(ends, spans[:, 0], side="right")
    # MuJoCo numbers constraints as they were added, bodies and what hangs on them as they are
    is_numbered = [
        not joint.spec.is_chained or bool(joint.spec.dynamics and joint.spec.dynamics.follows) for joint in joints
    ]
    if (np.diff(part_of[np.array(is_numbered, np.bool_)]) < 0).any():
        return whole
    joints_of: list[list[SpatialJoint]] = [[] for _ in ends]
    for joint, part in zip(joints, part_of.tolist(), strict=True):
        joints_of[part].append(joint)
    return [(names[i:j], joints_of[k]) for k, (i, j) in enumerate(pairwise([0, *ends]))]


def carriages(joints: Sequence[SpatialJoint]) -> int:
    """Return how many bodies joints have of their own."""
    return sum(joint.spec.kind in _CARRIED and not joint.spec.is_chained for joint in joints)


def has_dofs(part: Part, solids: Mapping[str, Solid], holder: Container[str]) -> bool:
    """Return whether something moves in a part; `holder` has the names of bodies that hang on chained joints."""
    names, joints = part
    moves = any(joint.spec.is_movable or joint.spec.kind == "support" for joint in joints)
    return moves or any(solids[k].moves and not solids[k].spec.is_bolted and k not in holder for k in names)


def _spans(row: Mapping[str, int], joints: Sequence[SpatialJoint]) -> Ints:
    """Return the first and the last body that each joint ties, also by what it follows, shape (j, 2)."""
    specs = {joint.spec.name: joint.spec for joint in joints}
    spans = np.zeros((len(joints), 2), np.int64)
    for k, spec in enumerate(specs.values()):
        leader = specs.get(spec.dynamics.follows) if spec.dynamics is not None else None
        rows = [row[name] for joint in (spec, leader or spec) for name in (joint.a, joint.b)]
        spans[k] = min(rows), max(rows)
    return spans


def _ends(spans: Ints, count: int) -> list[int]:
    """Return how many of so many bodies there are up to the end of each part; `spans` as `_spans` returns them."""
    last = np.arange(count)
    np.maximum.at(last, spans[:, 0], spans[:, 1])
    ends = [0]
    for end in (np.flatnonzero(np.maximum.accumulate(last) == np.arange(count)) + 1).tolist():
        if min(end - ends[-1], count - end) >= MOST:
            ends.append(end)
    return [*ends[1:], count]


def _belongs_to_whole(spec: BodySpec) -> bool:
    return spec.soft is not None or any(shape.points or shape.kind == POLYGON for shape in spec.shapes)


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
    whole.memory = reserved(bodies)
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


def with_data(model: mujoco.MjModel) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return a compiled world with memory for its motion.

    Raises:
        EngineCannot: There is not so much memory.
    """
    with _refusals():
        data = mujoco.MjData(model)
    complaints.clear()
    return model, data


def merged_with_data(base: mujoco.MjModel, parts: Sequence[CompiledPart]) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return the world of parts with memory for its motion; `base` has its floor.

    Raises:
        EngineCannot: There is not so much memory.
    """
    return_freed_memory()
    with _refusals():
        model, data = merged(base, parts)
    complaints.clear()
    return model, data


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
