"""Detects a device that does not return: while it runs there are no ticks."""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from coopsim.interfaces import Interface
from coopsim.plugins import shown
from coopsim.transport.control import PluginReturned, PluginStuck

PATIENCE = 2.0
"""Time after which a call is reported [s]."""
_OURS = str(Path(__file__).parent.parent)


class Watchdog:
    """Looks at what one thread does, once in a while, from a thread of its own.

    Args:
        tell: Called, by that thread, with what is stuck and then for how long; with nothing when it has returned.
        interval: Between two looks [s].
        patience: How long a call may last [s].
    """

    def __init__(
        self, tell: Callable[[PluginStuck | PluginReturned], None], interval: float = 0.5, patience: float = PATIENCE
    ) -> None:
        self._tell, self._interval, self._patience = tell, interval, patience
        self._watched = threading.get_ident()
        self._over = threading.Event()
        self._call: FrameType | None = None
        self._looks = 0
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._interval):
            self._check()

    def _check(self) -> None:
        before, self._call = self._call, foreign_call(sys._current_frames().get(self._watched))  # noqa: SLF001
        # the same frame object, not only the same method: a method that is called in each tick has a new one each time
        if self._call is not None and self._call is before:
            self._looks += 1
            seconds = self._looks * self._interval
            if seconds >= self._patience:
                self._tell(PluginStuck(described(self._call), seconds))
            return
        if self._looks * self._interval >= self._patience:
            self._tell(PluginReturned())
        self._looks = 0


def foreign_call(frame: FrameType | None) -> FrameType | None:
    """Return the call of a method of a foreign device or engine that a thread is in, None if it is in none."""
    called = None
    for caller in _frames(frame):
        thing = caller.f_locals.get("self")
        if not caller.f_code.co_filename.startswith(_OURS) and _is_plugin(thing):
            called = caller  # the outermost one
    return called


def described(call: FrameType) -> str:
    """Return where, who, and which method."""
    code, thing = call.f_code, call.f_locals.get("self")
    interface = getattr(thing, "interface", None)
    who = f"device {interface.kind}" if isinstance(interface, Interface) else type(thing).__name__
    return f"{shown(code.co_filename)}:{call.f_lineno}: {who}: {code.co_name}"


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_plugin(thing: Any) -> bool:
    kind = type(thing)
    return isinstance(getattr(kind, "interface", None), Interface) or hasattr(kind, "position_lag")
