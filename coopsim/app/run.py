"""`coopsim run`."""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import companions, completing, talk, usage
from coopsim.app.beginning import begin, fork_server
from coopsim.app.groups import Grouped
from coopsim.app.options import (
    DURATION,
    NO_WINDOW,
    SPEED,
    STEP,
    FiniteRange,
    Wanted,
    engine_option,
    plugin_option,
    ready_option,
    web_option,
)
from coopsim.app.saving import check_place, check_suffix, save, spare
from coopsim.app.staying import STAY_OPTIONS, linger, stay_options, watched
from coopsim.app.table import counted
from coopsim.errors import BadArgument
from coopsim.interpreter import extra_command
from coopsim.memory import uncollected

if TYPE_CHECKING:
    from coopsim.launch.access import Access
    from coopsim.launch.options import RunOptions
    from coopsim.launch.report import Report
    from coopsim.replay.judging import RunJudge
    from coopsim.robots import RunSpec
    from coopsim.transport.control import ImageChoice


# Options of `coopsim run` about images of cameras in a recording.
IMAGE_OPTIONS = ("images", "images_rate", "images_limit")
"""Names of the options."""
_OPTIONS = (
    click.option(
        "--images",
        type=click.Choice(["color", "depth", "both"]),
        help="Record what cameras of robots take, too: as PNG files in the recording.",
    ),
    click.option(
        "--images-rate",
        type=FiniteRange(0.0, min_open=True),
        help="Largest number of images per simulated second of each camera. [all that it takes]",
    ),
    click.option(
        "--images-limit",
        type=FiniteRange(0.0, min_open=True),
        metavar="MB",
        help="Record no more images when they have taken so many megabytes. [no limit]",
    ),
)


def image_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def image_choice(choices: dict[str, Any]) -> "ImageChoice | None":
    """Take the options out of what the command line says; return what they mean."""
    from coopsim.transport.control import ImageChoice

    images, rate, limit = (choices.pop(name) for name in IMAGE_OPTIONS)
    for name, value in (("--images-rate", rate), ("--images-limit", limit)):
        if value is not None and images is None:
            raise click.UsageError(f"{name} belongs to --images color, depth or both")
    if images is not None and choices["record"] is None:
        raise click.UsageError("--images belongs to --record FILE")
    return ImageChoice.of(images or "", rate or 0.0, round((limit or 0.0) * 1e6))


_PATIENCE = 2.0  # s; after a signal the reader of a pipe may have gone, too
# the host reads the rest of its own while physics builds the scene
_FORKED = ("coopsim.launch.physics_process",)
_WAYS = ("libzmq", "websocket", "origins")
_GROUPS = {
    "What is run": ("instant", "settings", "engine", "seed", "plugin"),
    "How time passes": (
        *("mode", "speed", "step", "allow_small_step", "duration"),
        *("until_goal", "wait_for", "is_paced", "realtime_priority", "threads"),
    ),
    "Controllers": ("no_controllers", "allow_commands"),
    "Who may reach it": ("port", "bind", "keys", "insecure", "libzmq", "websocket", "origins", "audit", "ready"),
    "What is kept and shown": (
        *STAY_OPTIONS,
        "record",
        "overwrite",
        "foxglove",
        *IMAGE_OPTIONS,
        "notes",
        "plot",
        "web",
        *("gateways", "renderer"),
        "profile",
        "as_json",
    ),
}


