"""Large worlds of independent parts, compiled in a time that grows with their number, not with its square.

MuJoCo solves the equations of the whole world once for each body and once for each joint, to know the inertia that
forces meet there. Parts that no joint ties to each other are therefore compiled alone. The model of the world is put
together from their arrays, in MuJoCo's binary form. It is the same to the byte as if it had been compiled at once.

Source: MuJoCo's `mjxmacro.h` lists the arrays, `engine_setconst.c` what is computed of the whole; the binary form is
that of `mj_saveModel`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.space.binding import mujoco
from coopsim.geometry import Floats, Ints

AT_A_TIME, AFTER = 4, 3
"""Numbers that MuJoCo adds up at once; dofs that keep those of a part from the rest, which it adds one by one."""
_LINE = 64  # bytes; each array begins at a multiple
_SIZES, _SIZE = 20, 8  # bytes; before the sizes, and of one
_EMPTY = -1  # place in MuJoCo's table of names
_SEED, _MULTIPLIER = 5381, 33  # of the hash by which that table finds them
_LEAST, _NO_PLANE = 1e-5, 0.01  # m; MuJoCo's bounds of the size of a body, and its radius of an endless plane

_UNITS = {
    "nbody": "body_parentid body_rootid body_weldid dof_bodyid jnt_bodyid geom_bodyid site_bodyid tree_bodyadr",
    "njnt": "body_jntadr dof_jntid",
    "nv": "body_dofadr jnt_dofadr dof_parentid tree_dofadr M_colind D_colind ten_J_colind",
    "nq": "jnt_qposadr",
    "ntree": "body_treeid dof_treeid tendon_treeid",
    "ngeom": "body_geomadr bvh_nodeid",
    "nsite": "wrap_objid",
    "nbvh": "body_bvhadr",
    "nwrap": "tendon_adr",
    "nJten": "ten_J_rowadr",
    "nM": "dof_Madr mapM2M",
    "nC": "M_rowadr mapM2D",
    "nD": "D_rowadr mapD2M",
}
_UNIT = {name: unit for unit, names in _UNITS.items() for name in names.split()}
"""What the numbers in an array count, by its name."""

_BODIES = """
<body name="cart{0}"><joint type="slide"/><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body>
<body name="base{0}" pos="{0} 0.2 0.3"><freejoint/><geom size="0.1"/><geom size="0.2" pos="0.1 0 0"/>
  <site name="near{0}" pos="0 0 0.1"/>
  <body name="link{0}" pos="0 0.3 0.1"><geom size="0.1 0.2 0.3" type="box"/><site name="far{0}"/>
    <joint name="turn{0}"/><joint name="way{0}" type="slide"/>
  </body>
</body>
<body name="wall{0}"><geom size="0.3"/></body>
<body name="sled{0}"><joint type="slide"/><geom size="0.1"/></body>
"""
"""Of a part; it begins and ends with dofs that only slide, which MuJoCo counts on from one part to the next."""
_PAD = '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{}</body>'
_TENDON = '<spatial name="spring{0}" stiffness="5"><site site="near{0}"/><site site="far{0}"/></spatial>'
_EQUALITIES = '<weld site1="near{0}" site2="far{0}"/>', '<joint joint1="turn{0}" joint2="way{0}"/>'

Arrays: TypeAlias = dict[str, NDArray[Any]]


class CompiledPart(NamedTuple):
    """A part that was compiled alone, between dofs that only pad it.

    MuJoCo adds up four numbers at a time. So a part begins after as many dofs, of four, as it does in the whole; and
    three come after it where others follow there: the last ones of a world are added one by one.

    Attributes:
        before: How many dofs pad it in front.
        after: How many do behind.
    """

    model: mujoco.MjModel
    before: int
    after: int


def pad(spec: mujoco.MjSpec, dofs: int) -> int:
    """Add a body with so many dofs, and return how many."""
    if dofs:
        body = spec.worldbody.add_body(mass=1.0, inertia=[1.0, 1.0, 1.0], explicitinertial=True)
        for axis in np.eye(3)[:dofs].tolist():
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    return dofs


def merged(base: mujoco.MjModel, parts: Sequence[CompiledPart]) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return the model of a world of independent parts, and memory for its motion.

    Args:
        base: The world without them: its options, and all that is fixed to the world itself.
        parts: In their order.

    Raises:
        ValueError: MuJoCo refuses the world.
        mujoco.FatalError: There is not so much memory.
    """
    return _put_together(base, parts, _order())


