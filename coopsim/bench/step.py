"""`coopsim bench step`: where the time of a lockstep step goes, part by part."""

import click

from coopsim.bench.command import report
from coopsim.bench.lockstep import GROUPS, Row
from coopsim.bench.measuring.step_parts import StepParts

_CLIENTS = (1, 10)


@click.command()
@click.option("--steps", default=2000, show_default=True, type=click.IntRange(100), help="Of which medians are taken.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def step(steps: int, as_json: bool) -> None:
    """Time the parts of a lockstep step by themselves, in one process, for robots of type `single` with a client each.

    value: median microseconds of a part, for all robots together; ratio: its share of all parts. A step of `coopsim
    bench lockstep` takes longer by the messages, by waking three processes, and by what memory has forgotten meanwhile.
    """
    report([row for count in _CLIENTS for row in rows_of(count, steps)], as_json=as_json)


def rows_of(robots: int, steps: int) -> list[Row]:
    """Return a row for each part of a step of so many robots, and one for all."""
    group = next(each for each in GROUPS if each.robots == robots)
    parts = StepParts(group.scenario).measure(steps)
    whole = sum(parts.values())
    of = f"{robots} robot{'s' if robots > 1 else ''}"
    rows = {**parts, "all of these": whole}
    return [
        {"case": f"{of}, {part}", "unit": "us", "value": round(spent, 1), "ratio": round(spent / whole, 3)}
        for part, spent in rows.items()
    ]
