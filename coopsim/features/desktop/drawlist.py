"""Shapes that are drawn, and their detail: rows for the graphics card."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.model import Look, SceneModel
from coopsim.features.desktop.shapes import LEVELS
from coopsim.features.desktop.surfaces import Skin
from coopsim.geometry import Floats, Ints

INSTANCE = np.dtype(
    [
        ("i_position", "f4", 3),
        ("i_rotation", "f4", 4),
        ("i_size", "f4", 3),
        ("i_color", "u1", 4),
        ("i_mark", "f4"),
    ]
)
"""A shape: where it is, the size of its box, its colour, and a sum of marks."""
SELECTED, FLOOR = 1.0, 2.0
"""Marks."""
# where the next mesh begins to show corners at the outline
FINEST = (70.0, 18.0, 4.0)
"""From these radii on, shapes are drawn with the finest mesh, with the second one, and with the third one [pixels]."""
# less than a pixel: it would flicker when the camera moves
_SMALLEST = 0.4
"""Below this radius a shape is not drawn [pixels]."""
SLACK = 0.5
"""Of windows, which draw moving things many times a second [m]."""
FLAT = ("arrow", "polygon")
"""Shapes that cast no shadow: they lie on what does, or on the floor."""
_SEVERAL = ("cylinder", "sphere", "cone", "arrow")
"""Shapes that have several levels of detail."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Shapes chosen to be drawn, and the view that they were chosen for.

    Attributes:
        view: What a camera sees, as far as shapes are chosen by it.
        poses: Where shapes were.
        rows: What is drawn, group by group.
        ends: Where the rows of each group end.
    """

    view: tuple[bytes, tuple[int, int], float]
    poses: Floats
    rows: Ints
    ends: list[int]


class DrawList:
    """Rows of all shapes of a model.

    Args:
        model: What there is; `update` follows it.
        slack: How far shapes may move before it is chosen anew which of them are drawn, and how finely [m].

    Attributes:
        model: What there is.
        rows: Of `INSTANCE`, one for each shape.
        version: Grows with each change of the rows.
        hidden: Names of entities that are not drawn.
    """

    def __init__(self, model: SceneModel, slack: float = 0.0) -> None:
        self.model, self._slack = model, slack
        self._choice: _Choice | None = None
        self._bounds: tuple[Floats, Floats] | None = None
        self.version = 0
        self.rows = np.zeros(len(model.entity), INSTANCE)
        self.rows["i_size"], self.rows["i_color"] = model.size, model.color
        self.hidden = frozenset[str]()
        self._floor = np.zeros(len(model.entity))
        self._groups, self._group, self._has_levels = _groups(model)
        for look, rows in model.looks.items():
            self._floor[rows] = FLOOR if look.is_floor else 0.0
        self.mark(frozenset())

    def mark(self, selected: frozenset[str], hidden: frozenset[str] = frozenset()) -> None:
        """Mark the shapes of entities as selected, and let those of others vanish.

        Args:
            selected: Names of entities that are outlined; floors shine instead.
            hidden: Names of entities that are not drawn.
        """
        self.hidden = hidden
        names = [row.name for row in self.model.entities]
        shines = np.array([name in selected for name in names], bool)
        self._marked, self._vanished = shines, np.array([name in hidden for name in names], bool)
        self._hidden = self._vanished[self.model.entity] | self.model.is_covered
        self._is_whole = not self._hidden.any()
        self._selected = shines[self.model.entity] & ~self._hidden
        self.rows["i_mark"] = self._floor + SELECTED * (self._selected & (self._floor > 0.0))
        self._choice, self.version = None, self.version + 1

    @property
    def is_hidden(self) -> NDArray[np.bool_]:
        """Whether shapes are not drawn, shape (n,): those of hidden entities, and of nodes under a skin."""
        return self._hidden

    @property
    def is_selected(self) -> NDArray[np.bool_]:
        """Whether shapes are those of selected entities, shape (n,)."""
        return self._selected

    def shows(self, skin: Skin) -> bool:
        """Return whether a skin is drawn: not all of its nodes are hidden."""
        return not self._vanished[skin.entities].all()

    def color_of(self, skin: Skin) -> tuple[int, int, int, int]:
        """Return red, green, blue and opacity of a skin, 0 to 255."""
        return skin.color

    def mark_of(self, skin: Skin) -> float:
        """Return the marks of a skin, which shines where one of its nodes does."""
        return SELECTED * float(self._marked[skin.entities].any())

    def update(self) -> None:
        """Take over where everything is now."""
        self.rows["i_position"] = self.model.poses[:, :3]
        self.rows["i_rotation"] = self.model.poses[:, 3:]
        if self.model.is_painted:
            self._paint()
        self.version += 1

    def _paint(self) -> None:
        """Take over the colours of the model."""
        self.rows["i_color"] = self.model.color

    def casters(self) -> Iterator[tuple[Look, NDArray[np.void]]]:
        """Yield what casts shadows: everything but floors, their areas, and arrows, which lie on what does."""
        for look, rows in self.model.looks.items():
            if not look.is_floor and look.shape not in FLAT:
                yield look, self.rows.take(rows if self._is_whole else rows[~self._hidden[rows]])

    def selected(self) -> Iterator[tuple[Look, NDArray[np.void]]]:
        """Yield what is selected and may be outlined: everything but floors."""
        if self._selected.any():
            for look, rows in self.model.looks.items():
                chosen = rows[self._selected[rows]]
                if len(chosen) and not look.is_floor:
                    yield look, self.rows.take(chosen)

    def visible(self, camera: Viewpoint, detail: float) -> Iterator[tuple[Look, int, NDArray[np.void]]]:
        """Yield look, level of detail and rows of what a camera sees.

        Args:
            camera: That looks.
            detail: Factor on the size of shapes where detail is chosen.
        """
        chosen, begin = self._chosen(camera, detail), 0
        rows = self.rows.take(chosen.rows)  # indexing takes thirty times as long for rows with names
        for (look, level), end in zip(self._groups, chosen.ends, strict=True):
            yield look, level, rows[begin:end]
            begin = end

    def bounds(self) -> tuple[Floats, Floats]:
        """Return corners of a box that holds everything but floors [m], as it was when shapes were chosen."""
        if self._bounds is None:
            low, high = self.model.bounds()
            self._bounds = low - self._slack, high + self._slack
        return self._bounds

    def _chosen(self, camera: Viewpoint, detail: float) -> "_Choice":
        """Return what is drawn; the last choice, while it holds."""
        view, choice = (camera.matrix.tobytes(), camera.size, detail), self._choice
        if choice is None or choice.view != view or self._has_moved(choice):
            choice = self._choice = _Choice(view, self.model.poses.copy(), *self._choose(camera, detail))
            self._bounds = None
        return choice

    def _has_moved(self, since: "_Choice") -> bool:
        """Return whether shapes moved, or turned, so far that others may be seen now."""
        poses = self.model.poses
        return not self._slack or bool(len(poses) and np.abs(poses - since.poses).max() > self._slack / 2.0)

    def _choose(self, camera: Viewpoint, detail: float) -> tuple[Ints, list[int]]:
        """Return the rows that are drawn, group by group, and where each group ends."""
        seen, pixels = self._seen(camera)
        rows = np.flatnonzero(seen)
        level = len(FINEST) - np.searchsorted(FINEST[::-1], pixels[rows] * detail)
        group = self._group[rows] + level * self._has_levels[rows]
        order = np.argsort(group, kind="stable")
        return rows[order], np.cumsum(np.bincount(group, minlength=len(self._groups))).tolist()

    def _seen(self, camera: Viewpoint) -> tuple[NDArray[np.bool_], Floats]:
        """Return which shapes are within the picture, and how large their radii are there [pixels]."""
        middles, radii = self.model.middles, self.model.radii
        matrix = camera.matrix
        planes = np.concatenate([matrix[3] + matrix[:2], matrix[3] - matrix[:2]])
        planes /= np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
        left, two, three, four = planes[:, :3] @ middles.T + planes[:, 3:] >= -radii - self._slack
        inside = left & two & three & four
        away = np.maximum(np.linalg.norm(middles - camera.eye, axis=1), 1e-3)
        pixels = radii / away * camera.focal_length
        return inside & (pixels > _SMALLEST) & ~self._hidden, pixels


def _groups(model: SceneModel) -> tuple[list[tuple[Look, int]], Ints, Ints]:
    """Return looks with their levels of detail, the first such group of each shape, and 1 where that has several."""
    groups = list[tuple[Look, int]]()
    first, has_levels = np.zeros((2, len(model.entity)), np.int64)
    for look, rows in model.looks.items():
        first[rows], has_levels[rows] = len(groups), look.shape in _SEVERAL
        groups += [(look, level) for level in range(LEVELS if look.shape in _SEVERAL else 1)]
    return groups, first, has_levels
