"""`coopsim diff`."""

from typing import TYPE_CHECKING

import click

from coopsim.app import talk

if TYPE_CHECKING:
    from coopsim.replay.diff import Comparison


@click.command(short_help="Compare two recordings.")
@click.argument("first")
@click.argument("second")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def diff(first: str, second: str, as_json: bool) -> int:
    """Compare the recordings FIRST and SECOND tick by tick, as far as both go.

    Exit code 0: identical. 1: something differs; the first tick, entity and field are named.
    """
    from coopsim.recording import Recording
    from coopsim.replay.diff import diff as compare

    with Recording.open(first) as one, Recording.open(second) as other:
        comparison = compare(one, other)
    talk.answer("\n".join(_lines(comparison)), comparison.to_json() if as_json else None)
    return 0 if comparison.identical else 1


def _lines(comparison: "Comparison") -> list[str]:
    pairs = zip(("first", "second"), comparison.alone, strict=True)
    alone = [f"only the {name} holds {count} more ticks" for name, count in pairs if count]
    if comparison.difference is None:
        return [f"identical, {comparison.ticks} ticks", *alone]
    lines = [f"different after {comparison.ticks} identical ticks", f"{comparison.difference} (first, second)"]
    if comparison.edits is not None:
        tick, here, there = comparison.edits
        lines.append(f"edits differ from tick {tick} on: {here} and {there}")
    return [*lines, *alone]
