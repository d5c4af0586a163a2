"""A match as its player sees it: lines of orders in, what happens out."""

import contextlib
import math
import os
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from coopsim.app import talk
from coopsim.errors import BadArgument, NoReply, SimulationEnded
from coopsim.features.laws.planning import FORMATIONS
from coopsim.features.matches.events import CHAT, END_TOPIC, STATUS_TOPIC, LobbyNews, match_result
from coopsim.features.matches.sentences import sentence
from coopsim.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.features.matches.sealing import SealedTalk
    from coopsim.message import ChannelEvent

_PERIOD = 0.1
"""Largest time between two looks at what was typed [s]."""
_LINGER = 1.0
"""Time that answers are waited for after the last line [s]."""
_ARRIVAL = 30.0
"""Time that the logic of the match is waited for after the last line [s]."""
_ASKING = ("help", "?")
"""Lines that are answered at once, and are no orders."""
_UNTOLD = 1.0
"""Time that orders wait before it is said what for: a logic that is there answers a claim sooner [s]."""
_IN_WORDS = (["lobby"], ["seat"])
"""Rules whose lines say themselves what happened, and to whom."""
_SIGN = 2.0
"""Time between two signs of life [s]."""


class OrderLines(Protocol):
    """Lines that a player types, taken without waiting for the next one.

    Attributes:
        is_over: Whether all were taken and no more will come.
    """

    is_over: bool

    def read_lines(self) -> list[str]:
        """Return the lines that came since the last time, without empty ones."""
        ...


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

    def read_lines(self) -> list[str]:
        """Return the lines that came since the last time, without empty ones."""
        while not self.is_over and select.select([self._descriptor], [], [], 0.0)[0]:
            data = os.read(self._descriptor, 65_536)
            self.is_over = not data
            self._rest += data or b"\n"
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
    names = [player_facts["name"] for player_facts in game["players"]]
    return "" if player in names else f"there is no player {player!r}{did_you_mean(player, names)}; {listed(names)}"


def play_by_lines(
    sim: "Client", player: str, typed: OrderLines, linger: float = _LINGER, clock: Callable[[], float] = time.monotonic
) -> bool:
    """Publish each line as an order and print what happens, until the match or the input ends.

    Args:
        sim: The run.
        player: Whose squads are commanded.
        typed: The lines.
        linger: Time that answers are waited for after the last line [s].
        clock: Real time [s].

    Returns:
        Whether the match ended, or the player left it; if not, it is said why it has no end.
    """
    from coopsim.features.matches.stream import RUN_ENDED, MatchStream

    last, waiting, absence, lobby = float("inf"), _HeldLines(sim, player, clock), RUN_ENDED, LobbyNews()
    with (
        MatchStream(sim, sim.info()["game"]) as stream,
        contextlib.suppress(SimulationEnded),
        seated(sim, player, stream.talk) as sit,
    ):
        waiting.words = stream.talk
        while not stream.absence and clock() <= last:
            sit()
            waiting.add(typed.read_lines())
            if typed.is_over and last == float("inf"):
                last = clock() + (_ARRIVAL if waiting.lines else linger)
            event = stream.hear(_PERIOD)
            if event is None:
                continue
            if waiting.is_heard_by(event):
                waiting.send()
                last = clock() + linger if typed.is_over else last
            if text := _line_of(event, lobby):
                talk.data(text)
            if event.topic == END_TOPIC and match_result(event.text):
                return True
        absence = stream.absence
    _complain(absence, waiting.lines)
    return not absence


def _complain(absence: str, unsent: Sequence[str]) -> None:
    """Say why a match has no end, "" = nothing to say, and which orders nobody heard."""
    if absence:
        talk.complain(absence)
    if unsent:
        talk.complain(f"no logic of a match has told anything: not ordered: {'; '.join(unsent)[:200]}")


class _HeldLines:
    """Orders that nobody would hear before the logic of the match has told something.

    Args:
        sim: The run.
        player: Whose squads are commanded.
        clock: Real time [s].

    Attributes:
        words: What seals orders, None = nothing.
        is_there: Whether its logic has told something.
        lines: Those that wait.
    """

    words: "SealedTalk | None" = None

    def __init__(self, sim: "Client", player: str, clock: Callable[[], float]) -> None:
        self._sim, self._player, self._clock = sim, player, clock
        self.is_there, self._is_said, self._said_at = False, False, math.inf
        self.lines: list[str] = []

    def add(self, lines: list[str]) -> None:
        """Give orders, or keep them where nobody hears them yet."""
        for line in (line for line in lines if line in _ASKING):
            _order(self._sim, self._player, line)
        self.lines += [line for line in lines if line not in _ASKING]
        if self.is_there:
            self.send()
        elif self.lines and self._said_at == math.inf and not self._is_said:
            self._said_at = self._clock() + _UNTOLD
        elif self._clock() >= self._said_at:
            self._said_at, self._is_said = math.inf, True
            talk.note("the logic of the match has told nothing yet; orders wait for it")

    def is_heard_by(self, event: "ChannelEvent") -> bool:
        """Return whether an event is the first sign that the logic hears orders."""
        is_logic = not event.topic.startswith(CHAT) and bool(event.data)
        return not self.is_there and is_logic and self.words is not None and self.words.is_told

    def send(self) -> None:
        """Give all orders that wait, now that they are heard."""
        self.is_there = True
        lines, self.lines = self.lines, []
        for line in lines:
            _order(self._sim, self._player, line, self.words)


