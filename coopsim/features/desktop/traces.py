"""Ways of robots, and what their sensors measure, as lines over the picture."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.ribbons import RIBBON, joined, trail
from coopsim.features.desktop.sensor_ribbons import Measured, read_from, sensor_ribbons
from coopsim.features.pictures.drawing_model import MOST_TRAILS, TRAIL_POINTS
from coopsim.features.pictures.drawn_sensors import DrawnSensors
from coopsim.geometry import Floats, Vector3

if TYPE_CHECKING:
    from coopsim.client import Readings


@dataclass
class Trails:
    """Trails of robots, in this viewer's time."""

    points: dict[str, deque[Floats]] = field(default_factory=dict)

    def add(self, name: str, point: Floats) -> None:
        """Append where a robot is, if it moved."""
        way = self.points.setdefault(name, deque(maxlen=TRAIL_POINTS))
        if not way or np.abs(way[-1] - point).max() > 0.02:
            if way and np.abs(way[-1] - point).max() > 1.0:
                way.clear()  # it was put elsewhere
            way.append(point.copy())

    def ribbons(self, colors: Mapping[str, Vector3], hidden: Collection[str] = ()) -> NDArray[np.void]:
        """Return rows of `RIBBON`.

        Args:
            colors: Of those whose ways are drawn, by name: red, green, blue, 0 to 1.
            hidden: Names of those whose ways are not drawn.
        """
        points = [
            trail(np.array(way), _shade(colors[name]))
            for name, way in self.points.items()
            if len(way) > 1 and name in colors and name not in hidden
        ]
        return joined(points)


def _shade(color: Vector3) -> tuple[int, int, int]:
    red, green, blue = (round(255 * channel) for channel in color)
    return red, green, blue


class Traces:
    """The layers that are made of lines.

    Args:
        layers: Which of them are on.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers, self._trails = layers, Trails()

    def clear(self) -> None:
        """Forget all ways."""
        self._trails = Trails()

    def add(self, model: SceneModel) -> None:
        """Remember where robots are."""
        if self._layers.trails and len(model.robot_colors) <= MOST_TRAILS:
            for name in model.robot_colors:
                self._trails.add(name, model.entity_poses[model.numbers[name], :3])

    def ribbons(
        self,
        model: SceneModel,
        sensors: Mapping[str, DrawnSensors],
        readings: "Readings | None",
        hidden: Collection[str] = (),
    ) -> NDArray[np.void]:
        """Return rows of `RIBBON`.

        Args:
            model: Where everything is.
            sensors: What can be drawn, by robot type.
            readings: What they read, None = it is not known.
            hidden: Names of robots of which nothing is drawn.
        """
        colors = model.robot_colors if self._layers.trails else {}
        ways = self._trails.ribbons(colors, hidden)
        return joined((ways, self._measured(model, sensors, readings, hidden)))

    def _measured(
        self,
        model: SceneModel,
        sensors: Mapping[str, DrawnSensors],
        readings: "Readings | None",
        hidden: Collection[str],
    ) -> NDArray[np.void]:
        if readings is None:
            return np.zeros(0, RIBBON)
        present = {kind: sensor for kind, sensor in sensors.items() if kind in readings.types}
        if hidden:
            present = {
                kind: of_kind for kind, of_kind in present.items() if not {*readings.of(kind).robots} <= {*hidden}
            }
        measured = read_from(readings)
        return sensor_ribbons(model, self._layers, present, _without(hidden, measured) if hidden else measured)


def _without(hidden: Collection[str], measured: Measured) -> Measured:
    """Return what looks readings up as `measured` does, but for robots that are hidden."""

    def looked_up(kind: str, module: str, field: str) -> tuple[Sequence[str], Floats]:
        names, values = measured(kind, module, field)
        kept = [place for place, name in enumerate(names) if name not in hidden]
        return [names[place] for place in kept], values[kept]

    return looked_up
