"""Pairings of a tournament: who meets whom, in which seat, and in which order the players are listed."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from coopsim.features.games.sections.game_sections import game_of
from coopsim.robots import RunSpec


@dataclass(frozen=True)
class Pairing:
    """A match of a tournament.

    Attributes:
        number: From 0.
        bots: Who plays each seat, by the name of the player.
        seed: Of where robots begin.
        is_reversed: Whether players and squads are listed the other way round.
    """

    number: int
    bots: Mapping[str, str]
    seed: int
    is_reversed: bool


def pairings(entrants: Sequence[str], players: Sequence[str], matches: int, seed: int) -> list[Pairing]:
    """Return the matches of all pairs of entrants; those of one meet themselves where it is the only one.

    Each seed is played twice with exchanged seats, where two differ, and every other one with players listed the other
    way round: neither the map nor the order of sections may decide.

    Args:
        entrants: Names of computer players.
        players: The two seats of the match.
        matches: Of each pair.
        seed: Of the first match of each pair.
    """
    pairs = list(itertools.combinations(entrants, 2)) or [(entrants[0], entrants[0])]
    rows: list[Pairing] = []
    for first, second in pairs:
        turns = 1 if first == second else 2
        for number in range(matches):
            seats = (first, second) if number % 2 == 0 else (second, first)
            bots = dict(zip(players, seats, strict=True))
            rows.append(Pairing(len(rows), bots, seed + number // turns, number // turns % 2 == 1))
    return rows


def paired_spec(spec: RunSpec, pairing: Pairing) -> RunSpec:
    """Return the run of a match of a tournament."""
    game = game_of(spec)
    players = tuple(replace(player, bot=pairing.bots[player.name]) for player in game.players)
    squads = game.squads
    if pairing.is_reversed:
        players, squads = players[::-1], squads[::-1]
    scenario = spec.scenario
    extras = {**scenario.extras, "game": replace(game, players=players, squads=squads)}
    return replace(spec, scenario=replace(scenario, extras=extras))
