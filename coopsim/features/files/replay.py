"""`coopsim replay`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import companions, completing, talk
from coopsim.app.beginning import fork_server
from coopsim.app.options import NO_WINDOW, FiniteRange, plugin_option, ready_option, web_option
from coopsim.interfaces.playback import FASTEST, SLOWEST

if TYPE_CHECKING:
    from pathlib import Path

    from coopsim.launch.report import Report


_FORKED = ("coopsim.launch.playback_process", "coopsim.launch.host_process")


class TimeRange(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """A part of a recording, begin and end in seconds: 2:5.5; either may be left out."""

    name = "A:B"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float | None, float | None]:
        """Return begin and end, None = as far as the recording goes."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]  # click converts a value twice
        words = value.split(":")
        if len(words) != 2:
            self.fail(f"{value!r} is not of the form A:B, two times in seconds.", param, ctx)
        begin, end = (FiniteRange().convert(word, param, ctx) if word.strip() else None for word in words)
        if begin is not None and end is not None and begin >= end:
            self.fail(f"{value!r} ends before it begins.", param, ctx)
        return begin, end


@click.command(short_help="Show a recording.")
@plugin_option
@click.argument("file", shell_complete=completing.files)
@click.option(
    "--speed",
    type=FiniteRange(SLOWEST, FASTEST),
    default=1.0,
    show_default=True,
    help="Seconds shown per real second; a negative speed plays backward.",
)
@click.option("--loop", type=TimeRange(), help="Repeat from A to B [s]; either may be left out.")
@click.option("--paused", is_flag=True, help="Begin paused; a client's `play` starts it.")
@click.option(
    "--port",
    type=click.IntRange(0, 65533),
    default=5570,
    show_default=True,
    help="Answer here and on the two ports above; 0 takes free ones.",
)
@click.option("--no-gui", is_flag=True, help=NO_WINDOW)
@web_option
@companions.feature_options("replay")
@ready_option
@click.option("--json", "as_json", is_flag=True, help="Print what was shown last as JSON.")
@click.option(
    "--max-robots",
    type=click.IntRange(1, 1_000_000),
    default=20_000,
    show_default=True,
    help="Robots to set memory aside for, if the recording has fewer.",
)
def replay(
    file: str,
    as_json: bool,
    port: int,
    max_robots: int,
    ready: "Path | None",
    no_gui: bool,
    **choices: Any,
) -> int:
    """Show the recording FILE through the modules of its robots, as if it were happening now.

    Every client that only reads can be used. /sim/playback plays, pauses, seeks. It ends by Ctrl-C.
    """
    server = fork_server(_FORKED)
    from coopsim.app.terminal import Terminal
    from coopsim.features.files.judge import goal_lines
    from coopsim.features.files.replaying import PROGRAMS
    from coopsim.features.files.replaying import replay as launcher_of
    from coopsim.replay.playback import PlaybackOptions

    terminal = Terminal()
    for line in goal_lines(file):
        terminal.note(line)
    has_page = choices.pop("web")
    options = PlaybackOptions(file, **choices)
    with companions.beside(ready, window=not no_gui, page=has_page) as window:
        programs = replace(PROGRAMS, server=server)
        report = launcher_of(
            options, terminal, port=port, max_robots=max_robots, ready=window.ready, programs=programs
        ).run()
    terminal.done()
    if not report.is_fault:
        talk.note(report.reason)
    if report.summary is not None:
        text = f"shown last: tick {report.summary.ticks}, {report.summary.sim_time:.2f} s"
        talk.answer(text, _to_json(file, report) if as_json else None)
    return report.exit_code


def _to_json(file: str, report: "Report") -> dict[str, Any]:
    assert report.summary is not None  # noqa: S101 - asked before
    plain = report.summary.to_json()
    return {"file": file, **{key: plain[key] for key in ("ticks", "sim_time", "wall_time", "state_hash", "robots")}}
