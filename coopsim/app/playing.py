"""A match as its player sees it: lines of orders in, what happens out."""

import contextlib
import json
import os
import select
import time
from typing import TYPE_CHECKING, Any

from coopsim.app import talk
from coopsim.errors import BadArgument, SimulationEnded
from coopsim.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.message import ChannelEvent

_PERIOD = 0.1
"""Largest time between two looks at what was typed [s]."""
_LINGER = 1.0
"""Time that answers are waited for after the last line [s]."""


class TypedLines:
    """Lines of a file descriptor, taken without waiting for the next one.

    Args:
        descriptor: A terminal, a pipe or a file.

    Attributes:
        is_over: Whether all were taken and no more will come.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, b""
        self.is_over = False

    def take(self) -> list[str]:
        """Return the lines that came since the last time, without empty ones."""
        while not self.is_over and select.select([self._descriptor], [], [], 0.0)[0]:
            came = os.read(self._descriptor, 65_536)
            self.is_over = not came
            self._rest += came or b"\n"
        *lines, self._rest = self._rest.split(b"\n")
        texts = (line.decode(errors="replace").strip() for line in lines)
        return [text for text in texts if text]


def missing(game: Any, player: str) -> str:
    """Return why nobody can play this player, "" where one can.

    Args:
        game: What the run tells of its game, None = it has none.
        player: Its name.
    """
    if not isinstance(game, dict):
        return "no match is run there: its scenario has no section [GAME]"
    names = [it["name"] for it in game["players"]]
    return "" if player in names else f"there is no player {player!r}{did_you_mean(player, names)}; {listed(names)}"


def play_by_lines(sim: "Client", player: str, typed: TypedLines, linger: float = _LINGER) -> None:
    """Publish each line as an order and print what happens, until the match or the input ends.

    Args:
        sim: The run.
        player: Whose squads are commanded.
        typed: The lines.
        linger: Time that answers are waited for after the last line [s].
    """
    last = float("inf")
    with sim.listen("/game/log", "/game/end") as told, contextlib.suppress(SimulationEnded):
        while not told.is_over and time.monotonic() <= last:
            for line in typed.take():
                _order(sim, player, line)
            if typed.is_over and last == float("inf"):
                last = time.monotonic() + linger
            event = told.hear(_PERIOD)
            if event is not None:
                talk.data(shown(event))
                if event.topic == "/game/end":
                    return


def shown(event: "ChannelEvent") -> str:
    """Return an event of a match as people read it."""
    if event.topic != "/game/end":
        return f"{event.data[0]:6.1f} s  {event.text}" if event.data else event.text
    found = json.loads(event.text)
    return f"{found['winner'] or 'nobody'} wins after {found['time']:g} s: {found['reason']}"


def _order(sim: "Client", player: str, line: str) -> None:
    try:
        sim.publish(f"/game/orders/{player}", line)
    except BadArgument as problem:
        talk.complain(str(problem))
