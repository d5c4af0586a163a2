"""Large worlds of bodies that all move freely, compiled in a time that grows with their number, not with its square.

MuJoCo solves the equations of the whole world once for each body and once for each joint, to know the inertia that
forces meet there. Bodies that only slide are spared that. So free joints are compiled in small groups, and the whole
with six slides in place of each; then the numbers of the groups are put into the binary form of the whole. The model
is the same to the byte as if it had been compiled at once.

Source: MuJoCo's `engine_setconst.c`; the binary form is that of `mj_saveModel`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.space.binding import mujoco
from coopsim.features.space.grips import SpatialJoint
from coopsim.features.space.solids import Solid

_WIDTH = 6  # directions in which a free body moves
_SLIDES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))  # after the first, along x
_LINE = 64  # bytes; each array begins at a multiple
_SIZES, _SIZE = 20, 8  # bytes; before the sizes, and of one
_OF_COORDINATES = "qpos0", "qpos_spring", "dof_invweight0", "dof_M0", "dof_length"
_OF_BODIES = "body_invweight0", "body_simple"
_EMPTY = -1  # place in MuJoCo's table of names

Arrays: TypeAlias = dict[str, NDArray[Any]]


class BinaryLayout(NamedTuple):
    """Form of a saved model: a head with sizes and options, then all arrays.

    Attributes:
        head: Length of the head [bytes].
        sizes: Where the head has a size, by name [bytes].
    """

    head: int
    sizes: dict[str, int]


class FreeJoints:
    """Free joints of a world, which is compiled with slides in their place."""

    def __init__(self, layout: BinaryLayout) -> None:
        self._layout = layout
        self._joint: Arrays = {}
        self._groups: list[Arrays] = []

    def exchange(self, group: mujoco.MjSpec) -> None:
        """Note what MuJoCo makes of the free joints of a group, and put slides in their place.

        Raises:
            ValueError: MuJoCo refuses the group.
        """
        model = group.compile()
        bodies = model.jnt_bodyid
        if bodies.size and not self._joint:
            self._joint = {name: array[:1].copy() for name, array in _arrays(model).items() if name.startswith("jnt_")}
        noted = {name: getattr(model, name).copy() for name in _OF_COORDINATES}
        self._groups.append(noted | {name: getattr(model, name)[bodies] for name in _OF_BODIES})
        for body in group.bodies:
            joint = body.first_joint()
            if joint is not None:
                joint.type, joint.axis = mujoco.mjtJoint.mjJNT_SLIDE, (1, 0, 0)
                for axis in _SLIDES:
                    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)

    def restored(self, model: mujoco.MjModel) -> mujoco.MjModel:
        """Return the world with free joints again, in place of the slides of `model`."""
        head, slid = bytearray(_saved(model)[: self._layout.head]), _pieces(model)
        new = self._renewed(slid, model.nbody)
        pieces = {name: new.get(name, array) for name, array in slid.items()}
        sizes = {"njnt": pieces["jnt_type"].size, "nq": pieces["qpos0"].size, "nbuffer": _room(pieces.values())}
        sizes |= {"nnames": pieces["names"].size, "nnames_map": pieces["names_map"].size}
        for name, size in sizes.items():
            begin = self._layout.sizes[name]
            head[begin : begin + _SIZE] = size.to_bytes(_SIZE, "little")
        saved = b"".join([bytes(head), *(array.tobytes() for array in pieces.values())])
        whole = mujoco.MjModel.from_binary_path("world.mjb", {"world.mjb": saved})
        # summed up one after another, as MuJoCo does
        whole.stat.meaninertia = np.cumsum(whole.dof_M0)[-1] / whole.nv
        return whole

    def _renewed(self, old: Arrays, bodies: int) -> Arrays:
        """Return the arrays in which slides differ from free joints."""
        new = {name: np.concatenate([group[name] for group in self._groups]) for name in _OF_COORDINATES}
        moving = old["jnt_bodyid"][::_WIDTH]
        count, numbers = moving.size, np.arange(moving.size, dtype=np.int32)
        new |= {name: np.repeat(array, count, axis=0) for name, array in self._joint.items()}
        new["jnt_bodyid"], new["jnt_qposadr"], new["jnt_dofadr"] = moving, 7 * numbers, _WIDTH * numbers
        new["dof_jntid"] = np.repeat(numbers, _WIDTH)
        for name in _OF_BODIES:
            new[name] = old[name].copy()
            new[name][moving] = np.concatenate([group[name] for group in self._groups])
        new["body_jntnum"], new["body_jntadr"] = old["body_jntnum"].copy(), old["body_jntadr"].copy()
        new["body_jntnum"][moving], new["body_jntadr"][moving] = 1, numbers
        # names of joints are empty: each is the zero that ends it
        first, fewer = int(old["name_jntadr"][0]), (_WIDTH - 1) * count
        for name, array in old.items():
            if name.startswith("name_"):
                new[name] = np.where(array > first, array - fewer, array).astype(array.dtype)
        new["name_jntadr"] = first + numbers
        new["names"] = np.delete(old["names"], slice(first, first + fewer))
        # two places for each body, joint and so on, in this order
        new["names_map"] = np.delete(old["names_map"], slice(2 * bodies, 2 * (bodies + fewer)))
        return new


def free_joints(solids: Mapping[str, Solid], joints: Sequence[SpatialJoint]) -> FreeJoints | None:
    """Return what collects the free joints of a world; None where something else moves, or MuJoCo saves otherwise."""
    moving = [solid.spec for solid in solids.values() if solid.moves]
    # meshes belong to the whole, and nodes of soft bodies move on joints of their own
    is_plain = [not spec.is_bolted and spec.soft is None and not any(s.points for s in spec.shapes) for spec in moving]
    layout = binary_layout() if moving and not joints and all(is_plain) else None
    return None if layout is None else FreeJoints(layout)


@cache
def binary_layout() -> BinaryLayout | None:
    """Return how MuJoCo saves models, found by a look at one; None where it is not as expected."""
    sample = _sample()
    saved, pieces = _saved(sample), _pieces(sample)
    arrays = b"".join(array.tobytes() for array in pieces.values())
    head = len(saved) - len(arrays)
    if not saved.endswith(arrays) or _room(pieces.values()) != sample.nbuffer:
        return None
    words = np.frombuffer(saved[_SIZES : _SIZES + (head - _SIZES) // _SIZE * _SIZE], np.int64)
    sizes = {}
    for name in ("nq", "njnt", "nnames", "nnames_map", "nbuffer"):
        places = np.flatnonzero(words == getattr(sample, name))
        if places.size != 1:
            return None
        sizes[name] = _SIZES + _SIZE * int(places[0])
    return BinaryLayout(head, sizes)


def _sample() -> mujoco.MjModel:
    """Return a model with so many parts that no two of the sizes looked for are the same."""
    spec = mujoco.MjSpec()
    for k in range(5):
        body = spec.worldbody.add_body(name=f"body{k}", mass=1.0, inertia=[1.0, 1.0, 1.0], explicitinertial=True)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        for axis in _SLIDES[:2]:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0.0, 0.0])
    return spec.compile()


def _saved(model: mujoco.MjModel) -> bytes:
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def _arrays(model: mujoco.MjModel) -> Arrays:
    """Return all arrays of a model in their order, views."""
    named = [(name, getattr(model, name)) for name in dir(model) if not name.startswith("_")]
    arrays = [(name, array) for name, array in named if isinstance(array, np.ndarray)]
    return dict(sorted(arrays, key=lambda named: int(named[1].__array_interface__["data"][0])))


def _pieces(model: mujoco.MjModel) -> Arrays:
    """Return what is saved after the head, in its order."""
    pieces: Arrays = {}
    for name, array in _arrays(model).items():
        if name == "names_map":
            pieces["names"] = np.frombuffer(model.names, np.uint8)
        if array.size:
            pieces[name] = array
        if name == "names_map":
            pieces["paths"] = np.frombuffer(model.paths, np.uint8)
    return pieces


def _room(pieces: Iterable[NDArray[Any]]) -> int:
    """Return how much memory arrays take, one after another and from the first line on [bytes]."""
    end = 0
    for array in pieces:
        end += -end % _LINE + array.nbytes
    return end + _LINE - 1  # memory may begin within a line
