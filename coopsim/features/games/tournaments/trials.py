"""Matches of computer players, one after the other, in this process."""

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from coopsim.errors import SimulationEnded

if TYPE_CHECKING:
    from coopsim.robots import RunSpec

Shown = Callable[[int, dict[str, Any]], None]
_RATE = 10.0  # Hz; a scoreboard, not an animation
_SPARE = 5.0  # s; the referee ends a match, this only if it does not


def play_matches(file: str, seeds: Sequence[int], jitter: float, shown: Shown | None = None) -> dict[str, Any]:
    """Return what came of a match with each seed.

    Args:
        file: The scenario.
        seeds: Of the noise, and of where robots begin.
        jitter: How far from their places they begin at most [m].
        shown: Called with each seed and its result.
    """
    from coopsim.features.games.sections.game_sections import game_of
    from coopsim.features.studies.job import Jitter, Task
    from coopsim.features.studies.trial import ScenarioJob, spec_of
    from coopsim.robots import load

    spec = load(file)
    duration = game_of(spec).time + _SPARE
    job = ScenarioJob(spec, duration, Jitter(jitter))
    results = []
    for number, seed in enumerate(seeds):
        result = {"seed": seed, **played_match(spec_of(job, Task(number, {}, seed)), duration)}
        results.append(result)
        if shown is not None:
            shown(seed, result)
    return {
        "matches": len(results),
        "finished": sum(bool(match["reason"]) for match in results),
        "violations": sum(len(match["violations"]) for match in results),
        "wins": dict(Counter(match["winner"] for match in results)),
        "results": results,
    }


def played_match(spec: "RunSpec", duration: float) -> dict[str, Any]:
    """Return the result of a match that its computer players play in this process until its end, or so long [s]."""
    from coopsim.features.games.logic.match import Match
    from coopsim.inprocess import LocalServer
    from coopsim.simulation import Simulation

    simulation = Simulation(spec)
    server = LocalServer(simulation, duration=duration, is_hashed=False)
    every = max(1, round(1e9 / (_RATE * simulation.step_ns)))
    with server.connect() as sim, sim.stepper(every=every) as stepper:
        match = Match(sim, stepper)
        with contextlib.suppress(SimulationEnded):  # the result tells that it has no reason
            stepper.run(match.decide)
        return match.result()
