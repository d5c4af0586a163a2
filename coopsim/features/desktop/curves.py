"""Values over time for plots: readings, poses and metrics out of what was seen, parameters as they are asked."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.desktop.history import History
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.metric_curves import MetricCurves
from coopsim.geometry import Floats, heading
from coopsim.interfaces import Value

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView

POSE_FIELDS = ("x", "y", "z", "heading")
_MOST_POINTS = 4000  # more than a screen has columns
_ASKED_EVERY = 0.5  # s; asking costs a request, and a parameter seldom changes


@dataclass(frozen=True, slots=True)
class PlotChannel:
    """Quantity that is a number at every instant.

    Attributes:
        entity: Robot or object.
        module: Of the robot; "" = the pose.
        field: Reading, one of `POSE_FIELDS`, or a parameter.
        column: Which number of the reading.
        is_parameter: Whether it is a parameter.
    """

    entity: str
    module: str
    field: str
    column: int = 0
    is_parameter: bool = False

    @property
    def label(self) -> str:
        """For people."""
        place = f"[{self.column}]" if self.column else ""
        return ".".join(word for word in (self.entity, self.module, self.field) if word) + place


@dataclass
class Curve:
    """A channel over time.

    Attributes:
        times: Ascending [s].
        values: At these times.
    """

    channel: PlotChannel
    times: Floats = field(default_factory=lambda: np.zeros(0))
    values: Floats = field(default_factory=lambda: np.zeros(0))
    changes: int = -1


class Curves:
    """The channels that are plotted.

    Args:
        history: What was seen.
        link: Returns the connection to the run; parameters are asked there.
        scene_of: Returns what there was at a state; None = what there is now.

    Attributes:
        chosen: What is plotted.
        metrics: That are plotted.
        references: Values that channels should have.
    """

    def __init__(
        self,
        history: History,
        link: Callable[[], ViewerLink],
        scene_of: "Callable[[State], SceneView | None] | None" = None,
    ) -> None:
        self._history, self._link = history, link
        self.metrics = MetricCurves(history, scene_of or (lambda _: link().scene), lambda: link().extras)
        self.chosen: dict[PlotChannel, Curve] = {}
        self.references: dict[PlotChannel, float] = {}
        self._due = -math.inf

    def toggle(self, channel: PlotChannel) -> None:
        """Plot a channel, or no more."""
        if self.chosen.pop(channel, None) is None:
            self.chosen[channel] = Curve(channel)

    def clear(self) -> None:
        """Plot nothing."""
        self.chosen.clear()
        self.metrics.chosen.clear()

    def update(self, now: float, seconds: float) -> None:
        """Take in what came.

        Args:
            now: By the monotonic clock [s].
            seconds: Time of what is shown [s].
        """
        for curve in self.chosen.values():
            if not curve.channel.is_parameter and curve.changes != self._history.changes:
                self._fill(curve)
        self.metrics.update()
        if now >= self._due:
            self._due = now + _ASKED_EVERY
            for channel in [channel for channel in self.chosen if channel.is_parameter]:
                self._ask(channel, seconds)

    def _fill(self, curve: Curve) -> None:
        """Take over what was seen; of long times one state of several."""
        history, channel = self._history, curve.channel
        step = max(1, len(history) // _MOST_POINTS)
        values = [_value(state, channel) for state in history.states[::step]]
        curve.times, curve.values = np.array(history.times[::step]), np.array(values)
        curve.changes = history.changes

    def _ask(self, channel: PlotChannel, seconds: float) -> None:
        target = f"/{channel.entity}/{channel.module}"

        def insert_value(value: Value) -> None:
            curve = self.chosen.get(channel)
            if curve is not None and not isinstance(value, str):
                place = bisect_left(curve.times.tolist(), seconds)
                curve.times = np.insert(curve.times, place, seconds)[-_MOST_POINTS:]
                curve.values = np.insert(curve.values, place, float(value))[-_MOST_POINTS:]

        self._link().ask(lambda simulation: simulation.module(target).get_parameter(channel.field), then=insert_value)


def _value(state: "State", channel: PlotChannel) -> float:
    """Return a number of a state, not a number where it has none."""
    try:
        if not channel.module:
            x, y, z, *turn = state.pose(channel.entity).tolist()
            return float((x, y, z, heading(*turn))[POSE_FIELDS.index(channel.field)])
        rows = state.readings[channel.entity]
        values = np.atleast_1d(getattr(getattr(rows, channel.module), channel.field))
        return float(values[channel.column])
    except (CoopsimError, KeyError, AttributeError, IndexError):
        return math.nan  # it was not there yet, or is gone
