"""`[CLOTH_n]` and `[SOFT_n]`: a lattice of balls, and how it resists (SwarmSimX, section 2.1)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from coopsim.geometry import Quaternion, Vector3, quaternion, turned
from coopsim.scene import values
from coopsim.scene.entities import OBJECT_KEYS
from coopsim.scene.joint_spec import Joint
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lattices import Cell, in_layers
from coopsim.scene.lines import Section
from coopsim.scene.measures import POSITION, SIZE, misshapen
from coopsim.scene.problems import Problems
from coopsim.scene.soft_node import DAMPING, DRAG, MOST_NODES, POISSON, THICKNESS, YOUNG, SoftNode
from coopsim.scene.specs import Object
from coopsim.scene.values import SMALLEST, Flaw, Reader

_CLOTH_SHARE, _SOFT_SHARE = 0.3, 0.5
"""Of the way from node to node that a ball takes."""
_DIGITS = 9  # a nanometre; equal places stay equal


def _sides(words: Sequence[str]) -> tuple[float, float] | Flaw:
    if len(words) != 2:
        return Flaw(f"takes the length and the width, got {len(words)} values")
    size = SIZE([*words, "1"])
    return size if isinstance(size, Flaw) else size[:2]


def _counts(names: str) -> Reader:
    """Return a reader of how many nodes there are along each side."""
    sides = len(names.split())
    number = values.number(2, MOST_NODES, whole=True)

    def read(words: Sequence[str]) -> tuple[int, ...] | Flaw:
        if len(words) != sides:
            return Flaw(f"takes {sides} numbers ({names}), got {len(words)}")
        nodes = []
        for index, word in enumerate(words):
            value = number([word])
            if isinstance(value, Flaw):
                return Flaw(value.text, index)
            nodes.append(int(value))
        total = math.prod(nodes)
        if total > MOST_NODES:
            return Flaw(f"takes at most {MOST_NODES} nodes together, got {total}; ask for fewer along its sides")
        return tuple(nodes)

    return read


def _read_counts(words: Sequence[str]) -> tuple[int, ...] | Flaw:
    """Read numbers of columns, rows and layers."""
    count, counts = values.number(1, MOST_NODES, whole=True), []
    for index, word in enumerate(words):
        value = count([word])
        if isinstance(value, Flaw):
            return Flaw(value.text, index)
        counts.append(int(value))
    return tuple(counts) or Flaw("takes column and row of each node that is tied, got none")


_COMMON: Keys = {
    "position": SectionKey(POSITION, is_needed=True),
    "orientation": SectionKey(values.angles),
    "mass": SectionKey(values.number(1e-3, 1e6, "kg")),
    "young": SectionKey(YOUNG),
    "poisson": SectionKey(POISSON),
    "damping": SectionKey(DAMPING),
    "drag": SectionKey(DRAG),
    "node_size": SectionKey(values.LENGTH),
    "pins": SectionKey(_read_counts),
    "bodies": SectionKey(values.names),
    **{key: OBJECT_KEYS[key] for key in ("name", "color", "friction", "restitution")},
}
CLOTH_KEYS: Keys = {
    "size": SectionKey(_sides, is_needed=True),
    "nodes": SectionKey(_counts("columns rows")),
    "thickness": SectionKey(THICKNESS),
    **_COMMON,
}
SOFT_KEYS: Keys = {
    "type": SectionKey(values.one_of("box", "sphere")),
    "size": SectionKey(SIZE, is_needed=True),
    "nodes": SectionKey(_counts("columns rows layers")),
    **_COMMON,
}
_CLOTH: dict[str, Any] = {
    "mass": 0.3,
    "young": 2e4,
    "poisson": 0.3,
    "damping": 5e-4,
    "drag": 0.1,
    "thickness": 0.005,
    "nodes": (9, 9),
}
_SOFT: dict[str, Any] = {
    "mass": 1.0,
    "young": 5e3,
    "poisson": 0.3,
    "damping": 2e-4,
    "drag": 0.0,
    "thickness": 0.0,
    "nodes": (4, 4, 4),
    "type": "box",
}


@dataclass(frozen=True, slots=True)
class _Lattice:
    """Nodes before they have names.

    Attributes:
        cells: Column, row and layer of each.
        rests: Where their middles are in the frame of the whole [m].
        ball: Diameter of each [m].
    """

    cells: list[Cell]
    rests: list[Vector3]
    ball: float


def cloth(section: Section, problems: Problems) -> tuple[str, list[Object], list[Joint]]:
    """Return the name that a `[CLOTH_n]` says, "" if it says none, its nodes with their hooks, and what ties them."""
    return _read(section, problems, CLOTH_KEYS, _CLOTH, _sheet)


def soft(section: Section, problems: Problems) -> tuple[str, list[Object], list[Joint]]:
    """Return the same of a `[SOFT_n]`."""
    return _read(section, problems, SOFT_KEYS, _SOFT, _block)


def _read(
    section: Section, problems: Problems, keys: Keys, usual: dict[str, Any], lay: Callable[[dict[str, Any]], _Lattice]
) -> tuple[str, list[Object], list[Joint]]:
    said = read_keys(section, keys, problems)
    given, values = str(said.pop("name", "")), {**usual, **said}
    if lacks(values, keys) or _flawed(section, values, problems):
        return given, [], []
    name, lattice = given or section.name.lower(), lay(values)
    pinned = _pins(section, values, problems)
    if pinned is None:
        return given, [], []
    turn = quaternion(*values.get("orientation", (0.0, 0.0, 0.0)))
    nodes = _nodes(name, lattice, values, turn, section)
    hooks, joints = _tied(name, [nodes[lattice.cells.index(cell)] for cell in pinned], values, section)
    return given, [*nodes, *hooks], joints


def _flawed(section: Section, values: dict[str, Any], problems: Problems) -> bool:
    """Note sizes that cannot be."""
    flaw = misshapen(values["type"], values["size"]) if "type" in values else ""
    if not flaw and values.get("node_size", 0.0) >= min(values["size"]):
        flaw = f"its nodes are {values['node_size']:g} m wide, and none of its sides may be shorter than that"
    if not flaw and _ball(values) < SMALLEST:
        flaw = (
            f"its nodes would be {_ball(values):g} m wide, at least {SMALLEST:g} m; ask for fewer, or for a larger body"
        )
    if flaw:
        problems.add(section.value_span("size"), flaw)
    return bool(flaw)


def _ball(values: dict[str, Any]) -> float:
    """Return the diameter of a node: what is said, or a part of the way to the next one."""
    share, inner = (_CLOTH_SHARE, 0.0) if values["thickness"] else (_SOFT_SHARE, _SOFT_SHARE)
    ways = (side / (count - 1 + inner) for side, count in zip(values["size"], values["nodes"], strict=True))
    return float(values.get("node_size") or share * min(ways))


def _sheet(values: dict[str, Any]) -> _Lattice:
    """Return the nodes of a cloth, around its middle."""
    columns, rows = values["nodes"]
    length, width = values["size"]
    cells = [(i, j, 1) for i, j in product(range(1, columns + 1), range(1, rows + 1))]
    rests = [_rounded((_spread(i, columns, length), _spread(j, rows, width), 0.0)) for i, j, _ in cells]
    return _Lattice(cells, rests, _ball(values))


def _block(values: dict[str, Any]) -> _Lattice:
    """Return the nodes of a soft body above the middle of its base; of a ball they lie on shells."""
    counts, ball = values["nodes"], _ball(values)
    columns, rows, layers = (range(1, count + 1) for count in counts)
    cells = list(product(columns, rows, layers))
    sides = [side - ball for side in values["size"]]
    rests = []
    for cell in cells:
        shares = [_spread(place, count, 2.0) for place, count in zip(cell, counts, strict=True)]
        if values["type"] == "sphere":
            away = math.hypot(*shares)
            scale = max(map(abs, shares)) / away if away else 0.0
            shares = [scale * share for share in shares]
        x, y, z = (0.5 * side * share for side, share in zip(sides, shares, strict=True))
        rests.append(_rounded((x, y, z + 0.5 * values["size"][2])))
    return _Lattice(cells, rests, ball)


def _rounded(place: Sequence[float]) -> Vector3:
    x, y, z = (round(side, _DIGITS) + 0.0 for side in place)
    return x, y, z


def _spread(place: int, count: int, length: float) -> float:
    return length * ((place - 1) / (count - 1) - 0.5)


def _nodes(name: str, lattice: _Lattice, values: dict[str, Any], turn: Quaternion, section: Section) -> list[Object]:
    ball, count = lattice.ball, len(lattice.cells)
    look: dict[str, Any] = {key: values[key] for key in ("color", "friction", "restitution") if key in values}
    matter = values["young"], values["poisson"], values["damping"], values["thickness"], values["drag"] / count
    nodes = []
    for cell, rest in zip(lattice.cells, lattice.rests, strict=True):
        x, y, z = (low + side for low, side in zip(values["position"], turned(turn, rest), strict=True))
        label = "_".join(map(str, cell if len(values["nodes"]) == 3 else cell[:2]))
        place = _rounded((x, y, z - 0.5 * ball))
        node = SoftNode(name, cell, rest, *matter)
        shape = {**look, "mass": values["mass"] / count, "span": section.span, "soft": node}
        nodes.append(Object(f"{name}_{label}", "sphere", (ball, ball, ball), place, **shape))
    return nodes


def _pins(section: Section, values: dict[str, Any], problems: Problems) -> list[Cell] | None:
    """Return the cells of the nodes that are tied, None where something is wrong with them."""
    counts, flat, before = values["nodes"], values.get("pins", ()), problems.total
    line, holders = section.line("pins"), section.line("bodies")
    spans = line.value_spans() if line else ()
    size = len(counts)
    words = " ".join(("column", "row", "layer")[:size])
    if len(flat) % size:
        problems.add(
            section.value_span("pins"), f"pins takes {words} of each node that is tied, got {len(flat)} numbers"
        )
        return None
    cells = [flat[first : first + size] for first in range(0, len(flat), size)]
    for number, cell in enumerate(cells):
        for axis, (place, count) in enumerate(zip(cell, counts, strict=True)):
            if place > count:
                text = f"there is no node {' '.join(map(str, cell))} to tie: {words} go to {' '.join(map(str, counts))}"
                problems.add(spans[number * size + axis], text)
        if cell in cells[:number]:
            problems.add(spans[number * size], f"the node {' '.join(map(str, cell))} is tied twice")
    names = values.get("bodies", ())
    if holders and (not cells or len(names) not in (1, len(cells))):
        text = f"bodies takes one name for each of the {len(cells)} nodes that 'pins' ties, or one for all"
        problems.add(holders.span, f"{text}; got {len(names)}")
    return None if problems.total > before else list(map(in_layers, cells))


def _hook(name: str, node: Object) -> Object:
    """Return a fixed ball in the middle of a node, half as wide: it is not to touch other nodes."""
    wide = max(0.5 * node.size[0], SMALLEST)
    x, y, z = node.position
    place = _rounded((x, y, z + 0.5 * (node.size[0] - wide)))
    return Object(name, "sphere", (wide, wide, wide), place, span=node.span)


def _tied(
    name: str, pinned: Sequence[Object], values: dict[str, Any], section: Section
) -> tuple[list[Object], list[Joint]]:
    """Return what holds nodes that are tied: bodies, or where none are named fixed hooks of their own."""
    names = values.get("bodies", ())
    line = section.line("bodies")
    spans = line.value_spans() if line else ()
    hooks, joints = [], []
    for number, node in enumerate(pinned, 1):
        holder, span = f"{name}_hook_{number}", section.span
        if names:
            place = 0 if len(names) == 1 else number - 1
            holder, span = names[place], spans[place]
        else:
            hooks.append(_hook(holder, node))
        joint = Joint(f"{name}_pin_{number}", "pivot", node.name, holder, (0.0, 0.0, 0.5 * node.size[2]))
        joints.append(replace(joint, span=section.span, a_span=section.span, b_span=span))
    return hooks, joints
