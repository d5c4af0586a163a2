"""Playback position and speed: pure logic with the clock passed in, no file and no thread."""

import math
from dataclasses import dataclass

from coopsim.errors import BadArgument
from coopsim.interfaces.playback import FASTEST, LEAST, SLOWEST


@dataclass(frozen=True, slots=True)
class Loop:
    """A part that is repeated [ns]."""

    begin_ns: int
    end_ns: int


class Player:
    """A position that moves along a recording, from `begin_ns` to `end_ns`, while it plays.

    At the end that it runs to it pauses, unless a part is repeated; then it never plays outside of that part. Seeking
    never changes whether it plays, pausing never changes the speed.

    Source: CoopDynSim, section III-A (a desired time is sought by message).

    Args:
        begin_ns: Position of the first record.
        end_ns: Position of the last one.
        now_ns: Real time, from any origin.
        speed: Recorded seconds per real second.
        is_playing: Whether it moves from the start.

    Attributes:
        position_ns: Where it stood at the last update of the time.
        now_ns: When that was.
        loop: What is repeated; None = nothing.

    Raises:
        BadArgument: The speed is out of range.
    """

    def __init__(self, begin_ns: int, end_ns: int, now_ns: int, *, speed: float = 1.0, is_playing: bool = True) -> None:
        self.begin_ns, self.end_ns = begin_ns, end_ns
        self.position_ns, self.is_playing, self.speed = begin_ns, is_playing, check_speed(speed)
        self.loop: Loop | None = None
        if speed < 0.0:
            self.position_ns = end_ns
        self._settle(now_ns)

    def advance(self, now_ns: int) -> int:
        """Move to where it should be now; return the position."""
        self.now_ns = now_ns
        if self.is_playing and self.speed:
            self._move(self._from_ns + round(self.speed * (now_ns - self._since)))
        return self.position_ns

    def until(self, position_ns: int) -> int | None:
        """Return how long after the last `advance` it reaches a position, or what ends its way before [real ns].

        Returns:
            None when it stands still; 0 for a position that lies behind it.
        """
        if not self.is_playing or not self.speed:
            return None
        bound = self._bound()
        nearest = min(position_ns, bound) if self.speed > 0.0 else max(position_ns, bound)
        return max(0, math.ceil((nearest - self.position_ns) / self.speed))

    # what people ask for

    def play(self, now_ns: int) -> None:
        """Move from now on; at the end that it runs to, begin anew at the other."""
        self.advance(now_ns)
        if self.loop is None and self.speed and self.position_ns == self._bound():
            self.position_ns = self.begin_ns if self.speed > 0.0 else self.end_ns
        self.is_playing = True
        self._enter_loop()
        self._settle(now_ns)

    def pause(self, now_ns: int) -> None:
        """Stand still from now on."""
        self.advance(now_ns)
        self.is_playing = False

    def seek(self, position_ns: int, now_ns: int) -> None:
        """Go to a position; what cannot be reached means the nearest end, see `nearest`."""
        self.position_ns = self.nearest(position_ns)
        self._settle(now_ns)

    def nearest(self, position_ns: int) -> int:
        """Return the position that `seek` goes to: within the recording, and within the loop while it plays."""
        part = self.loop if self.loop is not None and self.is_playing else Loop(self.begin_ns, self.end_ns)
        return max(part.begin_ns, min(position_ns, part.end_ns))

    def set_speed(self, speed: float, now_ns: int) -> None:
        """Change the speed.

        Raises:
            BadArgument: It is out of range.
        """
        check_speed(speed)
        self.advance(now_ns)
        self.speed = speed
        self._settle(now_ns)

    def repeat(self, begin_ns: int, end_ns: int, now_ns: int) -> Loop:
        """Repeat a part; return it as far as the recording goes.

        Raises:
            BadArgument: Nothing lies between its ends.
        """
        begin, end = max(begin_ns, self.begin_ns), min(end_ns, self.end_ns)
        if begin >= end:
            wanted, available = _span(begin_ns, end_ns), _span(self.begin_ns, self.end_ns)
            raise BadArgument(f"nothing can be repeated between {wanted}; the recording lies between {available}")
        self.advance(now_ns)
        self.loop = Loop(begin, end)
        self._enter_loop()
        self._settle(now_ns)
        return self.loop

    def repeat_nothing(self, now_ns: int) -> None:
        """Play to the end from now on."""
        self.advance(now_ns)
        self.loop = None
        self._settle(now_ns)

    # how it moves

    def _settle(self, now_ns: int) -> None:
        """Count the way from here and now."""
        self._from_ns, self._since, self.now_ns = self.position_ns, now_ns, now_ns

    def _bound(self) -> int:
        """Return where its way ends: at the end of the loop, or of the recording."""
        part = self.loop or Loop(self.begin_ns, self.end_ns)
        return part.end_ns if self.speed > 0.0 else part.begin_ns

    def _enter_loop(self) -> None:
        """Begin a loop that it is outside of at the end that it plays from."""
        loop = self.loop
        if loop is not None and self.is_playing and not loop.begin_ns <= self.position_ns <= loop.end_ns:
            self.position_ns = loop.begin_ns if self.speed >= 0.0 else loop.end_ns

    def _move(self, wanted_ns: int) -> None:
        bound, loop = self._bound(), self.loop
        beyond = wanted_ns - bound if self.speed > 0.0 else bound - wanted_ns
        if beyond < 0:
            self.position_ns = wanted_ns
        elif loop is not None:
            rest = beyond % (loop.end_ns - loop.begin_ns)
            self.position_ns = loop.begin_ns + rest if self.speed > 0.0 else loop.end_ns - rest
            self._settle(self.now_ns)
        else:
            self.position_ns, self.is_playing = bound, False


def check_speed(speed: float) -> float:
    """Return `speed`.

    Raises:
        BadArgument: It is out of range.
    """
    if not SLOWEST <= speed <= FASTEST:
        raise BadArgument(f"speed must lie within {SLOWEST:g} and {FASTEST:g}, got {speed:g}")
    if 0.0 < abs(speed) < LEAST:
        raise BadArgument(f"speed must be 0, or at least {LEAST:g} either way, got {speed:g}")
    return speed


def _span(begin_ns: int, end_ns: int) -> str:
    return f"{begin_ns / 1e9:g} and {end_ns / 1e9:g} s"
