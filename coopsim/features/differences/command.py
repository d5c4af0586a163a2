"""`coopsim diff`."""

from typing import TYPE_CHECKING

import click

from coopsim.app import completing, talk
from coopsim.features.presentation.reading import reads_recordings

if TYPE_CHECKING:
    from coopsim.features.differences.comparison import Comparison


@click.command(short_help="Compare two recordings.")
@click.argument("first", shell_complete=completing.files)
@click.argument("second", shell_complete=completing.files)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reads_recordings("first", "second")
def diff(first: str, second: str, as_json: bool) -> int:
    """Compare the recordings FIRST and SECOND tick by tick, as far as both go, and say how far robots part.

    Exit code 0: identical. 1: something differs; the first tick, entity and field are named. 4: identical as far as
    compared; ticks in between are missing.
    """
    from coopsim.features.differences.comparison import diff as compare
    from coopsim.recording import Recording

    with Recording.open(first) as recording, Recording.open(second) as second_recording:
        comparison = compare(recording, second_recording)
    talk.answer("\n".join(_lines(comparison)), comparison.to_json() if as_json else None)
    return comparison.outcome.exit_code


def _lines(comparison: "Comparison") -> list[str]:
    pairs = zip(("first", "second"), comparison.alone, strict=True)
    alone = [f"only the {name} holds {count} more ticks" for name, count in pairs if count]
    if comparison.difference is None:
        return [comparison.outcome.describe(comparison.ticks, comparison.total), *alone]
    lines = [f"different after {comparison.ticks} identical ticks", f"{comparison.difference} (first, second)"]
    if comparison.edits is not None:
        tick, edits_of_first, edits_of_second = comparison.edits
        lines.append(f"edits differ from tick {tick} on: {edits_of_first} and {edits_of_second}")
    return [*lines, *alone, *_apart(comparison)]


def _apart(comparison: "Comparison") -> list[str]:
    """Return how far robots part, those that do."""
    from coopsim.app.table import table

    parted = [distance for distance in comparison.robots if distance.largest > 0.0]
    if not parted:
        return ["all robots are at the same places all the time"] if comparison.robots else []
    rows = [
        (
            distance.robot,
            *(
                f"{way * 1000:.3f} mm" if way < 1.0 else f"{way:.3f} m"
                for way in (distance.largest, distance.mean, distance.final)
            ),
            "never" if distance.first is None else f"{distance.first:.3f} s",
        )
        for distance in parted
    ]
    return ["", *table(("robots apart", "largest", "mean", "at the end", "1 mm from"), rows).splitlines()]
