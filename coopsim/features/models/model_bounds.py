"""Bounds of a model of a robot, counted before anything is made of it: a few words of XML can mean gigabytes."""

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from coopsim.scene import Problems
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode

MOST_BODIES = 1000
"""Bodies or links of a model, copies included; MuJoCo takes seconds for a few thousand."""
MOST_ELEMENTS = 20_000
"""Elements of a model, copies included."""
DEEPEST_CHAIN = 64
"""Links that hang on each other."""
_BODIES = ("body", "link")
_MOST_CELLS = 4_000_000
"""Of all height fields, of all pictures, and of all meshes and flexes that are generated."""
_GRIDS = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}
_FINEST = 200
"""Divisions of a generated mesh; of each of these its points are the square."""
_MOST = {
    ("flexcomp", "count"): 10_000,
    ("flexcomp", "cellcount"): 10_000,
    ("flex", "cellcount"): 10_000,
    ("hfield", "nrow"): 4096,
    ("hfield", "ncol"): 4096,
    ("texture", "width"): 4096,
    ("texture", "height"): 4096 * 6,  # six sides of a cube
    ("numeric", "size"): 10_000,
    ("size", "nuserdata"): 10_000,
    ("size", "nkey"): 1000,
    ("size", "njmax"): 1_000_000,
    ("size", "nconmax"): 1_000_000,
    ("size", "nstack"): 2**27,
    ("size", "memory"): 2**30,
}
"""Largest product of the numbers of an attribute."""
# numbers that a model carries for its user, and samples of a delayed signal: memory, no more
_MOST_OF_USERS, _MOST_SAMPLES = 100, 1000
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}

_LARGEST = 1e9
"""Of masses, moments of inertia and lengths, no robot is near it [kg, kg m2, m]."""

_Mistake: TypeAlias = tuple[Span, str]


def check_bounds(root: XmlNode, problems: Problems) -> None:
    """Note what a model asks for beyond all reason, with its line; of each kind the first alone.

    Args:
        root: Of a URDF, MJCF or SDF file.
        problems: Takes the mistakes.
    """
    for mistakes in (_too_many(root), _too_large(root), _too_large_together(root)):
        first = next(mistakes, None)
        if first is not None:
            problems.add(*first)


