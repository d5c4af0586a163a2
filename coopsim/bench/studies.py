"""`coopsim bench studies`: how fast many runs are, what the runner costs, and how long a report of many rows takes."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from coopsim.bench.command import report

SPEED_BOUND = 60.0
OVERHEAD_BOUND = 3.0
CLUSTER_BOUND = 0.8
REPORT_BOUND, PAGE_BOUND = 10.0, 8.0

Row = dict[str, Any]


class StudyCases:
    """What the cases share.

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
        workshop = StudyCases(Path(folder), 0.04 if quick else 1.0, runs)
        for case in CASES:
            rows += case(workshop)
    report(rows, as_json=as_json)


def _row(case: str, unit: str, value: float, bound: float, *, is_least: bool = False, raw: float | None = None) -> Row:
    is_ok = value >= bound if is_least else value <= bound
    return {
        "case": case,
        "unit": unit,
        "value": round(value, 3),
        "raw": raw,
        "ratio": None,
        "bound": bound,
        "ok": is_ok,
    }


def speed(workshop: StudyCases) -> list[Row]:
    """Measure how much simulated time a study of `formation` does in a second."""
    from coopsim.bench.measuring.many_runs import formations

    runs = workshop.scaled(workshop.runs)
    found = formations(workshop.folder / "formations", runs)
    return [_row(f"{runs} runs of 28 s, 2 processes", "x", found.speed, SPEED_BOUND, is_least=True, raw=found.seconds)]


def overhead(workshop: StudyCases) -> list[Row]:
    """Measure what the runner and its files add to a run."""
    from coopsim.bench.measuring.many_runs import SPIN, overhead_of_a_run

    found = overhead_of_a_run(workshop.folder / "overhead", workshop.scaled(300))
    return [_row(f"added to a run of {1e3 * SPIN:g} ms", "ms", 1e3 * found, OVERHEAD_BOUND)]


def cluster(workshop: StudyCases) -> list[Row]:
    """Measure how fast a cluster of two processes is against two processes of the local pool."""
    from coopsim.bench.measuring.many_runs import cluster_against_pool

    runs = workshop.scaled(200)
    found = cluster_against_pool(runs)
    return [_row(f"Dask against processes, {runs} runs", "1", found, CLUSTER_BOUND, is_least=True)]


def reporting(workshop: StudyCases) -> list[Row]:
    """Measure how long the page of a large study takes, and how large it is."""
    from coopsim.bench.measuring.many_runs import page_of

    count = workshop.scaled(100_000)
    found = page_of(workshop.folder / "large", count)
    return [
        _row(f"report of {count} rows", "s", found.seconds, REPORT_BOUND),
        _row(f"page of {count} rows", "MB", found.megabytes, PAGE_BOUND),
    ]


CASES: tuple[Callable[[StudyCases], list[Row]], ...] = (speed, overhead, cluster, reporting)