@click.command(cls=Grouped, groups=_GROUPS, short_help="Run a scenario.")
@click.argument("file", required=False, shell_complete=completing.scenes)
@plugin_option
@click.option(
    "--from", "instant", metavar="FILE@SECONDS", help="Go on from an instant of a recording; FILE@tick:N names a tick."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="ROBOT.MODULE.NAME=VALUE",
    help="Change a parameter at the instant that --from names.",
)
@click.option(
    "--mode",
    type=click.Choice(["real-time", "lockstep", "free"]),
    help="Let time pass as on the wall clock, wait for controllers in each tick, or wait for nothing.",
)
@click.option(
    "--speed", type=SPEED, metavar="FACTOR", help="Simulated seconds per real second, 0.1 to 100, in real-time mode."
)
@click.option("--step", type=STEP, metavar="SECONDS", help="Length of a tick in simulated seconds, at least 0.01.")
@click.option("--allow-small-step", is_flag=True, help="Allow steps below 0.01 s.")
@click.option(
    "--duration", type=DURATION, help="Simulated time after which the run ends, in seconds; 90s, 2min and 1h work, too."
)
@click.option("--until-goal", is_flag=True, help="End when the [GOAL_n] sections are decided, and judge by them.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Begin all noise with this number.")
@engine_option
@click.option(
    "--port",
    type=click.IntRange(0, 65533),
    default=5570,
    show_default=True,
    help="Answer here and on the two ports above; 0 takes free ones.",
)
@click.option(
    "--bind",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Listen at this address, or name, of the machine.",
)
@click.option(
    "--keys",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Let in only clients whose key is trusted in this folder.",
)
@click.option("--audit", type=click.Path(dir_okay=False, path_type=Path), help="Append who did what, and when.")
@click.option("--insecure", is_flag=True, help="Let clients of other machines in without keys.")
@click.option("--libzmq", is_flag=True, help="Serve ZeroMQ by libzmq also without keys, for old versions of ZeroMQ.")
@click.option(
    "--websocket",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Let pages in browsers in at this port, 0 takes a free one; needs the extra `websocket`.",
)
@click.option("--origin", "origins", multiple=True, help="Pages of this origin may connect, too: https://lab.example.")
@click.option(
    "--wait-for",
    type=Wanted(),
    help="Robots that lockstep waits for before its first step: a number, or names: robot1,robot2.",
)
@click.option("--no-controllers", is_flag=True, help="Do not start the controllers of the scenario.")
@click.option("--allow-commands", is_flag=True, help="Let [CONTROLLER_n] sections run any command.")
@click.option("--realtime-priority", is_flag=True, help="Tick before everything else on this machine.")
@click.option(
    "--threads",
    type=click.IntRange(0, 256),
    default=0,
    show_default=True,
    help="Share the rays of many robots among so many cores; 0 takes all there are. The result is the same.",
)
@click.option("--no-gui", is_flag=True, help=NO_WINDOW)
@web_option
@stay_options
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the top view into an SVG file.")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Record everything to a file .mcap; in a folder, to a new file named after the scenario and the time.",
)
@click.option("--overwrite", is_flag=True, help="Let --record replace an older recording.")
@companions.feature_options("run")
@image_options
@click.option(
    "--note", "notes", multiple=True, metavar="NAME=TEXT", help="Write this down in the recording; `info` shows it."
)
@click.option("--profile", is_flag=True, help="Print what a tick costs, and for how many robots there is time.")
@ready_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--max-robots",
    type=click.IntRange(1, 1_000_000),
    default=20_000,
    show_default=True,
    help="Robots to set memory aside for: those of the file and all that come later.",
)
def run(
    file: str | None,
    instant: str | None,
    settings: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    no_controllers: bool,
    bind: str,
    keys: Path | None,
    insecure: bool,
    no_gui: bool,
    **choices: Any,
) -> int:
    """Run a scenario FILE, or a built-in one such as `formation`, or go on from a recording.

    It ends when its controllers have ended, after --duration, or by Ctrl-C; with a window when that is closed.

    \b
    coopsim run formation                        in real time, to the target
    coopsim run single --no-controllers          drive it yourself
    coopsim run vee --mode lockstep --record a.mcap
    coopsim run single --duration 10 --json | jq .robots
    """  # noqa: D301 - click's mark for lines it must not wrap
    server = fork_server(_FORKED, is_recorded=choices["record"] is not None)
    with uncollected():  # what is read stays
        from coopsim.app.terminal import Terminal
        from coopsim.launch.launcher import Launcher
        from coopsim.launch.options import RunOptions
        from coopsim.launch.programs import Programs

        _check(file, plot, choices)
        access = _access(bind, keys, insecure, **{name: choices.pop(name) for name in _WAYS})
        spec, origin = begin(file, instant, settings, choices)
        spec = companions.with_gateways(spec, choices)
    judge = _judge(spec, is_wanted=choices.pop("until_goal"))
    terminal = Terminal()
    with companions.beside(choices.pop("ready"), window=not no_gui, page=choices.pop("web")) as window:
        is_watched = watched(window, choices, as_json=as_json)
        choices |= {"ready": window.ready, "tracks": plot is not None}
        options = RunOptions(controllers=not no_controllers, origin=origin, access=access, **choices)
        keeper = companions.keeper() if options.stays else None
        report = Launcher(spec, options, terminal, Programs(server=server), judge, is_watched, keeper).run()
        linger(window, report, stays=options.stays)
    terminal.done()
    return _conclude(spec, options, report, judge, plot, as_json=as_json)


def _conclude(
    spec: "RunSpec",
    options: "RunOptions",
    report: "Report",
    judge: "RunJudge | None",
    plot: Path | None,
    *,
    as_json: bool,
) -> int:
    """Print and draw what became of a run; return the exit code."""
    reason = [] if report.is_fault else [report.reason]
    if report.summary is None:
        for line in reason:
            talk.note(line)
        return report.exit_code
    is_drawn = plot is None or _draw(plot, spec, report)
    is_met = _answer(report, reason, _profile(spec, options, report), judge, as_json=as_json)
    return report.exit_code or int(not (is_drawn and is_met))


