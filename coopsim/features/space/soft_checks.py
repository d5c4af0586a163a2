"""Cloths and soft bodies that cannot be, with errors for the author; the same for every engine."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from coopsim.engines.contract import BodySpec
from coopsim.engines.plane.footprints import located
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats
from coopsim.scene import SoftNode, by_name
from coopsim.scene.lattices import Element, elements
from coopsim.scene.soft_node import FLAT, MOST_NODES

MOST_WHOLES = 24
"""Cloths and soft bodies of a world."""
_THINNEST = 1e-3
"""Of a triangle or a tetrahedron: its area or volume as a part of that of a square or cube on its longest side."""


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A cloth or a soft body.

    Attributes:
        matter: One of its nodes, for what they have in common.
        names: Of its nodes, by their cells.
        rests: Where they are while nothing acts, shape (n, 3) [m].
        parts: Triangles or tetrahedra between them; none where too many nodes are gone.
    """

    matter: SoftNode
    names: tuple[str, ...]
    rests: Floats
    parts: tuple[Element, ...]


def wholes(bodies: Iterable[BodySpec], engine: str) -> tuple[Whole, ...]:
    """Return the cloths and soft bodies that nodes among some bodies belong to, by name.

    Args:
        bodies: In any order.
        engine: Its name, for errors.

    Raises:
        EngineCannot: Nodes of one of them disagree, or one cannot be; the text begins with the span of a node.
    """
    members: dict[str, list[BodySpec]] = {}
    for body in bodies:
        if body.soft is not None:
            members.setdefault(body.soft.whole, []).append(body)
    # each needs a bit of its own in MuJoCo's 32, of which 8 are ours
    if len(members) > MOST_WHOLES:
        last = members[max(members, key=by_name)][0]
        text = f"the {engine} engine holds at most {MOST_WHOLES} cloths and soft bodies, got {len(members)}"
        raise EngineCannot(f"{located(last.span)}{text}")
    return tuple(_whole(members[name], engine) for name in sorted(members, key=by_name))


def _whole(bodies: list[BodySpec], engine: str) -> Whole:
    nodes = sorted(((body.soft, body) for body in bodies if body.soft is not None), key=lambda node: node[0].cell)
    first, body = nodes[0]
    begin = f"{located(body.span)}the {engine} engine cannot hold {first.whole!r}: "
    if len(nodes) > MOST_NODES:
        raise EngineCannot(f"{begin}it has {len(nodes)} nodes, and at most {MOST_NODES} are one body")
    for (first_node, _), (second_node, its) in pairwise(nodes):
        if first_node.cell == second_node.cell:
            raise EngineCannot(
                f"{begin}{its.name!r} is in the place of another node, {' '.join(map(str, first_node.cell))}"
            )
        if first_node.matter != second_node.matter:
            raise EngineCannot(f"{begin}{its.name!r} has another material than the other nodes; give all the same")
    rests = np.array([node.rest for node, _ in nodes])
    parts = tuple(elements([node.cell for node, _ in nodes], first.dimension))
    for part in parts:
        if _thinness(rests[list(part)], first.dimension) < _THINNEST:
            flat = ", ".join(repr(nodes[number][1].name) for number in part)
            raise EngineCannot(
                f"{begin}between {flat} there is no room: they are at rest in a line, a plane or a place"
            )
    return Whole(first, tuple(node.name for _, node in nodes), rests, parts)


def _thinness(corners: Floats, dimension: int) -> float:
    # as a part of what the longest side allows: a small cloth must not count as thin
    sides = corners[1:] - corners[0]
    longest = float(np.linalg.norm(corners[:, None] - corners[None], axis=-1).max())
    if not longest > 0.0:
        return 0.0
    if dimension == FLAT:
        return float(np.linalg.norm(np.cross(sides[0], sides[1]))) / (2.0 * longest**2)
    return float(np.linalg.det(sides)) / (6.0 * longest**3)
