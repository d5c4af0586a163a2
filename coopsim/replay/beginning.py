"""The first state of a recording, against the one that `run.json` makes."""

from coopsim.replay.plainly import FirstDifference, fork, without_places
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.simulation.saved import unpacked
from coopsim.simulation.snapshot import checkpoint, restore, snapshot

_COUNTED = ("generation", "snapshots")
"""What counts changes and holds what was there before, and is no state."""


def unlike_start(state: bytes, spec: RunSpec) -> FirstDifference | None:
    """Return where the first key frame is not the beginning of a run, None if it is that.

    Args:
        state: The key frame.
        spec: From `run.json`.

    Raises:
        BadFile: The key frame cannot be read.
        CoopsimError: The run cannot be built.
    """
    rule = unpacked(state).get("hash", 1)
    simulation = Simulation(spec)
    simulation.hash_rule = rule
    checkpoint(simulation)
    begun = snapshot(simulation)
    other = _fork(state, begun)
    if other is None:
        return None
    restore(simulation, state)  # what went through an engine is written as this version writes it
    return _fork(snapshot(simulation), begun)


def _fork(recorded: bytes, begun: bytes) -> FirstDifference | None:
    sides = ({name: it for name, it in unpacked(raw).items() if name not in _COUNTED} for raw in (recorded, begun))
    return fork(*map(without_places, sides))
