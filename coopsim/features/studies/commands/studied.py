"""Common part of `trial` and `sweep`: options, progress, the closing line."""

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk
from coopsim.app.options import DURATION, FiniteRange, plugin_option
from coopsim.features.studies.commands.study_progress import named, progress

if TYPE_CHECKING:
    from coopsim.features.studies.best import BestValues
    from coopsim.features.studies.by_value import ValueSummary
    from coopsim.features.studies.job import Row
    from coopsim.features.studies.study import RunsTasks, Study

_SEEDS = re.compile(r"(\d+)(?:\.\.(\d+))?")
_SHOWN = 12  # one screen with the summary below it
_MOST_SEEDS = 1_000_000  # a range that was mistyped ends in an error, not without memory
CHOSEN = ("duration", "allow_commands", "record", "confirmed", "best", "scenarios", "settle")
"""Choices that are members of `StudyOptions`."""


class Seeds(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Seeds: how many from 0 on, or from A to B."""

    name = "N|A..B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the seeds."""
        if isinstance(value, tuple):
            return value  # click converts a value twice
        match = _SEEDS.fullmatch(str(value))
        first, last = (int(match[1]), int(match[2])) if match and match[2] else (0, int(match[1]) - 1 if match else -1)
        if last < first or last - first >= _MOST_SEEDS:
            self.fail(f"{value!r} names no seeds; give how many, as 20, or which, as 0..99.", param, ctx)
        return tuple(range(first, last + 1))


class JitterText(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Largest shift of robots from their places, as text: metres, then perhaps degrees."""

    name = "METRES[,DEGREES]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return metres and degrees."""
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(float(number) for number in str(value).split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in (1, 2) or not all(math.isfinite(number) and number >= 0.0 for number in numbers):
            self.fail(f"{value!r}: expected metres, as 0.1, or metres and degrees, as 0.1,5.", param, ctx)
        return (*numbers, 0.0)[:2]


def study_options(command: Any) -> Any:
    """Add the options of commands that do many runs."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    plugin_option,
    click.option("--jitter", type=JitterText(), default="0", help="Let robots begin so far from their places."),
    click.option("--duration", type=DURATION, help="Simulated seconds after which a run ends. [the scenario's]"),
    click.option("--limit", type=FiniteRange(0.1), default=600.0, show_default=True, help="Seconds a run may take."),
    click.option("--workers", type=click.IntRange(1, 1024), help="Number of processes. [one for each core]"),
    click.option("--cluster", metavar="ADDRESS", help="Do the runs on a cluster of Dask; needs the extra `studies`."),
    click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of the study. [a new one]"),
    click.option("--resume", is_flag=True, help="Go on with the study that --out holds."),
    click.option(
        "--record",
        type=click.Choice(["none", "failures", "all"]),
        default="none",
        show_default=True,
        help="Keep recordings of these runs.",
    ),
    click.option(
        "--best",
        multiple=True,
        metavar="METRIC[:max]",
        help="Tell the values with which the mean of it is smallest, or largest. [of a system: what it says]",
    ),
    click.option(
        "--scenario", "scenarios", multiple=True, metavar="NAME", help="Of a system of components: what is played."
    ),
    click.option(
        "--settle",
        type=FiniteRange(0.0),
        help="Of a system of components: seconds of each phase's beginning that do not count. [20]",
    ),
    click.option("--allow-commands", is_flag=True, help="Let [CONTROLLER_n] sections run any command."),
    click.option("--yes", "confirmed", is_flag=True, help="Do even more than 10 000 runs."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as one line of JSON."),
)


def do_study(
    file: str, settings: Sequence[str], seeds: tuple[int, ...], sample: int | None = None, **choices: Any
) -> int:
    """Do a study and print what became of it; return the exit code: 1 where a run failed or missed a goal."""
    stay_single()
    from coopsim.features.studies.best import best_values
    from coopsim.features.studies.job import Jitter
    from coopsim.features.studies.results import StudyFolder
    from coopsim.features.studies.study import StudyOptions, local, new_folder, plan, rows_of

    metres, degrees = choices["jitter"]
    check_resume(choices)
    folder = choices["out"] or new_folder(file, datetime.now())
    chosen = {name: choices[name] for name in CHOSEN}
    jitter, is_real_time = Jitter(metres, math.radians(degrees)), choices.get("real_time", False)
    options = StudyOptions(seeds, sample, jitter=jitter, is_real_time=is_real_time, **chosen)
    study = plan(file, settings, options, folder)
    runner = (
        on_cluster(study, choices["cluster"])
        if choices["cluster"]
        else local(study, choices["workers"], choices["limit"])
    )
    with StudyFolder(folder, study.asked, resume=choices["resume"]) as kept:
        kept.note(**study.comparison)
        try:
            with progress(len(study.tasks), len(kept.rows)) as report:
                for row in rows_of(study, runner, kept):
                    report(row)
        except KeyboardInterrupt:
            talk.note(f"{len(kept.rows)} runs are kept; go on with the same words and --out {folder} --resume")
            raise
        rows = kept.finish()
        winners = best_values(rows, study.best, study.laws)
        kept.note(best=[winner.to_json() for winner in winners])
    _answer(rows, folder, winners, as_json=choices["as_json"])
    return int(any(not row["success"] for row in rows))


def stay_single() -> None:
    """Have libraries that are read from now on start no threads: a process without threads is forked for runs."""
    if "numpy" not in sys.modules:
        os.environ["OMP_NUM_THREADS"] = "1"


def check_resume(choices: Mapping[str, Any]) -> None:
    """See to it that the study to go on with is named.

    Raises:
        UsageError: It is not.
    """
    if choices["resume"] and choices["out"] is None:
        raise click.UsageError("--resume belongs to --out FOLDER")


def on_cluster(study: "Study", address: str, ahead: int = 3) -> "RunsTasks":
    """Return the cluster of Dask at an address.

    Args:
        study: What is run there.
        address: Of its scheduler.
        ahead: How many runs each thread of a worker is given at once.
    """
    from coopsim.features.studies.cluster import DaskPool

    return DaskPool(study.job, address, ahead)


def _answer(rows: "Sequence[Row]", folder: Path, winners: "Sequence[BestValues]", *, as_json: bool) -> None:
    from coopsim.features.studies.by_value import summaries

    failed = [row for row in rows if "error" in row]
    plain = {
        "runs": len(rows),
        "failed": len(failed),
        "successes": sum(row["success"] for row in rows),
        "best": [winner.to_json() for winner in winners],
        "values": [summary.to_json() for summary in summaries(rows, _metrics(rows))],
        "results": [_result(row) for row in rows],
    }
    talk.answer(_summary_text(rows, failed, folder, winners), plain if as_json else None)


def _result(row: "Row") -> dict[str, Any]:
    names = ("values", "seed", "success", "goals", "metrics", "error")
    return {name: row[name] for name in names if name in row}


def _summary_text(rows: "Sequence[Row]", failed: "Sequence[Row]", folder: Path, winners: "Sequence[BestValues]") -> str:
    from coopsim.features.studies.best import best_in_words
    from coopsim.features.studies.by_value import reported_metrics, same_samples, summaries

    lines = _metric_table(rows)
    lines += [_goal_counts(rows)] if any(row["goals"] for row in rows) else []
    lines += value_table(summaries(rows, reported_metrics(rows, [winner.by.metric for winner in winners])))
    lines += best_in_words(winners)
    same = same_samples(rows)
    lines += [same] if same else []
    lines += [f"run {row['number']} {named(row)}: {row['error']}" for row in failed[:_SHOWN]]
    lines += [f"... and {len(failed) - _SHOWN} more runs that failed"] if len(failed) > _SHOWN else []
    good = sum(row["success"] for row in rows)
    return "\n".join([*lines, f"{good} of {len(rows)} runs succeeded, {len(failed)} failed; kept in {folder}"])


def _metric_table(rows: "Sequence[Row]") -> list[str]:
    """Return a table of the metrics of all runs together."""
    from coopsim.app.table import table

    cells = [
        (name, *_spread([row["metrics"][name] for row in rows if name in row["metrics"]])) for name in _metrics(rows)
    ]
    return [table(("metric", "mean", "sd", "n", "least", "most"), cells)] if cells else []


def value_table(values: "Sequence[ValueSummary]") -> list[str]:
    """Return a table with a line for each value of what was varied, and a line on what is left out of it."""
    from coopsim.app.table import table
    from coopsim.features.studies.by_value import HEADS, MOST_LINES

    if not values:
        return []
    more = len(values) - MOST_LINES
    left = [f"... and {more} more lines; --json has them all"] if more > 0 else []
    return [table(HEADS, [value.cells for value in values[:MOST_LINES]]), *left]


def _goal_counts(rows: "Sequence[Row]") -> str:
    from coopsim.app.table import table

    counts: dict[str, list[bool]] = {}
    for row in rows:
        for goal in row["goals"]:
            if goal["met"] is not None:
                counts.setdefault(goal["name"], []).append(goal["met"])
    return table(("goal", "met", "of"), [(name, sum(met), len(met)) for name, met in counts.items()])


def _metrics(rows: "Iterable[Row]") -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row["metrics"]))


def _spread(values: list[float]) -> tuple[str, ...]:
    from coopsim.features.studies.best import mean_and_sd

    mean, sd = mean_and_sd(values)
    deviation = f"{sd:.4g}" if math.isfinite(sd) else "-"
    return f"{mean:.4g}", deviation, str(len(values)), f"{min(values):.4g}", f"{max(values):.4g}"
