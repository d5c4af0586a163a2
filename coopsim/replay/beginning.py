"""The first state of a recording, against the one that `run.json` makes."""

from coopsim.replay.plainly import FirstDifference, fork, without_places
from coopsim.simulation import Simulation
from coopsim.simulation.saved import unpacked
from coopsim.simulation.snapshot import checkpoint, restore, snapshot

_COUNTED = ("generation", "snapshots")
"""What counts changes and holds what was there before, and is no state."""


def unlike_start(state: bytes, simulation: Simulation) -> FirstDifference | None:
    """Return where the first key frame is not the beginning of a run, None if it is that.

    Args:
        state: The key frame.
        simulation: Just made of `run.json`; whatever it holds is forgotten.

    Raises:
        BadFile: The key frame cannot be read.
    """
    simulation.hash_rule = unpacked(state).get("hash", 1)
    checkpoint(simulation)
    begun = snapshot(simulation, {})
    if state == begun or _fork(state, begun) is None:
        return None
    restore(simulation, state)  # what went through an engine is written as this version writes it
    return _fork(snapshot(simulation), begun)


def _fork(recorded: bytes, begun: bytes) -> FirstDifference | None:
    sides = (
        {name: value for name, value in unpacked(raw).items() if name not in _COUNTED} for raw in (recorded, begun)
    )
    return fork(*map(without_places, sides))
