"""A launcher whose source of records is a recording."""

from pathlib import Path

from coopsim.interpreter import module_command
from coopsim.launch.launcher import Launcher
from coopsim.launch.options import DEFAULT_PORT, RunOptions
from coopsim.launch.programs import Programs, RunView
from coopsim.launch.ring_room import robots_like
from coopsim.replay.playable import PlayableRecording
from coopsim.replay.playback import PlaybackOptions
from coopsim.robots import RunSpec
from coopsim.scene import RobotPlacement, Scenario, Settings

PROGRAMS = Programs(physics=module_command("coopsim.launch.playback_process"))
"""The playback process takes the place of the physics process; everything else is as in a live run."""


def replay(
    options: PlaybackOptions,
    view: RunView,
    *,
    port: int = DEFAULT_PORT,
    max_robots: int = 20_000,
    ready: Path | None = None,
    programs: Programs = PROGRAMS,
) -> Launcher:
    """Return the launcher of a replay.

    Args:
        options: What is shown.
        view: What people see.
        port: Of ZeroMQ; plain TCP takes the next one; 0 takes free ones.
        max_robots: Robots that memory is set aside for.
        ready: File that tells programs where it answers, as soon as it does.
        programs: What is started; tests start stand-ins.

    Raises:
        NotARecording: The file is none.
        DamagedRecording: It holds no record, or the first one cannot be read.
    """
    spec, robots = _run_of(options)
    # a recording may hold more robots than a run would be given room for
    most = max(max_robots, robots)
    options_of = RunOptions(port=port, controllers=False, max_robots=most, playback=options, ready=ready)
    return Launcher(spec, options_of, view, programs)


def _run_of(options: PlaybackOptions) -> tuple[RunSpec, int]:
    """Return as much of the recorded run as the launcher needs to know, and the robots to set memory aside for."""
    playable = PlayableRecording(Path(options.file))
    try:
        layout, _ = playable.at(0)
        metadata = playable.recording.metadata
    finally:
        playable.close()
    # nothing is simulated: seed and engine are there to be told alone
    recorded = {name: metadata[name] for name in ("seed", "engine") if name in metadata}
    robots = tuple(RobotPlacement(place.name, place.type.name) for place in layout.robots)
    file = str(metadata.get("scenario", options.file))
    return RunSpec(Scenario(robots=robots, settings=Settings(**recorded), file=file)), robots_like(layout)
