"""`coopsim bench swarm`: orders of players on their way to robots, beside the measurements of the paper.

Source: swarm gaming, section 5, tables 3, 4 and 5.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import click
import numpy as np

from coopsim.features.files.figures import at_least, at_most, show
from coopsim.testkit.own_bench.measuring.game_costs import match_speed, on_board
from coopsim.testkit.own_bench.measuring.overloaded import OverloadedRobot
from coopsim.testkit.own_bench.measuring.squad_orders import OrderTimes, SquadDesk, column

WORK_BOUNDS = 5.0, 20.0
"""From the look of the logic to the last of three robots: median and 99th percentile [ms]."""
WHOLE_BOUNDS = 100.0, 200.0
"""From the player to the last of three robots, with up to 100 ms until the logic looks: the same [ms]."""
ON_BOARD_BOUND, MATCH_BOUND = 1.0, 20.0
"""Intelligence of a robot in a tick [us]; a match of sixty against sixty, times real time."""
TABLE_3 = {"heard": (9, 3, 6, 15), "decided": (570, 109, 365, 756), "sent": (7, 6, 2, 24)}
"""Mean, deviation, least and largest, as printed [ms]."""
TABLE_4 = {
    100: (1059, 629),
    250: (740, 696),
    500: (362, 603),
    750: (270, 657),
    1000: (375, 500),
    1500: (173, 627),
    2000: (182, 597),
    2500: (314, 587),
    5000: (190, 551),
}
"""Times of swarm and robot intelligence, as printed, by interval [ms]."""
TABLE_5 = {
    5: (1007, 1014, 1293, 1388),
    10: (1034, 1162, 1516, 1640),
    15: (1176, 1324, 1732, 1898),
    20: (1326, 1607, 2042, 2240),
}
"""Round trips of messages of `SIZES`, as printed, by threads [ms]."""
SIZES = (140, 200, 240, 300)
_STAGES = {
    "heard": "player to swarm intelligence",
    "decided": "swarm intelligence",
    "sent": "swarm intelligence to squad",
}
ROBOTS, ON_BOARD_REPEATS = 1000, 40
_PAUSE = 0.25
"""Between orders of table 3 [s]."""
Row = dict[str, Any]


@click.command()
@click.option("--orders", "count", default=20, show_default=True, type=click.IntRange(2), help="Of table 3.")
@click.option("--repeats", default=10, show_default=True, type=click.IntRange(1), help="Orders at each interval.")
@click.option("--messages", default=100, show_default=True, type=click.IntRange(1), help="Round trips of each size.")
@click.option("--wait", default=0.3, show_default=True, type=click.FloatRange(0.0, 10.0), help="Of table 4 [s].")
@click.option("--tables", default="3,4,5", show_default=True, help="Which tables of the paper; 0 = none.")
@click.option("--quick", is_flag=True, help="Only show that it works.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def swarm(*, count: int, repeats: int, messages: int, wait: float, tables: str, quick: bool, as_json: bool) -> None:
    """Measure what tables 3, 4 and 5 of the paper on swarm gaming measure; `printed` is what it says [ms].

    Orders go from a player by the event channel to the logic of a match, which looks ten times a second, and to a squad
    of three on 500 x 500 cells. Table 3: one order after the other, without the wait. Table 4: at intervals, so that
    orders overlap, with the paper's wait before they are processed; and the time until the robots begin. Table 5: round
    trips to a process beside others that multiply matrices of 10 x 10. The paper's machine and robots were others.
    Besides, by processor time: what the intelligence on board costs, and how fast a match of computer players is.
    """
    chosen = {word.strip() for word in tables.split(",")}
    if not chosen <= {"0", "3", "4", "5"}:
        raise click.BadParameter(f"there are tables 3, 4 and 5, got {tables!r}")
    intervals, busy, sizes = list(TABLE_4), list(TABLE_5), list(SIZES)
    if quick:
        count, repeats, messages, intervals, busy, sizes = 2, 2, 1, intervals[:1], busy[:1], sizes[:1]
    rows = costs(quick=quick)
    if "3" in chosen:
        with SquadDesk() as desk:
            rows += table_3(desk.orders(count, _PAUSE))
    if "4" in chosen:
        with SquadDesk(wait) as desk:
            rows += [
                row
                for interval in intervals
                for row in table_4(interval, repeats, desk.orders(repeats, interval / 1e3))
            ]
    if "5" in chosen:
        rows += table_5(busy, sizes, messages)
    show(rows, as_json=as_json)


def costs(*, quick: bool) -> list[Row]:
    """Return what the intelligence on board costs a robot and tick, and how fast a match is, by processor time."""
    outcome = on_board(ROBOTS, 2 if quick else ON_BOARD_REPEATS)
    rows = [at_most(f"intelligence on board, {ROBOTS} robots: CPU of a robot and tick", "us", outcome, ON_BOARD_BOUND)]
    if not quick:
        rows.append(at_least("match of 60 against 60, with its logic: CPU", "x", match_speed(seed=1), MATCH_BOUND))
    return rows


def table_3(orders: Sequence[OrderTimes]) -> list[Row]:
    """Return the rows of table 3: mean, deviation, least and largest of each stage, and the whole way."""
    rows = []
    for name, words in _STAGES.items():
        times = column(orders, name)
        for what, value, printed in zip(
            ("mean", "deviation", "least", "largest"),
            (times.mean(), times.std(), times.min(), times.max()),
            TABLE_3[name],
            strict=True,
        ):
            rows.append(_row(f"table 3: {words}, {what}", float(value), printed))
    work, whole = column(orders, "decided") + column(orders, "sent"), column(orders, "whole")
    for what, times, bounds in (
        ("order from the look to the last robot", work, WORK_BOUNDS),
        ("order from the player to the last robot", whole, WHOLE_BOUNDS),
    ):
        rows.append(at_most(f"{what}, median", "ms", float(np.median(times)), bounds[0]))
        rows.append(at_most(f"{what}, p99", "ms", float(np.quantile(times, 0.99)), bounds[1]))
    return rows


def table_4(interval: int, given: int, orders: Sequence[OrderTimes]) -> list[Row]:
    """Return the rows of one interval [ms], of which so many orders were given."""
    swarm_time, robot_time = float(column(orders, "decided").mean()), float(column(orders, "obeyed").mean())
    printed = TABLE_4[interval]
    case = f"table 4: every {interval} ms"
    return [
        _row(f"{case}, swarm intelligence with the wait", swarm_time, printed[0]),
        _row(f"{case}, robot intelligence", robot_time, printed[1]),
        {"case": f"{case}, carried out of {given} orders", "unit": "1", "value": len(orders)},
    ]


def table_5(busy: Sequence[int], sizes: Sequence[int], messages: int) -> Iterator[Row]:
    """Yield a row for each number of busy processes and each size."""
    from coopsim.client import connect
    from coopsim.testkit import Run

    with Run("[SIMULATION]\nmode real-time\n", "--no-controllers") as run, connect(run.endpoint) as sim:
        for count in busy:
            with OverloadedRobot(sim, count) as round_trip:
                for size in sizes:
                    mean = float(np.mean([round_trip(size) for _ in range(messages)]))
                    printed = TABLE_5[count][SIZES.index(size)]
                    yield _row(f"table 5: {count} busy processes, {size} bytes, round trip", mean, printed)


def _row(case: str, value: float, printed: float) -> Row:
    """Return a row of a value beside what the paper prints of its own machine and robots."""
    return {"case": case, "unit": "ms", "value": round(value, 4), "printed": printed}
