"""`coopsim search`."""

import math
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import completing, talk
from coopsim.features.studies.commands.studied import (
    CHOSEN,
    Seeds,
    check_resume,
    on_cluster,
    stay_single,
    study_options,
)
from coopsim.features.studies.commands.study_progress import progress

if TYPE_CHECKING:
    from coopsim.features.studies.searching import SearchTarget, ValueSearch


@click.command(short_help="Search for the values with which a metric is best.")
@click.argument("file", shell_complete=completing.scenes)
@click.option(
    "--set",
    "settings",
    multiple=True,
    required=True,
    metavar="NAME=VALUES",
    help="Vary this within A:B, or among v1,v2, as in `sweep`.",
)
@click.option("--maximise", metavar="METRIC", help="Look for the largest value of this metric.")
@click.option("--minimise", metavar="METRIC", help="Look for its smallest value.")
@click.option("--trials", type=click.IntRange(1), default=100, show_default=True, help="Combinations to try.")
@click.option("--seeds", type=Seeds(), default="1", show_default=True, help="Seeds of each; the mean counts.")
@click.option(
    "--sampler", type=click.Choice(["tpe", "cma"]), default="tpe", show_default=True, help="How values are chosen."
)
@study_options
def search(file: str, maximise: str | None, minimise: str | None, trials: int, sampler: str, **choices: Any) -> int:
    """Search for the values with which the mean of a metric is best; needs the extra `studies`.

    \b
    coopsim search formation --set formation.gain=0.3:3 \\
        --minimise formation_error_mean --trials 50
    """  # noqa: D301 - click's mark for lines it must not wrap
    stay_single()
    from coopsim.features.studies.searching import SearchTarget

    if (maximise is None) == (minimise is None):
        raise click.UsageError("say what is best: --maximise METRIC or --minimise METRIC")
    target = SearchTarget(maximise or minimise or "", maximise is not None, trials, sampler)
    return _search(file, target, **choices)


def _search(
    file: str, target: "SearchTarget", settings: tuple[str, ...], seeds: tuple[int, ...], **choices: Any
) -> int:
    from coopsim.features.studies.axes import read_axis
    from coopsim.features.studies.job import Jitter
    from coopsim.features.studies.results import StudyFolder
    from coopsim.features.studies.searching import ValueSearch, planned
    from coopsim.features.studies.study import StudyOptions, local, new_folder

    check_resume(choices)
    metres, degrees = choices["jitter"]
    folder = choices["out"] or new_folder(file, datetime.now())
    chosen = {name: choices[name] for name in CHOSEN}
    options = StudyOptions(seeds, jitter=Jitter(metres, math.radians(degrees)), **chosen)
    study = planned(file, settings, options, folder, target)
    runs = target.trials * len(seeds)
    cluster = choices["cluster"]
    runner = on_cluster(study, cluster, 1) if cluster else local(study, choices["workers"], choices["limit"], runs)
    with StudyFolder(folder, study.asked, resume=choices["resume"], is_shared=True) as kept:
        search = ValueSearch(study, [read_axis(text) for text in settings], seeds, target, kept)
        with progress(runs, len(kept.rows)) as report:
            for row in search.rows(runner):
                report(row)
        kept.finish()
    return _answer(search, target, folder, as_json=choices["as_json"])


def _answer(search: "ValueSearch", target: "SearchTarget", folder: Path, *, as_json: bool) -> int:
    if search.best is None:
        talk.complain(f"no run had {target.metric}; {folder}/runs.csv says why")
        return 1
    values, best = search.best
    words = " ".join(f"{name}={value}" for name, value in values.items())
    plain = {"values": values, target.metric: best, "trials": target.trials}
    talk.answer(f"{target.metric} {best:.6g} with {words}; kept in {folder}", plain if as_json else None)
    return 0
