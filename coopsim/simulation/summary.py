"""What the physics process says of a run in the end."""

from coopsim.geometry import heading
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.profiling import ProfiledSimulation
from coopsim.simulation.simulation import Simulation
from coopsim.transport.control import PlanarPose, SourceSummary


def summary_of(simulation: Simulation, lateness: Lateness, state_hash: bytes, wall_time: float) -> SourceSummary:
    """Return the totals of a run.

    Args:
        simulation: As it ended.
        lateness: Of its ticks.
        state_hash: Of the last record.
        wall_time: Real time from the first tick to the last [s].
    """
    robots = {}
    for place in simulation.layout.robots:
        pose = simulation.engine.poses[place.body].tolist()
        robots[place.name] = PlanarPose(pose[0], pose[1], heading(*pose[3:]))
    return SourceSummary(
        ticks=simulation.tick_count,
        sim_time=simulation.time,
        wall_time=wall_time,
        overruns=lateness.overruns,
        max_lateness=lateness.max_ns * 1e-9,
        lateness_p50=lateness.quantile(0.5),
        lateness_p99=lateness.quantile(0.99),
        slipped=lateness.slipped_ns * 1e-9,
        state_hash=state_hash.hex(),
        robots=robots,
        profile=simulation.profile.to_plain() if isinstance(simulation, ProfiledSimulation) else None,
    )
