"""Adaptive switching in the challenge: a component chooses the gain of the follower by the context that it sees.

Source: AMSA, section 4 (adaptive switching of parameters by context).
"""

import math
from types import SimpleNamespace
from typing import Any

from coopsim.features.amsa.components.behavior import Behavior
from coopsim.features.amsa.components.rovers import REFERENCE, follow


class GainSwitch(Behavior):
    """Takes the high gain while the usual one would leave the follower too far behind, judged by the mean distance.

    With the usual gain the mean distance shows worn motors; with the high one, a distance that swings shows that they
    are strong again.
    """

    def initialize(self) -> None:
        """Begin with the usual gain, and an empty window."""
        self._is_high, self._count, self._sum = False, 0, 0.0
        self._least, self._most = math.inf, -math.inf

    def do_step(self, inputs: Any, parameters: Any) -> float:
        """Return the gain; it may change once a window is full."""
        if not parameters.adapts:
            return float(parameters.Kv)
        self._count += 1
        self._sum += inputs.distance - REFERENCE
        self._least, self._most = min(self._least, inputs.distance), max(self._most, inputs.distance)
        if self._count * self.period >= parameters.window:
            swings = self._most - self._least > parameters.swing
            self._is_high = not swings if self._is_high else self._sum / self._count > parameters.tolerance
            self._count, self._sum, self._least, self._most = 0, 0.0, math.inf, -math.inf
        gain: float = parameters.high if self._is_high else parameters.Kv
        return gain


def follow_by_gain(inputs: Any, parameters: Any) -> tuple[float, float]:
    """Return the powers of the wheels as the control law of the challenge does, by a gain that comes as data."""
    return follow(inputs, SimpleNamespace(Kv=inputs.gain, Kw=parameters.Kw))
