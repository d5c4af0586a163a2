"""Matches of a tournament: a job whose runs play one match each, in any process."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coopsim.features.games.sections.game_sections import game_of
from coopsim.features.games.tournaments.pairing import Pairing, paired_spec
from coopsim.features.games.tournaments.trials import played_match
from coopsim.features.studies.jittering import with_jitter
from coopsim.features.studies.job import Jitter, Job, Row, Task, begun_row
from coopsim.features.studies.pool import LocalPool
from coopsim.robots import RunSpec

_SPARE = 5.0  # s; the referee ends a match, this only if it does not
_LIMIT = 600.0  # s, of real time


@dataclass(frozen=True)
class TournamentMatch:
    """Outcome of a match.

    Attributes:
        pairing: Who played.
        winner: Player that won, "" = nobody.
        time: When it ended [s], of simulated time.
        violations: Robots that were where they must not be.
        is_over: Whether it came to an end.
        error: Why not.
    """

    pairing: Pairing
    winner: str
    time: float
    violations: int
    is_over: bool
    error: str = ""

    @property
    def winning_bot(self) -> str:
        """Computer player that won, "" = nobody."""
        return self.pairing.bots.get(self.winner, "")


@dataclass(frozen=True)
class MatchJob(Job):
    """The common part of all matches of a tournament.

    Attributes:
        spec: The scenario.
        jitter: How far from their places robots begin at most [m].
        pairings: Of all matches, by number.
    """

    spec: RunSpec
    jitter: float
    pairings: tuple[Pairing, ...]

    def run(self, task: Task) -> Row:
        """Return the row of a match; its metrics say which player won, -1 = nobody."""
        pairing = self.pairings[task.number]
        duration = game_of(self.spec).time + _SPARE
        spec = paired_spec(with_jitter(self.spec, Jitter(self.jitter), pairing.seed), pairing)
        settings = replace(spec.scenario.settings, seed=pairing.seed, mode="lockstep", duration=duration)
        spec = replace(spec, scenario=replace(spec.scenario, settings=settings))
        result = played_match(spec, duration)
        players = [player.name for player in game_of(self.spec).players]
        winner = players.index(result["winner"]) if result["winner"] else -1
        metrics = {
            "winner": winner,
            "time": result["time"],
            "violations": len(result["violations"]),
            "is_over": float(bool(result["reason"])),
        }
        return {**begun_row(task), "success": True, "metrics": metrics, "ticks": 0, "state_hash": ""}


def play_tournament(
    spec: RunSpec, rounds: Sequence[Pairing], jitter: float, processes: int
) -> Generator[TournamentMatch, None, None]:
    """Yield what came of each match as it ends.

    Args:
        spec: The scenario.
        rounds: The matches.
        jitter: How far from their places robots begin at most [m].
        processes: That play at the same time.
    """
    job = MatchJob(spec=spec, jitter=jitter, pairings=tuple(rounds))
    players = [player.name for player in game_of(spec).players]
    pool = LocalPool(job, min(processes, len(rounds)), _LIMIT)
    for row in pool.rows(Task(pairing.number, {}, pairing.seed) for pairing in rounds):
        yield _match_of(row, rounds[row["number"]], players)


def _match_of(row: Mapping[str, Any], pairing: Pairing, players: Sequence[str]) -> TournamentMatch:
    if row.get("error"):
        return TournamentMatch(pairing, "", 0.0, 0, is_over=False, error=str(row["error"]))
    metrics = row["metrics"]
    winner = players[int(metrics["winner"])] if metrics["winner"] >= 0 else ""
    return TournamentMatch(
        pairing, winner, float(metrics["time"]), int(metrics["violations"]), is_over=bool(metrics["is_over"])
    )
