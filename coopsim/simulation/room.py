"""Room of a run: in shared memory for its robots, and in time until its end."""

from coopsim.errors import BadArgument
from coopsim.simulation.derived import check_room
from coopsim.simulation.simulation import Simulation
from coopsim.transport import Ring


def nanoseconds(seconds: float | None) -> int | None:
    """Return a time in whole nanoseconds, None = never."""
    return None if seconds is None else round(seconds * 1e9)


def limit(simulation: Simulation, ring: Ring) -> None:
    """Give all later layouts an end, and refuse the first one where it is beyond it."""
    simulation.command_limit, simulation.record_limit = ring.command_capacity, ring.largest
    if simulation.layout.command_size > simulation.command_limit:
        raise BadArgument("there is no room for the robots; start the run with a larger --max-robots")
    bodies, entities = len(simulation.engine.names), len(simulation.scene.names)
    check_room(simulation.tables, bodies, entities, simulation.record_limit)
