"""`coopsim compare`."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import companions, completing, talk
from coopsim.app.options import DURATION, Engine, plugin_option
from coopsim.app.saving import check_suffix, save
from coopsim.app.terminal import Terminal
from coopsim.errors import EngineCannot, RunError

if TYPE_CHECKING:
    from coopsim.features.studies.comparing_engines import EngineDeviation, EngineTrajectories
    from coopsim.recording import Recording
    from coopsim.robots import RunSpec

_USUAL = 10.0  # s; where the scenario sets no end
_OPTION = "--engines"
_SUFFIXES = {".scenario", ".world"}


class ManyEngines(click.Command):
    """A command whose `--engines` takes all the words up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line."""
        return super().parse_args(ctx, _repeated(args))


@click.command(cls=ManyEngines, short_help="Run the same on several physics engines.")
@plugin_option
@click.argument("file", shell_complete=completing.scenes)
@click.option(
    _OPTION,
    "engines",
    type=Engine(),
    metavar="NAME...",
    multiple=True,
    required=True,
    help="Compare these engines, two or more; the first leads.",
)
@click.option("--duration", type=DURATION, help="Simulated seconds. [the scenario's, else 10]")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw all ways into an SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def compare(file: str, engines: tuple[str, ...], duration: float | None, plot: Path | None, as_json: bool) -> None:
    """Run FILE on the first engine and do the same commands again on the others; say how far the bodies part.

    FILE is a scenario, whose controllers drive the first engine in lockstep, or a recording.

    \b
    coopsim compare formation --engines pymunk mujoco --duration 5 --plot both.svg
    """  # noqa: D301 - click's mark for lines it must not wrap
    if len(engines) < 2 or len(set(engines)) < len(engines):
        raise click.UsageError(f"{_OPTION} takes two or more different engines, got {' '.join(engines)}")
    if plot is not None:
        check_suffix(plot, "--plot", ".svg")
    with tempfile.TemporaryDirectory(prefix="coopsim-compare-") as folder:
        path = _recorded(file, engines, duration, Path(folder)) if _is_scene(file) else Path(file)
        courses, picture = _compared(path, engines, duration, wants_picture=plot is not None)
    _print_gaps(courses, as_json=as_json)
    if plot is not None:
        save(plot, picture)
        talk.note(f"drawn: {plot}")


def _repeated(args: Sequence[str]) -> list[str]:
    """Return the arguments with `--engines` before each of its words; without FILE so far, only known engines are."""
    from coopsim import plugins

    engines, words, taking, has_file = plugins.registered("engines"), list[str](), False, False
    for place, word in enumerate(args):
        is_value = place > 0 and args[place - 1] in {"--duration", "--plot", "--plugin"}
        if word == _OPTION:
            taking = True
        elif word.startswith("-") or is_value:
            taking = False
            words.append(word)
        elif taking and (has_file or word.split(",")[0] in engines):
            words += [part for name in word.split(",") for part in (_OPTION, name)]
        else:
            has_file, taking = True, False
            words.append(word)
    return words


def _is_scene(file: str) -> bool:
    return Path(file).suffix in _SUFFIXES or not Path(file).is_file()


def _recorded(file: str, engines: Sequence[str], duration: float | None, folder: Path) -> Path:
    """Return a recording of the scenario on the first engine, with its controllers, in lockstep."""
    from coopsim.launch.launcher import Launcher
    from coopsim.launch.options import RunOptions
    from coopsim.robots import load, unfit

    spec = load(file)
    wrong = list(dict.fromkeys(line for engine in engines for line in unfit(spec, engine)))
    if wrong:
        raise EngineCannot("\n".join(wrong))
    path, settings = folder / "first.mcap", spec.scenario.settings
    mode = "lockstep" if spec.scenario.controllers else "free"
    duration = duration or settings.duration or _USUAL
    options = RunOptions(mode=mode, engine=engines[0], duration=duration, record=path, port=0)
    report = Launcher(_named(spec, file), options, _Quiet()).run()
    if report.exit_code in {130, 143}:
        raise click.Abort
    if report.exit_code or not path.exists():
        raise RunError(f"the run on {engines[0]} cannot be compared: {report.reason}")
    return path


def _named(spec: "RunSpec", file: str) -> "RunSpec":
    return replace(spec, scenario=replace(spec.scenario, file=spec.scenario.file or file))


class _Quiet(Terminal):
    """Complaints and words of controllers alone."""

    def note(self, text: str) -> None:
        """Print nothing."""

    def progress(self, status: Mapping[str, Any]) -> None:
        """Show nothing."""


def _compared(
    path: Path, engines: Sequence[str], duration: float | None, *, wants_picture: bool
) -> "tuple[list[EngineTrajectories], str]":
    from coopsim.features.studies.comparing_engines import courses
    from coopsim.recording import Recording
    from coopsim.replay.net import reading
    from coopsim.replay.run_json import spec_of

    with reading(path), Recording.open(path) as recording:
        trajectories = courses(recording, spec_of(recording), engines, float("inf") if duration is None else duration)
        return trajectories, _picture(recording, trajectories) if wants_picture else ""


def _print_gaps(courses: "Sequence[EngineTrajectories]", *, as_json: bool) -> None:
    from coopsim.app.table import Cell, table
    from coopsim.features.studies.comparing_engines import DIVERGED, apart

    reference, *courses_of_others = courses
    gaps = [apart(reference, course) for course in courses_of_others]
    duration = float(reference.times[-1]) if len(reference.times) else 0.0
    heads = ("engine", "position lag", "x real time", "median [m]", "largest [m]", "of", f"beyond {DIVERGED:g} m after")
    rows: list[tuple[Cell, ...]] = [(reference.engine, reference.lag, round(reference.speed, 1), None, None, "", None)]
    rows += [
        (
            gap.engine,
            course.lag,
            round(course.speed, 1),
            f"{gap.median:.3g}",
            f"{gap.largest:.3g}",
            gap.body,
            _said(gap.first),
        )
        for course, gap in zip(courses_of_others, gaps, strict=True)
    ]
    text = f"{duration:.2f} s simulated; distances to {reference.engine}\n{table(heads, rows)}"
    talk.answer(text, _as_json(courses, gaps, duration) if as_json else None)


def _said(first: float | None) -> str:
    return "never" if first is None else f"{first:.2f} s"


def _as_json(
    courses: "Sequence[EngineTrajectories]", gaps: "Sequence[EngineDeviation]", duration: float
) -> dict[str, Any]:
    """Return what `--json` prints; of several engines the one that is farthest away counts."""
    firsts = [gap.first for gap in gaps if gap.first is not None]
    return {
        "duration": round(duration, 9),
        "first_divergence": round(min(firsts), 9) if firsts else None,
        "median_distance": max(gap.median for gap in gaps),
        "max_distance": max(gap.largest for gap in gaps),
        "speed": {course.engine: round(course.speed, 2) for course in courses},
        "engines": {
            gap.engine: {
                "first_divergence": gap.first,
                "median_distance": gap.median,
                "max_distance": gap.largest,
                "body": gap.body,
            }
            for gap in gaps
        },
    }


def _picture(recording: "Recording", courses: "Sequence[EngineTrajectories]") -> str:
    first, *courses_of_others = courses
    drawn = {course.engine: _tracks(course) for course in courses_of_others}
    picture: str = companions.picture("top_view_of_recording")(recording, _tracks(first), drawn, first.engine)
    return picture


def _tracks(course: "EngineTrajectories") -> dict[str, Any]:
    """Return ways as a picture wants them: time, x, y, heading, about ten points a second."""
    import numpy as np

    from coopsim.launch.tracks import INTERVAL_NS, Track

    span = float(course.times[-1]) if len(course.times) else 0.0
    every = max(1, round(len(course.times) * INTERVAL_NS * 1e-9 / span)) if span else 1
    tracks = {}
    for name, way in course.ways.items():
        points = np.column_stack([course.times, way[:, [0, 1, 3]]])
        points = points[np.isfinite(points[:, 1])]
        tracks[name] = Track(name, np.concatenate([points[:-1:every], points[-1:]]))
    return tracks
