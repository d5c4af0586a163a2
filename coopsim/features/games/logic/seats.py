"""Seat assignment: one connection commands a player; the event channel tells connections apart.

Source: swarm gaming, section 3 (the game logic connects players with their robots).
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

PATIENCE = 20.0
"""Silence after which a seat may be taken by somebody else [s]."""
MOST_ORDERS = 20
"""Orders and claims of one connection that are read between two looks of the game."""


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
    """

    def __init__(self, players: Collection[str], keys: Mapping[str, str], patience: float = PATIENCE) -> None:
        self._seats = {name: Seat() for name in players}
        self._keys, self._patience = keys, patience
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
        if seat.holder not in {"", source} and now - seat.heard <= self._patience:
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
            if seat.holder and seat.is_kept and now - seat.heard > self._patience
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
