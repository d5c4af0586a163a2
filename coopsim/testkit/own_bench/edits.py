"""`coopsim bench edits`: what a window keeps of thousands of edits."""

from typing import Any

import click

from coopsim.features.files.figures import at_most, show
from coopsim.testkit.own_bench.window import part

GROWTH_BOUND = 10.0  # MB; caches of allocators stay below it, a leak does not


@click.command()
@click.option("--cycles", default=10_000, show_default=True, type=click.IntRange(100), help="Of load, insert, remove.")
@click.option("--quick", is_flag=True, help="Only show that it works.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def edits(cycles: int, *, quick: bool, as_json: bool) -> None:
    """Load a scene, insert and remove again and again, draw after each, and count what is left from the tenth part on.

    The simulation is in the same process as the window, so its memory counts, too.
    """
    cycles = 200 if quick else cycles
    show(_rows(part("cycles", cycles), cycles), as_json=as_json)


def _rows(figures: dict[str, float], cycles: int) -> list[dict[str, Any]]:
    case = f"{cycles} cycles of load, insert, remove"
    return [
        at_most(f"{case}: memory", "MB", figures["memory"], GROWTH_BOUND),
        at_most(f"{case}: objects of OpenGL", "objects", figures["objects"], 0.0),
        at_most(f"{case}: descriptors", "files", figures["descriptors"], 0.0),
    ]
