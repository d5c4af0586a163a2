"""`coopsim bench record`: what recording costs the simulation, how large files are, how fast one finds one's way."""

import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from coopsim.features.files.figures import show

COST_BOUND = 5.0  # % of a tick
SIZE_BOUND, POSES_BOUND = 300.0, 60.0  # MB; a day fits a disk, poses an attachment
# ms; a slider that is dragged shows 60 images a second
OPEN_BOUND, SEEK_P50_BOUND, SEEK_P99_BOUND, SCRUB_BOUND = 500.0, 2.0, 15.0, 2.0
LOST_BOUND = 1.0  # s; a chunk
PROOF_BOUND = 5.0  # times real time
HOUR, PROVED = 3600.0, 120.0

Row = dict[str, Any]


class RecordCases:
    """Data that the cases share.

    Args:
        folder: Where files may be written.
        scale: 1 = as the bounds are meant, less = only to see whether it works.
    """

    def __init__(self, folder: Path, scale: float) -> None:
        self.folder, self.scale = folder, scale

    @property
    def seconds(self) -> float:
        """Simulated time of `film` [s]."""
        return HOUR * self.scale

    @cached_property
    def film(self) -> Path:
        """A recording of ten robots that drive about, with noisy sonars; it is made when it is first asked for."""
        from coopsim.testkit.own_bench.measuring.recorded_crowd import film

        return film(self.folder / "film.mcap", round(self.seconds * 100))


@click.command()
@click.option("--quick", is_flag=True, help="A thirtieth of everything: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def record(quick: bool, as_json: bool) -> None:
    """Measure recordings: ten robots for an hour, a hundred robots at 100 Hz, and processes that are killed.

    Cost: growth of the CPU time of a tick in percent. Sizes in MB for an hour. Times in ms. Lost: simulated seconds.
    All values are at most their bounds but that of verify, which is at least its bound: times as fast as real time.
    """
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
        cases = RecordCases(Path(folder), 1.0 / 30.0 if quick else 1.0)
        for case in CASES:
            rows += case(cases)
    show(rows, as_json=as_json)


def row(case: str, unit: str, value: float, bound: float, *, raw: float | None = None, **more: Any) -> Row:
    """Return a row of a value that must not be larger than its bound."""
    return {
        "case": case,
        "unit": unit,
        "value": round(value, 3),
        "raw": raw,
        "ratio": None,
        "bound": bound,
        "ok": value <= bound,
        **more,
    }


def cost(cases: RecordCases) -> list[Row]:
    """Measure how much longer a tick of 100 robots takes while it is recorded, and whether one is lost."""
    from coopsim.testkit.own_bench.measuring.recording_cost import measure

    costs = measure(cases.folder / "cost.mcap", windows=max(2, round(20 * cases.scale)))
    return [
        row(
            "cost of a tick, 100 robots at 100 Hz",
            "%",
            100.0 * (costs.ratio - 1.0),
            COST_BOUND,
            raw=round(1e6 * costs.plain, 1),
        ),
        row("ticks lost, 100 robots at 100 Hz", "1", costs.lost, 0.0, raw=costs.ticks),
    ]


def sizes(cases: RecordCases) -> list[Row]:
    """Measure how large an hour of ten robots is."""
    from coopsim.testkit.own_bench.measuring.recorded_crowd import poses_bytes

    to_hour = HOUR / cases.seconds / 1e6
    whole = cases.film.stat().st_size * to_hour
    return [
        row("an hour of 10 robots", "MB", whole, SIZE_BOUND),
        row("their poses alone", "MB", poses_bytes(cases.film) * to_hour, POSES_BOUND),
    ]


def ways(cases: RecordCases) -> list[Row]:
    """Measure how fast a recording is opened, sought in and scrubbed."""
    from coopsim.testkit.own_bench.measuring.recorded_crowd import open_times, scrub_times, seek_times

    opened = open_times(cases.film)
    sought = seek_times(cases.film, 2000)
    scrubbed = scrub_times(cases.film, 6000)
    return [
        row("open", "ms", opened.p50, OPEN_BOUND),
        row("seek, median", "ms", sought.p50, SEEK_P50_BOUND),
        row("seek, 99 of 100", "ms", sought.p99, SEEK_P99_BOUND),
        row("scrub forward, 99 of 100", "ms", scrubbed.p99, SCRUB_BOUND, raw=scrubbed.p50),
    ]


def kills(cases: RecordCases) -> list[Row]:
    """Measure how much of a recording is lost when a process of the run is killed."""
    from coopsim.testkit.own_bench.measuring.recording_kills import VICTIMS, lost_after

    return [
        row(f"kill -9 of the {victim}", "s", lost_after(victim, cases.folder / f"{victim}.mcap"), LOST_BOUND)
        for victim in VICTIMS
    ]


def proof(cases: RecordCases) -> list[Row]:
    """Measure how much faster than real time a recording of ten robots is done again and compared."""
    from coopsim.features.proof.verify import measure_verify
    from coopsim.testkit.own_bench.measuring.recorded_crowd import film

    ticks = max(100, round(100 * PROVED * cases.scale))
    verdict = measure_verify(film(cases.folder / "proof.mcap", ticks))
    proof = row("verify, 10 robots", "x", verdict.speed, PROOF_BOUND, ticks=verdict.ticks)
    return [{**proof, "ok": verdict.speed >= PROOF_BOUND and verdict.identical and verdict.ticks == ticks}]


CASES: tuple[Callable[[RecordCases], list[Row]], ...] = (cost, sizes, ways, kills, proof)
