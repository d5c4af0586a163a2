"""Options of the command line, laid over those of the scenario."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coopsim.errors import BadFile, CannotRecord
from coopsim.launch.access import Access
from coopsim.replay.places import foxglove_file, is_growing
from coopsim.robots import RunSpec
from coopsim.scene import Controller, find_entry
from coopsim.transport.control import ImageChoice

if TYPE_CHECKING:
    from coopsim.replay.playback import PlaybackOptions

SMALLEST_STEP = 0.01  # s; a slip of a digit must not make a run a hundred times slower
DEFAULT_PORT = 5570  # plain TCP and the state stream listen on the two above
_LOCAL = Access()


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a run that goes on from a recording.

    Attributes:
        state: Snapshot of the simulation.
        parent: What its recording says about where it comes from.
    """

    state: bytes
    parent: Mapping[str, Any]

    @property
    def start(self) -> tuple[int, float]:
        """Tick and time that the run begins with [1, s]."""
        return self.parent["tick"], self.parent["time"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of `coopsim run`; None leaves the choice to the scenario's `[SIMULATION]`.

    Attributes:
        speed: Simulated seconds per real second, real-time mode.
        step: Simulated seconds of one tick [s].
        duration: Simulated time after which the run ends [s].
        engine: Name of a registered physics engine.
        port: Of ZeroMQ; plain TCP takes the next one, the state stream the one after; 0 takes free ones.
        wait_for: Names of robots, or how many, that lockstep waits for; None = those of the controllers.
        controllers: Whether the scenario's controllers are started.
        max_robots: Robots that memory is set aside for.
        allow_commands: Whether a controller section may run any command.
        tracks: Whether the paths of the robots are kept (for a plot).
        playback: What is shown instead of a simulation, in a replay.
        record: File to record to, from before the first tick.
        overwrite: Whether that file may replace an older recording.
        foxglove: Whether a file for Foxglove is made beside that recording.
        images: Which images of cameras that recording carries; None = none.
        notes: Names and texts that every recording of the run says, for people.
        origin: What the run goes on from; None = it begins as the scenario says.
        access: Where it listens, and who gets in.
        audit: File to which a line for every edit and claim is appended.
        realtime_priority: Whether the physics process has real-time priority.
        profile: Whether the report says what a tick costs, phase by phase.
        threads: Number of cores that many rays are shared among; 0 = all.
        ready: File that tells programs where the run answers, as soon as it does.
        is_paced: Whether lockstep goes no faster than real time, until somebody chooses a mode.
        stays: Whether the run stays after its end, with time standing still, while somebody looks on.
    """

    mode: str | None = None
    speed: float | None = None
    step: float | None = None
    duration: float | None = None
    seed: int | None = None
    engine: str | None = None
    port: int = DEFAULT_PORT
    wait_for: int | tuple[str, ...] | None = None
    controllers: bool = True
    max_robots: int = 20_000
    allow_small_step: bool = False
    allow_commands: bool = False
    tracks: bool = False
    playback: "PlaybackOptions | None" = None
    record: Path | None = None
    overwrite: bool = False
    foxglove: bool = False
    images: ImageChoice | None = None
    notes: tuple[tuple[str, str], ...] = ()
    origin: Origin | None = field(default=None, repr=False)
    access: Access = _LOCAL
    audit: Path | None = None
    realtime_priority: bool = False
    profile: bool = False
    threads: int = 0
    ready: Path | None = None
    is_paced: bool = False
    stays: bool = False

    @property
    def flags(self) -> dict[str, Any]:
        """Options that differ from the defaults, for a recording; without the places of files and other drawings."""
        chosen = {option.name: getattr(self, option.name) for option in fields(self) if option.name not in _NO_FLAGS}
        return {name: value for name, value in chosen.items() if value != getattr(_DEFAULTS, name)}


_NO_FLAGS = {"tracks", "playback", "record", "overwrite", "foxglove", "images", "origin", "access", "audit", "ready"}
_NO_FLAGS |= {"realtime_priority", "profile", "notes", "threads", "is_paced", "stays"}
_DEFAULTS = RunOptions()


def overlay(spec: RunSpec, options: RunOptions) -> RunSpec:
    """Return `spec` with the settings of the command line in place of the file's.

    Raises:
        BadFile: The file asks for a step below 10 ms, which is not allowed by default (CoopDynSim, section III-C).
    """
    given = {"mode": options.mode, "speed": options.speed, "step": options.step}
    given |= {"duration": options.duration, "seed": options.seed, "engine": options.engine}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = replace(spec.scenario.settings, **chosen)  # type: ignore[arg-type]  # names and types as declared above
    if settings.step < SMALLEST_STEP and not options.allow_small_step:
        entry = find_entry(settings.entries, "step")
        place = settings.span if entry is None else entry.value_spans[0]
        text = f"{place.head}step {settings.step:g} s is below 10 ms; add --allow-small-step to take it"
        raise BadFile(text).advise("")
    return replace(spec, scenario=replace(spec.scenario, settings=settings))


def started_controllers(spec: RunSpec, options: RunOptions) -> tuple[Controller, ...]:
    """Return the controllers that the run starts."""
    return spec.scenario.controllers if options.controllers else ()


def awaited_robots(spec: RunSpec, options: RunOptions) -> int | tuple[str, ...]:
    """Return the robots, or how many, that lockstep waits for before its first step.

    Raises:
        BadFile: `--wait-for` names a robot that the scenario does not have.
    """
    robots = [robot.name for robot in spec.scenario.robots]
    if options.wait_for is None:
        driven = {name for controller in started_controllers(spec, options) for name in controller.robots}
        return tuple(sorted(driven))
    if isinstance(options.wait_for, int):
        return options.wait_for
    missing = [name for name in options.wait_for if name not in robots]
    if missing:
        raise BadFile(
            f"{spec.scenario.file}: no robot {', '.join(missing)} to wait for; it has: {', '.join(robots)}"
        ).advise("")
    return options.wait_for


def check_record(options: RunOptions) -> None:
    """Check that there is a place for the recording before anything is started.

    Raises:
        CannotRecord: The file is there and must not be overwritten, or its folder is missing.
    """
    path = options.record
    if path is None or path.is_dir():  # in a folder it is a new file
        return
    for file in (path, foxglove_file(path)) if options.foxglove else (path,):
        if file.exists() and not options.overwrite:
            raise CannotRecord(f"{file}: the file exists already; add --overwrite to replace it").advise("")
        if file.is_file() and is_growing(file):
            text = (
                "a run is recording to this file just now, so it is not overwritten: end that run, or give another name"
            )
            raise CannotRecord(f"{file}: {text}").advise("")
    folder = path.resolve().parent
    if not folder.parent.is_dir():  # the last folder of a path is made when it is missing
        raise CannotRecord(f"{path}: there is no folder {folder.parent}").advise("")
