"""Seat assignment: one connection commands a player; the event channel tells connections apart.

Source: swarm gaming, section 3 (the game logic connects players with their robots).
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

PATIENCE = 20.0
"""Silence after which a seat may be taken by somebody else [s]."""
LOBBY_PATIENCE = 8.0
"""The same around the beginning of a match [s]: a robot nobody commands loses it. Signs of life come every 2 s."""
MOST_ORDERS = 20
"""Orders and claims of one connection that are read between two looks of the game."""
REPEATED = 5.0
"""Time for which the same refusal is counted instead of told again [s]: everybody reads it."""


@dataclass(slots=True)
class Seat:
    """Seat of a player, and the program that commands it.

    Attributes:
        holder: Source of its events, "" = nobody.
        heard: When it last said something [s].
        is_kept: Whether it says regularly that it is there, so that its silence means that it has vanished.
    """

    holder: str = ""
    heard: float = 0.0
    is_kept: bool = False


class Seats:
    """The seats of all players.

    Args:
        players: Who plays.
        keys: Name of the key that alone may hold the seat, by player; others are free to all.
        patience: Silence after which a seat may be taken by somebody else [s].

    Attributes:
        patience: As given; it may be changed.
    """

    def __init__(self, players: Collection[str], keys: Mapping[str, str], patience: float = PATIENCE) -> None:
        self._seats = {name: Seat() for name in players}
        self._keys, self.patience = keys, patience
        self._heard: Counter[str] = Counter()

    def __contains__(self, player: str) -> bool:
        """Return whether somebody of this name plays."""
        return player in self._seats

    def holder(self, player: str) -> str:
        """Return who holds a seat, "" = nobody."""
        return self._seats[player].holder

    def claim(self, player: str, source: str, now: float, *, keeps: bool) -> str:
        """Let somebody hold a seat, and note a sign of life; return why not, "" where it holds it now.

        Args:
            player: Whose seat.
            source: Who wants it, as the event channel says.
            now: Real time [s].
            keeps: Whether it will say regularly that it is there.
        """
        seat = self._seats.get(player)
        if seat is None:
            return f"there is no player {player}"
        key = self._keys.get(player)
        if key and source != key:
            return f"the seat of {player} belongs to the key {key}"
        if seat.holder not in {"", source} and now - seat.heard <= self.patience:
            return f"the seat of {player} is held by {seat.holder}"
        is_kept = keeps or (seat.is_kept and seat.holder == source)
        self._seats[player] = Seat(source, now, is_kept)
        return ""

    def give_back(self, player: str, source: str) -> str:
        """Free a seat; return why not, "" where it is free now."""
        seat = self._seats.get(player)
        if seat is None or seat.holder != source:
            return f"{source} does not hold the seat of {player}"
        self._seats[player] = Seat()
        return ""

    def vanished(self, now: float) -> list[str]:
        """Free the seats of those that said they are there and no longer do; return whose they were."""
        seats = [
            name
            for name, seat in self._seats.items()
            if seat.holder and seat.is_kept and now - seat.heard > self.patience
        ]
        for name in seats:
            self._seats[name] = Seat()
        return seats

    # floods

    def begin_round(self) -> dict[str, int]:
        """Begin to count anew; return how many orders too many came since the last time, by who sent them."""
        over = {name: count - MOST_ORDERS for name, count in self._heard.items() if count > MOST_ORDERS}
        self._heard.clear()
        return over

    def is_flooded(self, source: str) -> bool:
        """Count an order or a claim, and return whether it is one too many."""
        self._heard[source] += 1
        return self._heard[source] > MOST_ORDERS


@dataclass(slots=True)
class _ToldRefusal:
    """Refusal that was told: when [s], and how many followed since."""

    time: float
    more: int = 0


class Refusals:
    """Refusals of what strangers try, told once and counted for a while: a flood must fill nobody's terminal."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str, str], _ToldRefusal] = {}

    def is_new(self, source: str, rule: str, text: str, now: float) -> bool:
        """Note a refusal; return whether it is to be told, and not one of those that are counted.

        Args:
            source: Whose event is refused.
            rule: That it breaks.
            text: For people.
            now: Real time [s].
        """
        key = source, rule, text
        if key in self._told:
            self._told[key].more += 1
            return False
        self._told[key] = _ToldRefusal(now)
        return True

    def counted(self, now: float) -> list[tuple[str, str, str]]:
        """Return source, rule and text of refusals that came again, whose time is over: the next one is told anew."""
        over = {key: refused for key, refused in self._told.items() if now - refused.time >= REPEATED}
        for key in over:
            del self._told[key]
        return [
            (source, rule, f"{refused.more} more in {REPEATED:g} s: {text}")
            for (source, rule, text), refused in over.items()
            if refused.more
        ]
