"""Loops of a model: equalities that hold bodies together, as pivots between links.

One pivot holds a point, two hold an axis, three hold a body. Source: MuJoCo's XML reference, sections
"equality/connect" and "equality/weld".
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from coopsim.features.models.frames import quaternion_matrix, three
from coopsim.geometry import Floats
from coopsim.scene import Joint, Problems, Span

_CONNECT, _WELD = 0, 1  # MuJoCo's kinds of equalities
_BODY = 1  # MuJoCo's kind of an object that is a body
_NAMES = ("connects bodies at a point", "welds bodies", "couples joints", "couples tendons")
_APART = 1e-3  # m; points that a model holds together and that are farther apart where it begins are left out
_ARM = 0.05  # m; between the points of a weld: about a hand, the size of what is welded
_CORNERS = _ARM * np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
_Frames = Mapping[int, tuple[Floats, Floats]]


class ModelLoops:
    """Equalities of a compiled model that hold bodies.

    Args:
        model: MuJoCo's.
        start: Its first line.
        problems: Takes a warning for each equality that is left out.
    """

    def __init__(self, model: Any, start: Span, problems: Problems) -> None:
        self._model, self._start, self._problems = model, start, problems

    def pivots(self, names: Mapping[int, str], frames: _Frames, free: int) -> Iterator[Joint]:
        """Yield the joints that close the loops.

        Args:
            names: Of the bodies, by MuJoCo's number.
            frames: Place and orientation of each in the robot, joints at 0.
            free: The body that moves freely with all others, 0 = none: nothing ties that one to the world.
        """
        model = self._model
        for number in range(model.neq):
            if int(model.eq_type[number]) not in (_CONNECT, _WELD):
                continue
            ends = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            points = self._points(number, ends, frames) if self._is_usable(number, ends, free) else None
            if points is None:
                self.warn_left_out(number)
                continue
            place, turn = frames[ends[0]]
            for k, point in enumerate(points):
                name = f"loop_{number + 1}" if len(points) == 1 else f"loop_{number + 1}_{'abc'[k]}"
                span = self._start
                anchor = three(turn.T @ (point - place))
                pair = names[ends[0]], names[ends[1]]
                yield Joint(name, "pivot", *pair, anchor=anchor, span=span, a_span=span, b_span=span)

    def _is_usable(self, number: int, ends: tuple[int, int], free: int) -> bool:
        model = self._model
        is_between_bodies = int(model.eq_objtype[number]) == _BODY and ends[0] != ends[1]
        return is_between_bodies and bool(model.eq_active0[number]) and not (free and 0 in ends)

    def _points(self, number: int, ends: tuple[int, int], frames: _Frames) -> Floats | None:
        """Return the points of the robot that are held together; None where they begin apart."""
        data, (place, turn), (far, far_turn) = self._model.eq_data[number], frames[ends[0]], frames[ends[1]]
        if int(self._model.eq_type[number]) == _CONNECT:
            point, partner = place + turn @ data[:3], far + far_turn @ data[3:6]
            return None if np.linalg.norm(point - partner) > _APART else point[np.newaxis]
        # of a weld: place and orientation of the second body in the frame of the first one
        corners = far + _CORNERS @ far_turn.T
        wanted = place + (data[3:6] + _CORNERS @ quaternion_matrix(data[6:10]).T) @ turn.T
        return None if np.abs(corners - wanted).max() > _APART else corners

    def warn_left_out(self, number: int) -> None:
        """Warn of an equality that is left out."""
        kind, name = int(self._model.eq_type[number]), self._model.equality(number).name
        what = _NAMES[kind] if kind < len(_NAMES) else "holds what is soft"
        self._problems.warn(self._start, f"the equality {name or number!r}, which {what}, is left out")
