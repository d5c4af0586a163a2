"""Lattice between the nodes of a cloth or a soft body: triangles or tetrahedra, and the surface that one sees.

Diagonals alternate from cell to cell, so that no direction is stiffer than the one across.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from coopsim.scene.soft_node import FLAT

Cell: TypeAlias = tuple[int, int, int]
Element: TypeAlias = tuple[int, ...]
"""Numbers of its three or four nodes."""

_SQUARE = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0))  # corners of a cell, counter-clockwise
# two ways to halve a square, taken in turn: no direction is stiffer
_HALVES = (((0, 1, 2), (0, 2, 3)), ((0, 1, 3), (1, 2, 3)))
# corners of a cell, lower square first
_CUBE = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
_FIFTHS = (
    ((0, 1, 2, 5), (0, 2, 3, 7), (0, 5, 7, 4), (2, 7, 5, 6), (0, 2, 7, 5)),
    ((1, 3, 0, 4), (1, 2, 3, 6), (1, 6, 4, 5), (3, 4, 6, 7), (1, 3, 4, 6)),
)
_SIDES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
"""Sides of a tetrahedron, counter-clockwise as seen from outside."""


def in_layers(cell: Sequence[int]) -> Cell:
    """Return column, row and layer of a node; a cloth is the first layer."""
    return cell[0], cell[1], cell[2] if len(cell) > FLAT else 1


def elements(cells: Sequence[Cell], dimension: int) -> list[Element]:
    """Return triangles between nodes of a cloth, or tetrahedra between those of a soft body.

    A cell of the lattice that lacks a node is empty: where a node is taken away, there is a hole.

    Args:
        cells: Column, row and layer of each node.
        dimension: 2 or 3.
    """
    numbers = {cell: number for number, cell in enumerate(cells)}
    corners, splits = (_SQUARE, _HALVES) if dimension == FLAT else (_CUBE, _FIFTHS)
    tetrahedra: list[Element] = []
    for i, j, k in sorted(numbers):
        around = [numbers.get((i + a, j + b, k + c), -1) for a, b, c in corners]
        if -1 not in around:
            tetrahedra += [tuple(around[place] for place in part) for part in splits[(i + j + k) % 2]]
    return tetrahedra


def surface(parts: Sequence[Element]) -> list[Element]:
    """Return the triangles that one sees: those of a cloth, or the outer sides of tetrahedra, outwards."""
    if not parts or len(parts[0]) == FLAT + 1:
        return list(parts)
    sides = [tuple(part[place] for place in side) for part in parts for side in _SIDES]
    seen = Counter(tuple(sorted(side)) for side in sides)
    return [side for side in sides if seen[tuple(sorted(side))] == 1]


def surfaces(nodes: Iterable[tuple[str, tuple[int, ...]]]) -> dict[str, list[Element]]:
    """Return the triangles of each cloth and soft body that one sees, by its name, as numbers of nodes.

    Args:
        nodes: What each is a node of, and its cell: column and row of a cloth, then the layer of a soft body.
    """
    groups: dict[str, dict[tuple[int, ...], int]] = {}
    for number, (whole, cell) in enumerate(nodes):
        groups.setdefault(whole, {})[cell] = number
    places = {}
    for whole, members in groups.items():
        ordered = sorted(members)
        dimension = len(ordered[0])
        cells = list(map(in_layers, ordered))
        parts = surface(elements(cells, dimension))
        places[whole] = [tuple(members[ordered[number]] for number in part) for part in parts]
    return places
