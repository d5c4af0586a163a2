"""Triangles of files: STL, in text or binary, OBJ, and what packages read."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from coopsim import plugins
from coopsim.errors import BadFile, PluginFailed
from coopsim.geometry import Floats
from coopsim.scene.problems import Problem, Problems
from coopsim.scene.source import read_look, why_not_shown
from coopsim.scene.spans import Span
from coopsim.scene.stl import stl_corners

_SUFFIXES = (".stl", ".obj")
_READERS = "mesh_readers"
MOST_TRIANGLES = 1_000_000
"""More of them in one file are refused: parts may be used many times over."""


def mesh_suffixes() -> tuple[str, ...]:
    """Return the ends of names of files that can be shown, in small letters.

    Packages register a function `(path, problems) -> corners` as `coopsim.mesh_readers`, under the suffix without its
    dot; the corners of all triangles have the shape (n, 3, 3) [m].
    """
    return (*_SUFFIXES, *(f".{name}" for name in plugins.registered(_READERS)))


def read_triangles(path: Path) -> Floats:
    """Return the corners of all triangles in a file, shape (n, 3, 3).

    Raises:
        BadFile: It cannot be read; the place is in the text.
    """
    name = path.suffix.lower().removeprefix(".")
    # before our own: a package may bring a better reader for .stl
    if name in plugins.registered(_READERS):
        return _read_registered(name, path)
    raw = read_look(path)
    try:
        corners = _obj(path, raw) if path.suffix.lower() == ".obj" else _stl(path, raw)
    except ValueError as problem:
        raise _bad(path, 1, f"no mesh: {problem}") from None
    # a NaN would be in the hull, then in the box of the body, then in the whole simulation
    if not len(corners) or not np.isfinite(corners).all():
        raise _bad(path, 1, "no mesh: expected triangles with finite corners")
    return corners


def _read_registered(name: str, path: Path) -> Floats:
    """Return what the reader of a package reads."""
    # readers of packages open files themselves; ours refuse pipes and giants before that
    if reason := why_not_shown(path):
        raise _bad(path, 1, reason)
    problems = Problems()
    with plugins.blamed(f"reader of .{name} files"):
        corners = np.asarray(plugins.load(_READERS, name)(path, problems), dtype=float)
    problems.raise_any()
    if corners.ndim != 3 or corners.shape[1:] != (3, 3) or not np.isfinite(corners).all():
        place = plugins.registered(_READERS)[name].places[0]
        raise PluginFailed(f"{place}: expected finite corners (n, 3, 3) of {path.name}, got shape {corners.shape}")
    return corners


def _stl(path: Path, raw: bytes) -> Floats:
    """Return the corners of all triangles, shape (n, 3, 3)."""
    # by its length, not its first word: binary files may begin with `solid`, too
    if (binary := stl_corners(raw)) is not None:
        return binary
    if not raw.lstrip().startswith(b"solid"):
        raise _bad(path, 1, "expected an STL or OBJ file")
    lines = [line.split() for line in raw.decode(errors="replace").splitlines()]
    rows = [_numbers(path, number, words[1:4]) for number, words in enumerate(lines, 1) if words[:1] == ["vertex"]]
    return np.array(rows, float).reshape(-1, 3, 3)


def _obj(path: Path, raw: bytes) -> Floats:
    """Return the corners of all triangles; faces with more corners are cut into triangles."""
    points: list[list[float]] = []
    corners: list[int] = []
    for number, line in enumerate(raw.decode(errors="replace").splitlines(), 1):
        words = line.split()
        if words[:1] == ["v"]:
            points.append(_numbers(path, number, words[1:4]))
        elif words[:1] == ["f"]:
            face = [_index(path, number, word, len(points)) for word in words[1:]]
            for a, b in pairwise(face[1:]):
                corners += (face[0], a, b)
            # after each line: one face of a million corners would pass a check at the end
            if len(corners) > 3 * MOST_TRIANGLES:
                raise _bad(path, number, f"there are more than {MOST_TRIANGLES} triangles")
    return np.array(points, float).reshape(-1, 3)[corners].reshape(-1, 3, 3)


def _numbers(path: Path, line: int, words: list[str]) -> list[float]:
    try:
        x, y, z = map(float, words)
    except ValueError:
        raise _bad(path, line, f"expected three numbers, found {' '.join(words)!r}") from None
    return [x, y, z]


def _index(path: Path, line: int, word: str, points: int) -> int:
    try:
        number = int(word.partition("/")[0])
    except ValueError:
        number = 0
    # OBJ counts from 1, and backwards from the newest point below 0
    index = number - 1 if number > 0 else points + number
    if number == 0 or not 0 <= index < points:
        raise _bad(path, line, f"expected one of the {points} points above, found {word!r}")
    return index


def _bad(path: Path, line: int, text: str) -> BadFile:
    problem = Problem(Span(str(path), line, 1), text)
    return BadFile(str(problem), (problem,))
