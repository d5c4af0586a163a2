"""Free places: where something that is inserted without a place stands on nothing else."""

import math
import time
from collections.abc import Callable, Collection, Iterator

import numpy as np

from coopsim.features.beginnings.insertions import TARGET
from coopsim.features.desktop.changes import KnownScene
from coopsim.features.desktop.model import SceneModel
from coopsim.geometry import Floats, heading
from coopsim.scene import TEAM

_RADII = {TARGET: 0.1, TEAM: 1.1}
"""Room around the place of an insertion, by its kind or type [m]; the bar of a team is 1.5 m long."""
_USUAL = 0.45
"""Room around other insertions [m]: the usual shapes and robots are 0.5 m wide."""
_TALL = 3.0
"""Lamps and other things that begin above this height leave the floor free [m]."""
_IGNORED = ("floor", "area")
"""Kinds of entities that something can stand on."""
_LONGEST = 3.0
"""What is not seen so long after the answer was refused, or removed by others [s]: name and place are free again."""
_HALF, _NONE = 0.25, np.zeros((0, 2))
"""Half the size of what is not seen yet [m]; nothing of it."""
_STEP, _RINGS = 0.25, 40
"""Distance between rings of candidates [m] and their number: 10 m around are searched."""


def free_place(model: SceneModel, near: Floats, kind: str, name: str, pending: Floats = _NONE) -> tuple[float, float]:
    """Return the nearest place with room for an insertion, as x and y [m]; `near` where nothing has.

    Args:
        model: What stands in the scene.
        near: Where it would stand on an empty floor, shape (2,) [m].
        kind: `object`, `target`, `robot` or `artifact`.
        name: Of the shape, colour or type.
        pending: Places of what will stand there soon, shape (n, 2) [m].
    """
    radius = _RADII.get(name, _RADII.get(kind, _USUAL))
    coming = np.hstack([pending, np.full((len(pending), 3), (0.0, _HALF, _HALF))])
    boxes = _near(np.concatenate([_taken(model), coming]), near, radius)
    for place in _candidates(near):
        if not len(boxes) or float(_gaps(boxes, place).min()) > radius:
            return round(float(place[0]), 2), round(float(place[1]), 2)
    return round(float(near[0]), 2), round(float(near[1]), 2)


def _taken(model: SceneModel) -> Floats:
    """Return upright boxes of what stands on the floor: x, y, heading, half length, half width, shape (n, 5)."""
    rows = []
    for number, row in enumerate(model.entities):
        pose = model.entity_poses[number]
        if row.kind not in _IGNORED and pose[2] < _TALL:
            rows.append((pose[0], pose[1], heading(*pose[3:]), row.size[0] / 2.0, row.size[1] / 2.0))
    return np.array(rows, np.float64).reshape(-1, 5)


def _near(boxes: Floats, near: Floats, radius: float) -> Floats:
    """Return the boxes that a candidate may meet: each is compared with all of these."""
    reach = _STEP * _RINGS + radius + np.hypot(boxes[:, 3], boxes[:, 4])
    close: Floats = boxes[np.hypot(*(boxes[:, :2] - near).T) <= reach]
    return close


def _candidates(near: Floats) -> Iterator[Floats]:
    """Yield places on rings around a place, the nearest first."""
    yield near
    for ring in range(1, _RINGS + 1):
        count = 6 * ring
        for step in range(count):
            angle = 2.0 * math.pi * step / count
            yield near + ring * _STEP * np.array([math.cos(angle), math.sin(angle)])


def _gaps(boxes: Floats, place: Floats) -> Floats:
    """Return the distance of a place from each box, 0 inside [m]."""
    away = place - boxes[:, :2]
    cos, sin = np.cos(boxes[:, 2]), np.sin(boxes[:, 2])
    along = np.stack([cos * away[:, 0] + sin * away[:, 1], cos * away[:, 1] - sin * away[:, 0]], axis=1)
    gaps: Floats = np.hypot(*np.maximum(0.0, np.abs(along) - boxes[:, 3:]).T)
    return gaps


class PendingInsertions:
    """Insertions on their way: another one at once gets neither their names nor their places.

    Args:
        clock: Real time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sent: dict[str, tuple[float, tuple[float, float]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names that were given away."""
        return tuple(self._sent)

    @property
    def places(self) -> Floats:
        """Places where something will stand, shape (n, 2) [m]."""
        return np.array([place for _, place in self._sent.values()], np.float64).reshape(-1, 2)

    def add(self, name: str, place: tuple[float, float]) -> None:
        """Note an insertion that is sent.

        Args:
            name: Of an entity or a team.
            place: Where it will stand [m].
        """
        self._sent[name] = self._clock(), place

    def forget(self, look: KnownScene, refused: Collection[str] = (), *, is_waiting: bool = False) -> None:
        """Forget what is seen by now, and what will not come.

        Args:
            look: What is known of the scene; of teams, the names of their members.
            refused: Names that the engine could not hold.
            is_waiting: Whether an edit is not answered yet: all may still come then.
        """
        if self._sent:
            arrived = {name.partition("/")[0] for name in (*look.names, *refused)}
            now = self._clock()
            since = {name: now if is_waiting else sent[0] for name, sent in self._sent.items() if name not in arrived}
            self._sent = {name: (at, self._sent[name][1]) for name, at in since.items() if at >= now - _LONGEST}