def _put_together(
    base: mujoco.MjModel, parts: Sequence[CompiledPart], order: Sequence[str]
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    merger, saved = _Merger(base, parts), _saved(base)
    pieces = merger.pieces(order)
    head = len(saved) - sum(array.nbytes for array in _pieces(base).values())
    # the last size is that of all arrays
    words = np.frombuffer(saved, np.int64, (head - _SIZES) // _SIZE, _SIZES)
    count = int(np.flatnonzero(words == base.nbuffer)[0]) + 1
    sizes = merger.sizes(count)
    sizes[-1] = _room(pieces.values())
    front = saved[:_SIZES] + sizes.tobytes() + saved[_SIZES + _SIZE * count : head]
    files = {"world.mjb": b"".join([front, *(array.tobytes() for array in pieces.values())])}
    whole = mujoco.MjModel.from_binary_path("world.mjb", files)
    data = mujoco.MjData(whole)
    _set_statistics(whole, data)
    return whole, data


class _Merger:
    """Puts the arrays of parts one after another, and shifts the numbers in them."""

    def __init__(self, base: mujoco.MjModel, parts: Sequence[CompiledPart]) -> None:
        self._models = [base, *(part.model for part in parts)]
        # what is before and behind each part, and the world alone, which each has; nothing before the first
        padded = [_padding(dofs, parts[0].model.narena) for dofs in range(AT_A_TIME)]
        self._before = [None, *(padded[part.before] for part in parts)]
        self._after = [padded[0], *(padded[part.after] for part in parts)]
        self._alone = padded[0]
        self._shifts = {unit: self._shift(unit) for unit in _UNITS}

    def _shift(self, unit: str) -> Ints:
        """Return by how much numbers that count something grow in each part."""
        fronts = [getattr(front, unit) if front is not None else 0 for front in self._before]
        backs = [getattr(back, unit) - getattr(self._alone, unit) for back in self._after]
        counts = [getattr(model, unit) for model in self._models]
        return _sums_before(np.array(counts) - fronts - backs) - fronts

    def sizes(self, count: int) -> Ints:
        """Return the sizes of the whole, the last of which is not known yet."""
        sizes, alone = _sizes(self._models[0], count).copy(), _sizes(self._alone, count)
        for model, front, back in zip(self._models[1:], self._before[1:], self._after[1:], strict=True):
            sizes += _sizes(model, count) - _sizes(front, count) - _sizes(back, count) + alone
        return sizes

    def pieces(self, order: Iterable[str]) -> Arrays:
        """Return the arrays of the whole."""
        pieces: Arrays = {}
        for name in order:
            if name == "names":
                pieces |= self._names(pieces)
            elif name == "paths":
                pieces[name] = np.zeros(1, np.uint8)
            elif name not in pieces:
                pieces[name] = self._shifted(name)
        self._mend(pieces)
        return {name: pieces[name] for name in order if pieces[name].size}

    def _rows(self, name: str) -> list[NDArray[Any]]:
        """Return the rows of each part in an array, without those of the world and of what pads it."""
        alone, rows = len(getattr(self._alone, name)), []
        for model, front, back in zip(self._models, self._before, self._after, strict=True):
            array = getattr(model, name)
            begin = 0 if front is None else len(getattr(front, name))
            rows.append(array[begin : len(array) - len(getattr(back, name)) + alone])
        return rows

    def _shifted(self, name: str) -> NDArray[Any]:
        rows = self._rows(name)
        whole = np.concatenate(rows)
        if name in _UNIT:
            unit = _UNIT[name]
            shift = np.repeat(self._shifts[unit], [len(array) for array in rows]).astype(whole.dtype)
            shift = shift.reshape(-1, *[1] * (whole.ndim - 1))
            # body 0 is the world; -1 is none
            whole = np.where(whole >= (unit == "nbody"), whole + shift, whole)
        return whole

    def _mend(self, pieces: Arrays) -> None:
        """Write what the whole has otherwise than its parts."""
        if "exclude_signature" in pieces:
            # two bodies in one number
            counts = [model.nexclude for model in self._models]
            pieces["exclude_signature"] += (np.repeat(self._shifts["nbody"], counts) * 0x10001).astype(np.int32)
        pieces |= self._equalities(pieces)
        # the dofs below each body; the world's are all
        dofs = np.arange(len(pieces["dof_bodyid"]), dtype=np.int32)
        pieces["B_colind"] = np.concatenate([dofs, *self._dofs_below()]).astype(np.int32)
        pieces["B_rownnz"][0] = dofs.size
        pieces["B_rowadr"] = _sums_before(pieces["B_rownnz"]).astype(np.int32)
        # of a simple dof the distance to the next that is not, or to the end
        is_simple = pieces["dof_simplenum"] > 0
        numbers, others = np.arange(is_simple.size), np.append(np.flatnonzero(~is_simple), is_simple.size)
        ahead = others[np.searchsorted(others, numbers)] - numbers
        pieces["dof_simplenum"] = ahead.astype(np.int32)
        roots = np.flatnonzero(pieces["body_parentid"][1:] == 0)[::-1] + 1
        # added one after another, as MuJoCo does
        pieces["body_subtreemass"][0] += np.cumsum([0.0, *pieces["body_subtreemass"][roots]])[-1]

    def _dofs_below(self) -> Iterator[Ints]:
        """Return the dofs of the trees below the bodies of each part, the world's left out, one after another."""
        for model, front, back, shift in zip(self._models, self._before, self._after, self._shifts["nv"], strict=True):
            padding = 0 if front is None else len(front.B_colind) - front.nv
            yield model.B_colind[model.nv + padding : len(model.B_colind) - len(back.B_colind) + back.nv] + shift

    def _equalities(self, pieces: Arrays) -> Arrays:
        """Return the arrays of constraints: those of followers come last, see `dynamics.add_followers`."""
        kinds = np.concatenate([model.eq_type for model in self._models])
        counts = [model.neq for model in self._models]
        if not kinds.size:
            return {}
        is_of_joints = kinds == int(mujoco.mjtEq.mjEQ_JOINT)
        of_joints, of_sites = (np.repeat(self._shifts[unit], counts) for unit in ("njnt", "nsite"))
        order = np.argsort(is_of_joints, kind="stable")
        equalities = {name: array for name, array in pieces.items() if name.startswith("eq_")}
        for name in ("eq_obj1id", "eq_obj2id"):
            shift = np.where(is_of_joints, of_joints, of_sites).astype(np.int32)
            equalities[name] = np.where(pieces[name] >= 0, pieces[name] + shift, pieces[name])
        return {name: array[order] for name, array in equalities.items()}

    def _names(self, pieces: Arrays) -> Arrays:
        """Return where names begin, the names, and MuJoCo's table of them."""
        kinds = [name for name in pieces if name.startswith("name_")]
        texts = [model.names for model in self._models]
        # in the names of a part those of a kind end where those of the next one begin, or of what pads it
        ends = [len(text) for text in texts]
        chunks: dict[str, list[bytes]] = {}
        lengths: dict[str, list[NDArray[Any]]] = {}
        for kind in reversed(kinds):
            for k, (model, rows) in enumerate(zip(self._models, self._rows(kind), strict=True)):
                addresses = np.append(getattr(model, kind), ends[k])
                if len(addresses) > 1:
                    first = int(np.searchsorted(addresses, rows[0])) if len(rows) else 0
                    edges = addresses[first : first + len(rows) + 1]
                    chunks.setdefault(kind, []).append(texts[k][edges[0] : edges[-1]] if len(rows) else b"")
                    lengths.setdefault(kind, []).append(np.diff(edges))
                    ends[k] = int(addresses[0])
        return _with_table(texts[0][: ends[0]], {kind: (chunks.get(kind, []), lengths.get(kind, [])) for kind in kinds})


def _with_table(title: bytes, names: Mapping[str, tuple[Sequence[bytes], Sequence[NDArray[Any]]]]) -> Arrays:
    """Return where names begin, the names, and MuJoCo's table of them, of names and their lengths by their kinds."""
    text = b"".join([title, *(chunk for chunks, _ in names.values() for chunk in chunks)])
    arrays, begin = {}, len(title)
    for kind, (_, lengths) in names.items():
        sizes = np.concatenate([np.zeros(0, np.int64), *lengths])
        arrays[kind] = (begin + _sums_before(sizes)).astype(np.int32)
        begin += int(sizes.sum())
    tables = np.concatenate([_table(text, addresses) for addresses in arrays.values()])
    return arrays | {"names": np.frombuffer(text, np.uint8), "names_map": tables}


def _padding(dofs: int, memory: int) -> mujoco.MjModel:
    """Return what pads parts, alone in a world with as much memory as theirs [bytes]."""
    spec = mujoco.MjSpec()
    spec.memory = memory
    pad(spec, dofs)
    return spec.compile()


def _sums_before(counts: NDArray[Any]) -> Ints:
    """Return how many there are before each."""
    sums: Ints = np.cumsum(counts, dtype=np.int64) - counts
    return sums


def _table(text: bytes, addresses: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return MuJoCo's table of names of one kind: two places for each, and a name in the first that is free."""
    characters = np.frombuffer(text, np.int8)
    hashes, places = np.full(addresses.size, _SEED, np.uint64), addresses.astype(np.int64)
    rows = np.flatnonzero(characters[places])
    named = rows.tolist()
    while rows.size:
        hashes[rows] = hashes[rows] * np.uint64(_MULTIPLIER) ^ characters[places[rows]].astype(np.int64).view(np.uint64)
        places[rows] += 1
        rows = rows[characters[places[rows]] != 0]
    size = 2 * addresses.size
    table = [_EMPTY] * size
    for row, first in zip(named, (hashes % np.uint64(max(size, 1)))[named].tolist(), strict=True):
        place = first
        while table[place] != _EMPTY:
            place = (place + 1) % size
        table[place] = row
    return np.array(table, np.int32)


def _set_statistics(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Write what MuJoCo knows of a world as a whole, added up in its order: sizes, masses and inertias."""
    mujoco.mj_kinematics(model, data)
    radii = np.maximum(model.geom_rbound, 0.0)
    bounds = radii + (model.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE)) * _NO_PLANE
    points = [data.xpos[1:], data.xipos[1:], data.xanchor, data.site_xpos]
    low = np.concatenate([*points, data.geom_xpos - bounds[:, np.newaxis]]).min(axis=0)
    high = np.concatenate([*points, data.geom_xpos + bounds[:, np.newaxis]]).max(axis=0)
    sizes = np.zeros(model.nbody)
    for bodies in (model.jnt_bodyid, model.body_parentid[model.jnt_bodyid]):
        np.maximum.at(sizes, bodies, _distances(data.xipos[bodies], data.xanchor))
    reach = radii + _distances(data.xipos[model.geom_bodyid], data.geom_xpos)
    np.maximum.at(sizes, model.geom_bodyid, np.where(radii > 0.0, reach, 0.0))
    count, stat = model.nbody - 1, model.stat
    stat.meansize = np.cumsum(np.maximum(sizes[1:], _LEAST) / count)[-1]
    stat.center, stat.extent = 0.5 * (low + high), max(_LEAST, (high - low).max(), 2.0 * stat.meansize)
    stat.meanmass = np.cumsum(model.body_mass[1:])[-1] / count
    if model.nv:
        stat.meaninertia = np.cumsum(model.dof_M0)[-1] / model.nv


def _distances(a: Floats, b: Floats) -> Floats:
    x, y, z = (a - b).T
    distances: Floats = np.sqrt(x * x + y * y + z * z)
    return distances


def can_merge() -> bool:
    """Return whether MuJoCo saves models as expected: a few small parts merge to what they are as one world."""
    return bool(_order())


@cache
def _order() -> tuple[str, ...]:
    """Return the names of the arrays of models in their order; none where MuJoCo saves them otherwise."""
    whole, parts, dofs = _sample(range(3), has_floor=True), [], 0
    for k in range(3):
        before, after = dofs % AT_A_TIME, AFTER * (k < 2)
        parts.append(CompiledPart(_sample([k], before, after), before, after))
        dofs += parts[-1].model.nv - before - after
    order = tuple(_pieces(whole))
    try:
        model, _ = _put_together(_sample([], has_floor=True), parts, order)
    except (AttributeError, ValueError, mujoco.FatalError):
        return ()
    return order if _saved(model) == _saved(whole) else ()


def _sample(numbers: Iterable[int], before: int = 0, after: int = 0, *, has_floor: bool = False) -> mujoco.MjModel:
    """Return a model of parts with all that worlds of ours have."""
    pads = [_PAD.format('<joint type="slide"/>' * dofs) * (dofs > 0) for dofs in (before, after)]
    floor = '<geom type="plane" size="0 0 1"/>' * has_floor
    lines = {
        "worldbody": [floor, pads[0], *(_BODIES.format(k) for k in numbers), pads[1]],
        "contact": [f'<exclude body1="base{k}" body2="link{k}"/>' for k in numbers],
        "tendon": [_TENDON.format(k) for k in numbers],
        "equality": [line.format(k) for line in _EQUALITIES for k in numbers],
    }
    sections = "".join(f"<{name}>{''.join(text)}</{name}>" for name, text in lines.items())
    return mujoco.MjModel.from_xml_string(f'<mujoco><size memory="1M"/>{sections}</mujoco>')


def _sizes(model: mujoco.MjModel, count: int) -> Ints:
    return np.frombuffer(_saved(model), np.int64, count, _SIZES)


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
