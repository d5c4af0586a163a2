"""Start of a run: a scenario, or an instant of a recording."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk
from coopsim.app.table import counted
from coopsim.errors import BadArgument, DamagedRecording

if TYPE_CHECKING:
    from coopsim.launch.fork_server import ForkServer
    from coopsim.launch.options import Origin
    from coopsim.replay.continuing import Continuation
    from coopsim.robots import RunSpec


def begin(
    file: str | None, instant: str | None, settings: Sequence[str], choices: dict[str, Any]
) -> "tuple[RunSpec, Origin | None]":
    """Return what is run and what it goes on from.

    Args:
        file: The scenario.
        instant: A place in a recording, instead of a scenario.
        settings: `ROBOT.MODULE.PARAMETER=VALUE`, for a continued run.
        choices: Options of the command line; `duration` counts from the instant and is changed accordingly.

    Raises:
        UsageError: The options do not fit together.
        CoopsimError: The file cannot be used.
    """
    if instant is not None:
        if file is not None:
            raise click.UsageError("a run begins with FILE or goes on with --from, not both")
        if choices["seed"] is not None:
            raise click.UsageError("--seed cannot be changed in a run that goes on; its noise belongs to its state")
        return _continued(instant, settings, choices)
    if settings:
        raise click.UsageError("--set belongs to --from FILE@SECONDS; a scenario has [EVENT_n] sections")
    if file is None:
        from coopsim.robots import built_in_names

        names = ", ".join(built_in_names(".scenario"))
        raise click.UsageError(f"name a scenario: a file, or one of {names}; `coopsim scenes` says what they show")
    return _read(file), None


def _read(file: str) -> "RunSpec":
    """Return what a file describes; print its warnings, also those of a file with mistakes."""
    from coopsim.robots import load
    from coopsim.scene import Problems

    problems = Problems()
    try:
        spec = load(file, problems=problems)
    finally:
        for warning in problems.warnings:
            talk.note(str(warning))
    settings = spec.scenario.settings
    talk.detail(f"{spec.scenario.file}: {counted(len(spec.scenario.robots), 'robot')}, engine {settings.physics}")
    if not spec.scenario.robots:
        talk.note(f"{file}: no robots in it; `coopsim call /sim/world insert TEXT` brings some")
    return spec


def _continued(text: str, settings: Sequence[str], choices: dict[str, Any]) -> "tuple[RunSpec, Origin]":
    from coopsim.launch.options import Origin
    from coopsim.recording import Recording
    from coopsim.replay.continuing import Instant, Setting, continuation
    from coopsim.replay.net import reading
    from coopsim.replay.run_json import spec_of

    try:
        instant = Instant.parse(text)
        wanted = [Setting.parse(setting) for setting in settings]
    except BadArgument as problem:
        raise click.UsageError(str(problem)) from None
    record = choices.get("record")
    if record is not None and record.exists() and instant.path.exists() and record.samefile(instant.path):
        raise click.UsageError(f"--record {record}: that is the recording that the run goes on from; give another name")
    with reading(instant.path), Recording.open(instant.path) as recording:
        try:
            spec = spec_of(recording)
        except DamagedRecording as problem:
            raise DamagedRecording(f"{problem}; a run cannot go on from it") from None
        start = continuation(recording, spec, instant, wanted, choices["step"], choices["engine"])
    settings_of_run = spec.scenario.settings
    if choices["duration"] is not None:
        choices["duration"] += start.time
    over = settings_of_run.duration is not None and settings_of_run.duration <= start.time
    duration = None if over else settings_of_run.duration
    changed = replace(settings_of_run, step=start.step, engine=start.engine, duration=duration)
    talk.note(f"goes on from tick {start.tick} ({start.time:.3f} s) of {instant.path}{_reservation(start)}")
    return replace(spec, scenario=replace(spec.scenario, settings=changed)), Origin(start.state, start.parent)


def _reservation(start: "Continuation") -> str:
    """Print in what the run cannot be as its parent."""
    if not start.exact:
        return "; not bit by bit: bodies touched at its key frame, and what they remembered of that is not in it"
    if start.is_seamless is False:
        return "; bodies touch there, so what follows may part from it in the last digits"
    return ""


def fork_server(modules: Sequence[str], *, is_recorded: bool = False) -> "ForkServer | None":
    """Return what forks the processes of a run, begun before this one reads anything large; it ends with the command.

    Args:
        modules: That the processes need.
        is_recorded: Whether a recorder is one of them.
    """
    from coopsim.launch.fork_server import ForkServer

    recorder = ["coopsim.launch.recorder_process"] * is_recorded
    return click.get_current_context().with_resource(ForkServer.beside(*modules, *recorder))
