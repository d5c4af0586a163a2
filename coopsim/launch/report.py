"""Report on a run that has ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from coopsim.launch.tracks import Track
from coopsim.scene import by_name
from coopsim.transport.control import SourceSummary


@dataclass(frozen=True, slots=True)
class RobotEnd:
    """Position of a robot at the end, and who drove it last [m, m, rad]."""

    x: float
    y: float
    heading: float
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals of a run.

    Attributes:
        sim_time: Simulated time [s].
        wall_time: Real time from the first tick to the last [s].
        overruns: Ticks that began late, real time.
        max_lateness: The largest lateness [s].
        patience_fired: How often lockstep went on without a robot.
        state_hash: Of the last record, hexadecimal.
        robots: By name.
        lateness_p50: Lateness that half of the ticks do not exceed, those on time included [s]; None = none was paced.
        lateness_p99: Lateness that 99 of 100 ticks do not exceed [s].
        slipped: Real time given up for good [s].
        profile: What a tick costs (`simulation.profiling.Profile.to_plain`), if it was asked for.
        began_at: Tick and time that a run which goes on from a recording began with [1, s].
    """

    ticks: int
    sim_time: float
    wall_time: float
    overruns: int
    max_lateness: float
    patience_fired: int
    state_hash: str
    robots: Mapping[str, RobotEnd]
    lateness_p50: float | None = None
    lateness_p99: float | None = None
    slipped: float = 0.0
    profile: Mapping[str, Any] | None = None
    began_at: tuple[int, float] = (0, 0.0)

    @property
    def own(self) -> tuple[int, float]:
        """Ticks and simulated time of this run alone; time that was reset counts from there [1, s]."""
        ticks, seconds = self.began_at
        return self.ticks - ticks, self.sim_time - seconds if self.sim_time >= seconds else self.sim_time

    @classmethod
    def of(
        cls,
        physics: SourceSummary,
        owners: Mapping[str, str | None],
        patience_fired: int,
        began_at: tuple[int, float] = (0, 0.0),
    ) -> Self:
        """Return what the physics process summed up, with what only the host and the launcher know."""
        robots = {
            name: RobotEnd(pose.x, pose.y, pose.heading, owners.get(name))
            for name, pose in sorted(physics.robots.items(), key=lambda item: by_name(item[0]))
        }
        summary: dict[str, Any] = {entry.name: getattr(physics, entry.name) for entry in fields(physics)}
        return cls(**{**summary, "robots": robots}, patience_fired=patience_fired, began_at=began_at)

    def to_json(self) -> dict[str, Any]:
        """Return what `coopsim run --json` prints."""
        robots = {
            name: {"x": robot.x, "y": robot.y, "heading": robot.heading, "owner": robot.owner}
            for name, robot in self.robots.items()
        }
        return {
            "ticks": self.ticks,
            "sim_time": self.sim_time,
            "wall_time": self.wall_time,
            "overruns": self.overruns,
            "max_lateness": self.max_lateness,
            "slipped": self.slipped,
            "lateness_p50": self.lateness_p50,
            "lateness_p99": self.lateness_p99,
            "patience_fired": self.patience_fired,
            "state_hash": self.state_hash,
            "robots": robots,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a launcher.

    Attributes:
        exit_code: 0 done, 1 run at fault, 3 a process died, 130 and 143 stopped by a signal.
        reason: Why it ended, for people.
        is_fault: Whether the view already showed the reason, as a complaint.
        summary: None when the run never began.
        tracks: Ways of all bodies by name, if they were asked for.
        recording: The last recording: file, duration, ticks, size_bytes, gaps; empty if there was none.
        failures: Devices that were switched off because they failed.
    """

    exit_code: int
    reason: str
    is_fault: bool = False
    summary: Summary | None = None
    tracks: Mapping[str, Track] = field(default_factory=dict)
    recording: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[str, ...] = ()


def too_late(overruns: int, lateness: float) -> str:
    """Return the warning that real time was not kept."""
    ticks = "a tick" if overruns == 1 else f"{overruns} ticks"
    return (
        f"warning: real time is not kept: {ticks} began late, by up to {lateness * 1e3:.1f} ms; "
        "a lower --speed, a larger step or --mode lockstep needs less of this machine"
    )
