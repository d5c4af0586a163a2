"""Queue of what mouse and keys did since the last frame: no frame gets more than Dear ImGui can tell apart.

A tab, or a button that others may cover, is pressed only where the mouse was in the frame before; and a press and a
release in one frame are nothing. Where few frames are drawn in a second, all of that happens between two of them; many
letters are written then, too, which come all at once.
"""

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

from imgui_bundle import imgui


@dataclass(frozen=True, slots=True)
class MouseMoved:
    """The mouse is elsewhere, in units of the window from its upper left corner."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ButtonTurned:
    """A button of the mouse was pressed, or released."""

    button: int
    down: bool


@dataclass(frozen=True, slots=True)
class WheelTurned:
    """The wheel was turned."""

    across: float
    up: float


@dataclass(frozen=True, slots=True)
class KeyTurned:
    """A key was pressed, or released."""

    key: imgui.Key
    down: bool


@dataclass(frozen=True, slots=True)
class LetterWritten:
    """A letter was written."""

    letter: str


_MODIFIERS = (imgui.Key.mod_ctrl, imgui.Key.mod_shift, imgui.Key.mod_alt)
InputEvent: TypeAlias = MouseMoved | ButtonTurned | WheelTurned | KeyTurned | LetterWritten


class InputQueue:
    """Events in their order, some for each frame."""

    def __init__(self) -> None:
        self._events: deque[InputEvent] = deque()
        self._place = MouseMoved(-1.0, -1.0)
        self._held: set[imgui.Key] = set()
        """Modifiers that are down."""

    def __len__(self) -> int:
        return len(self._events)

    def add(self, event: InputEvent) -> None:
        """Add an event; of places on the way, one after the other, the last one is enough."""
        if isinstance(event, MouseMoved) and self._events and isinstance(self._events[-1], MouseMoved):
            self._events.pop()
        self._events.append(event)

    def frame(self) -> list[InputEvent]:
        """Return what the next frame gets: up to a button, or to a key that is no letter, each of which comes alone."""
        events: list[InputEvent] = []
        has_moved, writes, pressed = False, False, None
        while self._events:
            event = self._events[0]
            if isinstance(event, ButtonTurned) and event.down and has_moved:
                break
            if isinstance(event, KeyTurned) and event.down and event.key not in _MODIFIERS and not self._is_letter():
                if writes or pressed is not None:
                    break
                pressed = event.key
            elif pressed is not None and (
                isinstance(event, LetterWritten) or event == KeyTurned(pressed, down=False) or self._modifies(event)
            ):
                break
            self._hold(event)
            events.append(self._events.popleft())
            writes = writes or isinstance(event, LetterWritten)
            if isinstance(event, MouseMoved):
                has_moved, self._place = has_moved or event != self._place, event
            if isinstance(event, ButtonTurned):
                break
        return events

    def _modifies(self, event: InputEvent) -> bool:
        """Return whether a modifier turns with an event: Ctrl that is let go before A is still a part of Ctrl+A."""
        if not isinstance(event, KeyTurned) or event.key not in _MODIFIERS:
            return False
        return (event.key in self._held) != event.down

    def _hold(self, event: InputEvent) -> None:
        """Remember whether a modifier is down."""
        if isinstance(event, KeyTurned) and event.key in _MODIFIERS:
            (self._held.add if event.down else self._held.discard)(event.key)

    def _is_letter(self) -> bool:
        """Return whether the key that comes next writes a letter."""
        return len(self._events) > 1 and isinstance(self._events[1], LetterWritten)
