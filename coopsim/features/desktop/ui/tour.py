"""The tour of a first user: nine steps of ten seconds, each with a ring around the widget that it speaks of."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from imgui_bundle import imgui

from coopsim.features.desktop.ui.style import ACCENT, shade
from coopsim.features.desktop.ui.widgets import PLACES, button

_WIDTH = 360.0
"""Of the text [units of the window]: lines of some fifty letters are read fastest."""
_RING, _PULSE, _PERIOD = 22.0, 4.0, 1.2
"""Radius of the ring, by how much it grows and shrinks [units of the window], and how fast [s]."""


@dataclass(frozen=True)
class TourStep:
    """Step of the tour.

    Attributes:
        title: Read first.
        text: At most what ten seconds are enough for.
        places: Names of widgets, the first of which that is there gets the ring.
    """

    title: str
    text: str
    places: tuple[str, ...] = ()


STEPS = (
    TourStep("The picture", "Right button: move the view. Wheel: zoom. Left button beside things: turn it. F: focus."),
    TourStep("Scenes", "File, Scenes (Ctrl+L) shows every scene with a picture. Open any of them.", ("menu.File",)),
    TourStep(
        "Time", "Space plays and pauses, . goes a step, Ctrl+Backspace resets.", ("toolbar.play or pause (Space)",)
    ),
    TourStep("Select and move", "Click a robot, then drag it. Shift turns it. Ctrl+Z takes everything back."),
    TourStep(
        "Insert", "Drag robots, walls and targets from the palette onto the floor.", ("palette.single", "menu.Arena")
    ),
    TourStep(
        "Drive", "The Robot Manager drives a robot with the arrow keys, or starts a law for it.", ("menu.Manager",)
    ),
    TourStep("Layers", "L, R and T show names, sensors and ways; V shows who sees whom.", ("toolbar.labels (L)",)),
    TourStep(
        "The past",
        "Drag in the time line to look back; its last button goes on from there.",
        ("timeline.to the beginning",),
    ),
    TourStep(
        "Save",
        "Ctrl+S writes the scene, Ctrl+R records the run. F1 lists all keys.",
        ("toolbar.save (Ctrl+S)", "menu.Help"),
    ),
)


class Tour:
    """The tour, drawn into a window that is begun.

    Args:
        clock: Real time [s].

    Attributes:
        at: Number of the step.
        is_over: Whether its last button was pressed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.at, self.is_over = 0, False

    def begin(self) -> None:
        """Begin with the first step."""
        self.at, self.is_over = 0, False

    @property
    def target(self) -> tuple[float, float] | None:
        """Place of the widget that the step speaks of, None where there is none."""
        return next((PLACES[name] for name in STEPS[self.at].places if name in PLACES), None)

    def draw(self) -> None:
        """Draw the step, its buttons and the ring."""
        step, is_last = STEPS[self.at], self.at == len(STEPS) - 1
        imgui.text_colored(imgui.ImVec4(*ACCENT, 1.0), f"{self.at + 1} of {len(STEPS)}   {step.title}")
        imgui.push_text_wrap_pos(_WIDTH)
        imgui.text(step.text)
        imgui.pop_text_wrap_pos()
        if button("tour.back", "Back", enabled=self.at > 0):
            self.at -= 1
        imgui.same_line()
        if button("tour.next", "Done" if is_last else "Next", strong=True):
            self.is_over, self.at = is_last, 0 if is_last else self.at + 1
        self._ring()

    def _ring(self) -> None:
        if self.target is not None:
            pulse = _PULSE * math.sin(math.tau * self._clock() / _PERIOD)
            ring = imgui.get_foreground_draw_list()
            ring.add_circle(imgui.ImVec2(*self.target), _RING + pulse, shade(*ACCENT), 0, 3.0)