def check_figures(model: Any, root: XmlNode, problems: Problems) -> bool:
    """Return whether all masses, lengths and positions can be computed with; the first that cannot is noted.

    Args:
        model: What MuJoCo made of a file.
        root: Of the file, for the line.
        problems: Takes the mistake.
    """
    bodies = np.arange(model.nbody)
    for figures, owners, what, unit in (
        (model.body_mass, bodies, "mass", "kg"),
        (model.body_inertia, bodies, "moment of inertia", "kg m2"),
        (model.body_pos, bodies, "position", "m"),
        (model.body_ipos, bodies, "centre of mass", "m"),
        (model.geom_size, model.geom_bodyid, "size of a shape", "m"),
        (model.jnt_pos, model.jnt_bodyid, "position of a joint", "m"),
    ):
        table = np.abs(figures).reshape(len(owners), figures.size // max(len(owners), 1))
        wrong = np.argwhere(~(table < _LARGEST))  # NaN compares as false
        if wrong.size:
            row, column = wrong[0]
            name = model.body(int(owners[row])).name
            text = (
                f"{what} of the body {name!r} is {table[row, column]:g} {unit}; expected less than {_LARGEST:g} {unit}"
            )
            problems.add(_largest_place(root), f"{text}: correct it, lengths are in metres")
            return False
    return True


def _largest_place(root: XmlNode) -> Span:
    """Return where a file has the first number as large as `_LARGEST`; products of smaller ones are at its root."""
    for node in root.walk():
        for name, text in node.attributes.items():
            if _is_large(text):
                return node.places.get(name, (node.span, node.span))[1]
        if _is_large(node.text):
            return node.span
    return root.span


def _is_large(text: str) -> bool:
    """Return whether one of the words is such a number; a name as `1e` is none."""
    return any(not abs(_number(word)) < _LARGEST for word in text.replace(",", " ").split())


def _too_many(root: XmlNode) -> Iterator[_Mistake]:
    """Yield where elements become too many, counted as often as they are copied."""
    elements = bodies = 0.0
    for node, copies in _with_copies(root):
        elements += copies
        bodies += copies if node.tag in _BODIES else 0.0
        for count, most, what in ((elements, MOST_ELEMENTS, "elements"), (bodies, MOST_BODIES, "bodies")):
            if count > most:
                yield node.span, f"the model has more than {most} {what}, copies included"


def _with_copies(root: XmlNode) -> Iterator[tuple[XmlNode, float]]:
    """Yield all elements in the order of the file, with how often each is copied."""
    waiting = [(root, 1.0)]
    while waiting:
        node, copies = waiting.pop()
        if node.tag == "replicate":
            copies *= _product(node.get("count", "1"))
        yield node, copies
        waiting += [(child, copies) for child in reversed(node.children)]


def _too_large(root: XmlNode) -> Iterator[_Mistake]:
    """Yield the places of attributes whose numbers are too large."""
    for node in root.walk():
        for name, text in node.attributes.items():
            most = _most_of(node.tag, name)
            if most is not None and not _product(text) <= most:
                _, at = node.places.get(name, (node.span, node.span))
                yield at, f"<{node.tag}> takes up to {most} as {name}, got {text[:40]!r}"
        if node.tag == "mesh" and node.get("builtin") and not _largest(node.get("params")) <= _FINEST:
            yield node.span, f"a generated mesh has up to {_FINEST} divisions, got {node.get('params')[:40]!r}"


def _most_of(tag: str, name: str) -> int | None:
    """Return what the numbers of an attribute may be at most; None = it makes nothing larger."""
    if tag == "size" and name.startswith("nuser_"):
        return _MOST_OF_USERS
    return _MOST_SAMPLES if name == "nsample" else _MOST.get((tag, name))


def _too_large_together(root: XmlNode) -> Iterator[_Mistake]:
    """Yield where what is generated has too many cells in all; a side that is not said may be that of a class."""
    nodes = [
        with_copy for with_copy in _with_copies(root) if with_copy[0].tag in ("hfield", "texture", "mesh", "flexcomp")
    ]
    sides: dict[tuple[str, str], float] = {}
    for node, _ in nodes:
        for name in _GRIDS.get(node.tag, ()):
            side = sides.get((node.tag, name), 1.0)
            sides[node.tag, name] = max(side, _product(node.get(name, "1")))
    cells = dict.fromkeys(("hfield", "texture", "mesh", "flexcomp"), 0.0)
    for node, copies in nodes:
        cells[node.tag] += copies * _cells(node, sides)
        if cells[node.tag] > _MOST_CELLS:
            yield node.span, f"every <{node.tag}> of the model together has more than {_MOST_CELLS} cells"


def _cells(node: XmlNode, sides: dict[tuple[str, str], float]) -> float:
    if node.tag in _GRIDS:
        texts = ((name, node.get(name)) for name in _GRIDS[node.tag])
        return math.prod(_product(text) if text else sides[node.tag, name] for name, text in texts)
    if node.tag == "mesh":
        return _largest(node.get("params")) ** 2 if node.get("builtin") else 0.0
    return _product(node.get("count", "1"))


def _product(text: str) -> float:
    """Return the product of the numbers in a text, those below 1 as 1, with units as 16M; what is none is MuJoCo's."""
    return math.prod(max(1.0, _number(word)) for word in text.split())


def _largest(text: str) -> float:
    return max(map(_number, text.split()), default=0.0)


def _number(word: str) -> float:
    unit = _UNITS.get(word[-1:].upper(), 1)
    try:
        value = float(word[:-1] if unit > 1 else word) * unit
    except ValueError:
        return 0.0
    return math.inf if math.isnan(value) else value
