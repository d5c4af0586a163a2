"""Joysticks and game controllers that drive a robot."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pyglet

_log = logging.getLogger(__name__)
# worn sticks rest a tenth off the middle, and robots would creep
_DEAD = 0.12
"""Nearer to the middle than this a stick counts as let go."""


def connected_joysticks() -> Sequence[Any]:
    """Return what is plugged in, as `pyglet.input` knows it; without windows that cannot be imported."""
    if pyglet.options.headless:
        return ()
    joysticks: Sequence[Any] = pyglet.input.get_joysticks()
    return joysticks


class JoystickAxes:
    """The first joystick there is, while a robot is driven.

    Args:
        joysticks: Returns what is plugged in.

    Attributes:
        name: Of the device, "" = none is used.
    """

    def __init__(self, joysticks: Callable[[], Sequence[Any]] = connected_joysticks) -> None:
        self._joysticks = joysticks
        self._used: Any = None
        self.name = ""

    def open(self) -> None:
        """Listen to the first joystick that lets itself be opened."""
        self.close()
        for stick in self._found():
            try:
                stick.open()
            except Exception as problem:  # another program has it, or the user may not; each driver has its own
                _log.info("%s cannot be used: %s", stick, problem)
                continue
            self._used, self.name = stick, str(stick.device.name)
            return

    def _found(self) -> Sequence[Any]:
        """Return what is plugged in; nothing where the machine cannot tell, as without /dev/input."""
        try:
            return self._joysticks()
        except Exception as problem:  # each system has its own
            _log.info("joysticks cannot be looked for: %s", problem)
            return ()

    def close(self) -> None:
        """Listen no more."""
        used, self._used, self.name = self._used, None, ""
        if used is not None:
            used.close()

    @property
    def position(self) -> tuple[float, float]:
        """Position of the stick, ahead and to the left, -1 to 1."""
        if self._used is None:
            return 0.0, 0.0
        self._listen()
        if self._used is None:
            return 0.0, 0.0
        return 0.0 - _beyond(self._used.y), 0.0 - _beyond(self._used.x)

    def _listen(self) -> None:
        """Take in what happened: our loop is not pyglet's, which would."""
        device = self._used.device
        try:
            if hasattr(device, "select") and device.poll():
                device.select()
        except OSError:
            self.close()
        if self._used is not None and not device.is_open:  # unplugged: pyglet leaves axes as they were last
            self.close()


def _beyond(value: float) -> float:
    """Return how far a stick is pushed beyond the middle."""
    rest = max(0.0, abs(value) - _DEAD) / (1.0 - _DEAD)
    return min(1.0, rest) if value > 0.0 else -min(1.0, rest)