@contextlib.contextmanager
def seated(sim: "Client", player: str, words: "SealedTalk | None" = None) -> Iterator[Callable[[], None]]:
    """Take the seat of a player and give it back; what it yields says now and then that somebody is there.

    Args:
        sim: The run.
        player: Whose seat.
        words: Has the key that the logic is told, None = nothing is sealed.
    """
    topic, said = f"/game/seats/{player}", time.monotonic()
    sim.publish(topic, "claim")

    def sit() -> None:
        nonlocal said
        for introduced in [] if words is None else words.introduction(player):
            sim.publish(*introduced)
        if time.monotonic() - said > _SIGN:
            said = time.monotonic()
            sim.publish(topic, "here")

    try:
        yield sit
    finally:
        with contextlib.suppress(SimulationEnded, NoReply):
            sim.publish(topic, "release")


def help_text(game: Mapping[str, Any], player: str) -> str:
    """Return what a player may type, with the names of this match.

    Args:
        game: Facts of the match.
        player: Who asks.
    """
    own = [squad for squad in game["squads"] if squad["player"] == player]
    enemies = [squad["name"] for squad in game["squads"] if squad["player"] != player]
    flags = [row["flag"] for row in game["players"] if row["flag"] and row["name"] != player]
    homes = [row["base"] for row in game["players"] if row["base"] and row["name"] == player]
    squad, robot = own[0]["name"], own[0]["robots"][0]
    rows = [
        (f"{squad} gather [X Y] [FORMATION]", f"take places; {listed([*FORMATIONS])}"),
        (f"{squad} go_to X Y [FORMATION]", "go somewhere as a whole"),
        (f"{squad} attack NAME", f"{listed(enemies)}, a robot or a flag of others"),
        (f"{squad} defend NAME", "stand around something"),
        *[(f"{squad} capture {flag}", "fetch that flag") for flag in flags],
        *[(f"{squad} bring {base}", "carry a flag home") for base in homes],
        (f"{squad} stop", "stand still"),
        *[(f"{row['name']} {verb} ...", "as its plugin says") for row in own for verb in row.get("behaviours", ())],
        (f"{squad} split NAME {robot} ...", "these robots form squad NAME"),
        (f"{squad} merge NAME", "squad NAME joins it"),
        (f"{robot} take [SECONDS]", "by hand from now on"),
        (f"{robot} drive SPEED TURN", "by hand"),
        (f"{robot} give", "no longer by hand"),
        (f"{robot} help", "others come and defend it"),
        *([("ready", "begin, when all are")] if game.get("lobby") else []),
        ("say WORDS", "to all; Ctrl-D leaves"),
    ]
    width = max(len(typed) for typed, _ in rows)
    squads = "; ".join(f"{row['name']} ({listed(row['robots'])})" for row in own)
    return "\n".join([f"squads of {player}: {squads}", *(f"{typed:<{width}}  {meaning}" for typed, meaning in rows)])


def shown(event: "ChannelEvent") -> str:
    """Return an event of a match as people read it."""
    if event.topic.startswith(CHAT):
        return f"{event.topic.rpartition('/')[2]} says: {event.text}"
    result = match_result(event.text) if event.topic == END_TOPIC else None
    if result is None:
        text = sentence(event.text) if event.text.split(": ")[1:2] in _IN_WORDS else event.text
        return f"{event.data[0]:6.1f} s  {text}" if event.data else text
    return f"{result['winner'] or 'nobody'} wins after {result['time']:g} s: {result['reason']}"


def _line_of(event: "ChannelEvent", lobby: LobbyNews) -> str:
    """Return an event as a line; of the status what it says of the lobby, "" where that is nothing new."""
    news = lobby.text(event)
    if event.topic != STATUS_TOPIC:
        return shown(event)
    return f"{event.data[0]:6.1f} s  {news}" if news else ""


def _order(sim: "Client", player: str, line: str, words: "SealedTalk | None" = None) -> None:
    says, _, said = line.partition(" ")
    if line in _ASKING:
        talk.data(help_text(sim.info()["game"], player))
        return
    try:
        if line == "ready":
            sim.publish(f"/game/seats/{player}", line)
        elif says == "say":
            sim.publish(f"{CHAT}{player}", said)
        else:
            for event in [(f"/game/orders/{player}", line)] if words is None else words.order(player, line):
                sim.publish(*event)
    except BadArgument as problem:
        talk.complain(str(problem))
