"""Standings of a tournament: win shares with their intervals, ratings, and what seats and lists make of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coopsim.features.games.tournaments.playing import TournamentMatch

_SCALE = 400.0 / math.log(10.0)
"""Of ratings as chess has them: 400 points more win ten times as often."""
_MIDDLE = 1000.0
"""Mean of all ratings."""
_PRIOR = 0.5
"""Draws of each pair that are added, so that who won all has a finite rating."""
_ROUNDS = 2000
_NORMAL = 1.96
"""Of a normal distribution, within which 95 % are."""


@dataclass(frozen=True)
class WinShare:
    """Share of matches that one of two players wins.

    Attributes:
        first: Who is counted.
        second: Against whom.
        wins: Of the first.
        losses: Of the first.
        draws: Matches that nobody won.
    """

    first: str
    second: str
    wins: int
    losses: int
    draws: int

    @property
    def matches(self) -> int:
        """Number of matches."""
        return self.wins + self.losses + self.draws

    @property
    def share(self) -> float:
        """Wins and half of the draws, of all matches."""
        return (self.wins + 0.5 * self.draws) / self.matches if self.matches else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 % of that share."""
        count = self.matches
        if not count:
            return 0.0, 1.0
        square = _NORMAL * _NORMAL
        middle = (self.share + square / (2 * count)) / (1 + square / count)
        spread = self.share * (1 - self.share) / count + square / (4 * count * count)
        half = _NORMAL * math.sqrt(spread) / (1 + square / count)
        return max(middle - half, 0.0), min(middle + half, 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        low, high = self.interval
        counts = {"wins": self.wins, "losses": self.losses, "draws": self.draws}
        share = round(self.share, 4) if self.matches else None
        return {"first": self.first, "second": self.second, **counts, "share": share, "interval": [low, high]}


def share_of(first: str, second: str, winners: Sequence[str]) -> WinShare:
    """Return how often the first of two is among the winners, "" = nobody."""
    wins, draws = winners.count(first), winners.count("")
    return WinShare(first, second, wins, len(winners) - wins - draws, draws)


def pair_shares(entrants: Sequence[str], matches: Sequence[TournamentMatch]) -> list[WinShare]:
    """Return the share of each pair of entrants, in their order."""
    shares = []
    for number, first in enumerate(entrants):
        for second in entrants[number + 1 :]:
            met = [match for match in matches if {*match.pairing.bots.values()} == {first, second} and match.is_over]
            shares.append(share_of(first, second, [match.winning_bot for match in met]))
    return shares


def seat_share(players: Sequence[str], matches: Sequence[TournamentMatch]) -> WinShare:
    """Return how often the first of two seats wins, whoever plays it."""
    return share_of(players[0], players[1], [match.winner for match in matches if match.is_over])


def list_share(players: Sequence[str], matches: Sequence[TournamentMatch]) -> WinShare:
    """Return how often who is listed first wins, wherever it stands."""
    winners = []
    for match in (match for match in matches if match.is_over):
        is_first = (match.winner == players[0]) != match.pairing.is_reversed
        winners.append("" if not match.winner else "listed first" if is_first else "listed last")
    return share_of("listed first", "listed last", winners)


def ratings(entrants: Sequence[str], shares: Sequence[WinShare]) -> dict[str, float]:
    """Return ratings, best first, by which the shares of wins are most likely (Bradley and Terry, 1952).

    Source: the iteration of Hunter, "MM algorithms for generalized Bradley-Terry models", 2004.
    """
    strengths = dict.fromkeys(entrants, 1.0)
    for _ in range(_ROUNDS):
        for name in entrants:
            won, weight = 0.0, 0.0
            for pair in shares:
                if name in {pair.first, pair.second}:
                    rival = pair.second if name == pair.first else pair.first
                    won += (pair.wins if name == pair.first else pair.losses) + 0.5 * pair.draws + 0.5 * _PRIOR
                    weight += (pair.matches + _PRIOR) / (strengths[name] + strengths[rival])
            strengths[name] = won / weight if weight else 1.0
        mean = math.exp(sum(map(math.log, strengths.values())) / len(strengths))
        strengths = {name: value / mean for name, value in strengths.items()}
    ordered = sorted(strengths.items(), key=lambda pair: -pair[1])
    return {name: round(_MIDDLE + _SCALE * math.log(value), 1) for name, value in ordered}
