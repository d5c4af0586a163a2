"""`coopsim bench studies`: how fast many runs are, what the runner costs, and how long a report of many rows takes."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from coopsim.features.files.figures import at_least, at_most, show

SPEED_BOUND = 60.0
OVERHEAD_BOUND = 3.0
CLUSTER_BOUND = 0.8
REPORT_BOUND, PAGE_BOUND = 10.0, 8.0

Row = dict[str, Any]


class StudyCases:
    """Data that the cases share.

    Args:
        folder: Where files may be written.
        scale: 1 = as the bounds are meant, less = only to see whether it works.
        runs: How many runs of `formation`.
    """

    def __init__(self, folder: Path, scale: float, runs: int) -> None:
        self.folder, self._scale, self.runs = folder, scale, runs

    def scaled(self, count: int) -> int:
        """Return how many of so many to do."""
        return max(4, round(count * self._scale))


@click.command()
@click.option("--quick", is_flag=True, help="A twenty-fifth of everything: whether it works, not how well.")
@click.option("--runs", type=click.IntRange(1), default=100, show_default=True, help="Runs of the first case.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def studies(quick: bool, runs: int, as_json: bool) -> None:
    """Measure studies: runs of the scenario `formation` in two processes, start included, as times real time.

    Then what the runner adds to a run of 20 ms, Dask against processes of its own, and a report of 100 000 rows.
    """
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
        cases = StudyCases(Path(folder), 0.04 if quick else 1.0, runs)
        for case in CASES:
            rows += case(cases)
    show(rows, as_json=as_json)


def speed(cases: StudyCases) -> list[Row]:
    """Measure how much simulated time a study of `formation` does in a second."""
    from coopsim.testkit.own_bench.measuring.many_runs import formations

    runs = cases.scaled(cases.runs)
    outcome = formations(cases.folder / "formations", runs)
    row = at_least(f"{runs} runs of 28 s, 2 processes", "x", outcome.speed, SPEED_BOUND)
    return [{**row, "raw": outcome.seconds}]


def overhead(cases: StudyCases) -> list[Row]:
    """Measure what the runner and its files add to a run."""
    from coopsim.testkit.own_bench.measuring.many_runs import SPIN, overhead_of_a_run

    seconds = overhead_of_a_run(cases.folder / "overhead", cases.scaled(300))
    return [at_most(f"added to a run of {1e3 * SPIN:g} ms", "ms", 1e3 * seconds, OVERHEAD_BOUND)]


def cluster(cases: StudyCases) -> list[Row]:
    """Measure how fast a cluster of two processes is against two processes of the local pool."""
    from coopsim.testkit.own_bench.measuring.many_runs import cluster_against_pool

    runs = cases.scaled(200)
    outcome = cluster_against_pool(runs)
    return [at_least(f"Dask against processes, {runs} runs", "1", outcome, CLUSTER_BOUND)]


def reporting(cases: StudyCases) -> list[Row]:
    """Measure how long the page of a large study takes, and how large it is."""
    from coopsim.testkit.own_bench.measuring.many_runs import page_of

    count = cases.scaled(100_000)
    page = page_of(cases.folder / "large", count)
    return [
        at_most(f"report of {count} rows", "s", page.seconds, REPORT_BOUND),
        at_most(f"page of {count} rows", "MB", page.megabytes, PAGE_BOUND),
    ]


CASES: tuple[Callable[[StudyCases], list[Row]], ...] = (speed, overhead, cluster, reporting)