def _judge(spec: "RunSpec", *, is_wanted: bool) -> "RunJudge | None":
    """Return what judges a run by its goals; where nobody asked for that, say that there are goals."""
    if not is_wanted:
        if spec.scenario.goals:
            talk.note(f"{counted(len(spec.scenario.goals), 'goal')} of the scenario not judged; --until-goal does that")
        return None
    from coopsim.replay.judging import RunJudge

    if not spec.scenario.goals:
        raise click.UsageError(f"--until-goal: {spec.scenario.file} has no [GOAL_n] section")
    return RunJudge(spec)


def _answer(
    report: "Report", reason: list[str], profile: dict[str, Any], judge: "RunJudge | None", *, as_json: bool
) -> bool:
    """Print what became of a run that has a summary; return whether it missed no goal."""
    from coopsim.app.profiled import profile_table
    from coopsim.app.terminal import summary_table

    assert report.summary is not None  # noqa: S101 - asked before
    judgement = judge.verdict() if judge else None
    costs = [profile_table(profile["profile"])] if profile else []
    text = [*reason, summary_table(report.summary), *costs, *([judgement.text] if judgement else [])]
    judged = judgement.to_json() if judgement else {}
    with talk.giving_up_after(_PATIENCE if report.exit_code > 128 else None):
        talk.answer("\n".join(text), _to_json(report) | profile | judged if as_json else None)
    return judgement is None or not judgement.is_missed


def _to_json(report: "Report") -> dict[str, Any]:
    assert report.summary is not None  # noqa: S101 - asked before
    recording = {"recording": dict(report.recording)} if report.recording else {}
    failures = {"failures": list(report.failures)} if report.failures else {}
    return report.summary.to_json() | recording | failures


def _check(file: str | None, plot: Path | None, choices: dict[str, Any]) -> None:
    """Check what the command line says, and read its notes."""
    choices["notes"], choices["images"] = _notes(choices["notes"]), image_choice(choices)
    if choices["step"] is not None and choices["step"] < 0.01 and not choices["allow_small_step"]:
        raise click.UsageError(f"--step {choices['step']:g} is below 0.01 s; add --allow-small-step to take it")
    if choices["record"] is not None:
        check_suffix(choices["record"], "--record", ".mcap")
    if plot is not None:
        check_suffix(plot, "--plot", ".svg")
        check_place(plot, "--plot")
        spare(plot, "--plot", file)
        if choices["record"] is not None and plot.resolve() == choices["record"].resolve():
            raise click.UsageError(f"--plot and --record are both {plot}")
    if choices["audit"] is not None:
        _check_audit(choices["audit"])
    if choices["overwrite"] and choices["record"] is None:
        raise click.UsageError("--overwrite belongs to --record FILE")


def _check_audit(file: Path) -> None:
    from coopsim.launch.audit_log import check_audit_file

    try:
        check_audit_file(file)
    except BadArgument as problem:
        raise click.UsageError(str(problem)) from None


def _notes(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return names and texts of notes."""
    pairs = [text.partition("=") for text in texts]
    for text, (name, equals, _) in zip(texts, pairs, strict=True):
        if not name.strip() or not equals:
            raise click.UsageError(f"--note {text!r}: expected NAME=TEXT, such as --note operator=Ada")
    return tuple((name.strip(), text.strip()) for name, _, text in pairs)


def _access(bind: str, keys: Path | None, insecure: bool, **ways: Any) -> "Access":
    from coopsim.launch.access import Access, resolved

    if ways["websocket"] is not None and importlib.util.find_spec("websockets") is None:
        raise click.UsageError(f"--websocket needs the package websockets: {extra_command('websocket')}")
    try:
        access = Access(resolved(bind), keys, insecure, **ways)
        access.check()
    except BadArgument as problem:
        raise click.UsageError(str(problem)) from None
    return access


def _profile(spec: "RunSpec", options: "RunOptions", report: "Report") -> dict[str, Any]:
    """Return what a tick cost, if it was asked for."""
    from coopsim.app.profiled import completed
    from coopsim.launch.options import overlay

    if report.summary is None or not report.summary.profile:
        return {}
    spec = overlay(spec, options)
    settings = spec.scenario.settings
    period = settings.step / (settings.speed if settings.mode == "real-time" else 1.0)
    profile = completed(report.summary.profile, spec, period)
    return {"profile": profile}


def _draw(plot: Path, spec: "RunSpec", report: "Report") -> bool:
    """Draw the top view; return False when it cannot be written: the summary is printed anyway."""
    try:
        save(plot, companions.picture("top_view_of_run")(spec, report.tracks))
    except click.ClickException as problem:
        usage.report(problem)
        return False
    talk.note(f"top view: {plot}")
    return True
