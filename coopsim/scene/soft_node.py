"""A node of a cloth or a soft body: a ball with a place in a lattice, and the `soft` line that says so."""

from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.values import FARTHEST, Flaw
from coopsim.scene.writing import Words, in_short

FLAT, SOLID = 2, 3
"""Dimensions of a cloth and of a soft body."""
MOST_NODES = 400
"""Of one cloth or soft body."""
_MOST_CELLS = 20_000  # as many bodies as an engine in space holds
_FORM = "`NAME COLUMN ROW LAYER X Y Z YOUNG POISSON DAMPING THICKNESS DRAG`"

YOUNG = values.number(1.0, 1e9, "Pa")
POISSON = values.number(0.0, 0.49)
DAMPING = values.number(0.0, 10.0, "s")
THICKNESS = values.number(1e-5, 1.0, "m")
DRAG = values.number(0.0, 1e3, "N s/m")
_NAME = values.name
_CELL = values.number(1, _MOST_CELLS, whole=True)
_PLACE = values.number(-FARTHEST, FARTHEST, "m")
_NO_THICKNESS = values.number(0.0, 1.0, "m")
_READERS = (_NAME, _CELL, _CELL, _CELL, _PLACE, _PLACE, _PLACE, YOUNG, POISSON, DAMPING, _NO_THICKNESS, DRAG)


@dataclass(frozen=True, slots=True)
class SoftNode:
    """Place of a node in its whole, and the resistance of that whole.

    Attributes:
        whole: Name of the cloth or soft body; its nodes have all but `cell` and `rest` in common.
        cell: Column, row and layer, from 1.
        rest: Where its middle is while nothing acts, in the frame of the whole [m].
        young: Young's modulus [Pa].
        poisson: Poisson's ratio.
        damping: Rayleigh's coefficient: forces of this time times the rate at which the shape changes [s].
        thickness: Of a cloth [m]; 0 = a soft body, which fills the room between its nodes.
        drag: Resistance of the air against the motion of this node [N s/m].
    """

    whole: str
    cell: tuple[int, int, int]
    rest: Vector3
    young: float
    poisson: float
    damping: float
    thickness: float
    drag: float = 0.0

    @property
    def dimension(self) -> int:
        """2 of a cloth, 3 of a soft body."""
        return FLAT if self.thickness > 0.0 else SOLID

    @property
    def matter(self) -> tuple[str, float, float, float, float, float]:
        """Material that all nodes of the whole share."""
        return self.whole, self.young, self.poisson, self.damping, self.thickness, self.drag


def soft_node(words: Sequence[str]) -> SoftNode | Flaw:
    """Read a `soft` line."""
    if len(words) != len(_READERS):
        return Flaw(f"takes {_FORM}; got {len(words)} values")
    flaws = []
    for index, (read, word) in enumerate(zip(_READERS, words, strict=True)):
        value = read([word])
        if isinstance(value, Flaw):
            return Flaw(value.text, index)
        flaws.append(value)
    whole, i, j, k, x, y, z, *matter = flaws
    return SoftNode(whole, (int(i), int(j), int(k)), (x, y, z), *map(float, matter))


def soft_words(node: SoftNode, _old: Sequence[str] = ()) -> Words:
    """Return the words of a `soft` line."""
    numbers = (*node.rest, node.young, node.poisson, node.damping, node.thickness, node.drag)
    return [node.whole, *map(str, node.cell), *map(in_short, numbers)]
