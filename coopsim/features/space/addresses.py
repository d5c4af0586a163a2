"""Addresses of MuJoCo's functions and of what it finds anew in each step, so that kernels reach both without Python.

MuJoCo says where its arrays are, but of contacts and their forces only through objects that are made at each look. So
the places of a few numbers within its data are found once, by looking for values that are known. Where that fails, as
with a MuJoCo that keeps them in another way, steps are made from Python.
"""

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coopsim.features.space.binding import complaints, mujoco
from coopsim.geometry import Floats, Ints
from coopsim.kernels.native import is_possible

_WORD, _INT = 8, 4  # bytes
_CASES = (11, 7, 5, 0)  # boxes on a floor; fewer each time, since MuJoCo notes the most there were
_FIELDS = ("geom", "dim", "dist", "pos", "frame", "friction", "solref", "solreffriction", "efc_address")


class DataLayout(NamedTuple):
    """Offsets in bytes.

    Attributes:
        contact_count: Of the number of contacts in MuJoCo's data.
        contacts: Of the pointer to the first contact; it points to the same place all the time.
        forces: Of the pointer to the forces of all constraints, which moves.
        size: Of one contact.
        fields: Of a contact's fields, by name: offset, type and shape.
    """

    contact_count: int
    contacts: int
    forces: int
    size: int
    fields: dict[str, tuple[int, np.dtype[Any], tuple[int, ...]]]


class ContactViews(NamedTuple):
    """Fields of all contacts that there may be, views; as many are filled as there are contacts."""

    geoms: Any
    kinds: Any
    gaps: Floats
    spots: Floats
    frames: Floats
    friction: Floats
    hardness: Floats
    hold: Floats
    starts: Any


@cache
def data_layout() -> DataLayout | None:
    """Return where MuJoCo's data has what it finds in a step; None where it cannot be told."""
    if not is_possible() or not _library():
        return None
    model = _boxes(_CASES[0])
    data, counts, pointers = mujoco.MjData(model), set[int](), set[tuple[int, int]]()
    for present in _CASES:
        # the others are lifted off the floor: the number of contacts changes, and with it what stands for it
        data.qpos.reshape(-1, 7)[present:, 2] = 5.0
        mujoco.mj_forward(model, data)
        if not present:
            continue
        addresses = _pointers(data)
        if addresses is None:
            return None
        pointers.add(addresses)
        numbers = np.frombuffer(_memory(_address(data), addresses[1]), np.int32)
        # every place that shows the right number; those that are right by chance drop out from case to case
        places = set((_INT * np.flatnonzero(numbers == data.ncon)).tolist())
        counts = places if present == _CASES[0] else counts & places
        if present == _CASES[-2]:
            size, fields = _contact_fields(data)
    complaints.clear()
    # without contacts it must be 0, which what only counts the most there ever were is not
    left = [count for count in counts if ctypes.c_int32.from_address(_address(data) + count).value == 0]
    if len(left) != 1 or len(pointers) != 1 or _WORD * (size // _WORD) != size:
        return None
    contacts, forces = pointers.pop()
    return DataLayout(left[0], contacts, forces, size, fields)


def contact_views(data: mujoco.MjData, layout: DataLayout) -> ContactViews:
    """Return the contacts of MuJoCo's data, as many as it has room for."""
    begin = ctypes.c_int64.from_address(_address(data) + layout.contacts).value
    # contacts lie in the arena and can never be more than fill it
    count = int(data.narena) // layout.size
    memory = np.frombuffer(_memory(begin, count * layout.size), np.uint8)
    views = []
    for name in _FIELDS:
        offset, kind, shape = layout.fields[name]
        # from contact to contact by the size of one, whatever else lies between
        strides = (layout.size, kind.itemsize)[: 1 + len(shape)]
        views.append(np.ndarray((count, *shape), kind, memory, offset, strides))
    return ContactViews(*views)


def heads(data: mujoco.MjData, layout: DataLayout) -> tuple[Any, Ints]:
    """Return views of the number of contacts, shape (1,), and of where the forces begin, shape (1,)."""
    at = _address(data)
    count = np.frombuffer(_memory(at + layout.contact_count, _INT), np.int32)
    return count, np.frombuffer(_memory(at + layout.forces, _WORD), np.int64)


def functions(names: Sequence[str]) -> Ints:
    """Return the addresses of MuJoCo's functions."""
    library = ctypes.CDLL(_library())
    return np.array([ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in names], np.int64)


def addresses(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[int, int]:
    """Return where a model and its data are."""
    return _address(model), _address(data)


def _address(struct: "mujoco.MjModel | mujoco.MjData") -> int:
    return int(struct._address)  # noqa: SLF001 - MuJoCo has no other name for it


def _library() -> str:
    """Return the file of MuJoCo's library, which Python has loaded; empty where there is none."""
    libraries = sorted(Path(mujoco.__file__).parent.glob("libmujoco*"))
    return str(libraries[0]) if len(libraries) == 1 else ""


def _boxes(count: int) -> mujoco.MjModel:
    """Return boxes that lie on a floor, each with four contacts."""
    model = mujoco.MjSpec()
    model.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    for k in range(count):
        body = model.worldbody.add_body(pos=[k, 0.0, 0.09])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    return model.compile()


def _pointers(data: mujoco.MjData) -> tuple[int, int] | None:
    """Return where the data has the pointers to contacts and to forces, None if they are not there."""
    first, forces = _start(data.contact.dist), _start(data.efc_force)
    begin, last = _address(data), None
    # forces lie behind the contacts, whose pointer is the last one of its value before
    for offset in range(0, _size(begin) - _WORD + 1, _WORD):
        value = ctypes.c_int64.from_address(begin + offset).value
        if value == first:
            last = offset
        if value == forces:
            return None if last is None else (last, offset)
    return None


def _size(begin: int) -> int:
    """Return how much memory lies at an address that the C library gave, 0 where it does not tell."""
    ask = getattr(ctypes.CDLL(None), "malloc_usable_size" if sys.platform == "linux" else "malloc_size", None)
    if ask is None:
        return 0
    ask.restype, ask.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
    return int(ask(begin))


def _contact_fields(data: mujoco.MjData) -> tuple[int, dict[str, tuple[int, np.dtype[Any], tuple[int, ...]]]]:
    first, fields = _start(data.contact.dist), {}
    for name in _FIELDS:
        view = getattr(data.contact, name)
        fields[name] = (_start(view) - first, view.dtype, view.shape[1:])
    return int(data.contact.dist.strides[0]), fields


def _start(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _memory(begin: int, size: int) -> Any:
    return (ctypes.c_byte * size).from_address(begin)
