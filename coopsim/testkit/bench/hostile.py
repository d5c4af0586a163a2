"""`coopsim bench hostile`: hostile values in every command of every module, and what a run made of them."""

import tempfile
from pathlib import Path
from typing import Any

import click

from coopsim.app import talk
from coopsim.features.files.figures import show
from coopsim.testkit.hostile import CASES, RECORDING, AttackReport, attack_run


@click.command()
@click.option("--requests", type=click.IntRange(1), default=30_000, show_default=True, help="Requests in all.")
@click.option("--quick", is_flag=True, help="3000 requests: whether it works, not how well.")
@click.option("--seed", default=1, show_default=True, help="The same seed sends the same requests.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def hostile(requests: int, quick: bool, seed: int, as_json: bool) -> None:
    """Send hostile requests to runs in real time, in lockstep and to a replay, by ZeroMQ and by plain TCP.

    Each must have exactly one reply, and none may be a bug of the host; another client is served all the time, no
    process holds more than 500 MB, and the recording of what was done verifies. A connection for each twenty requests
    begins in an odd way, as no handshake should, at every port. The value counts what is not so.
    """
    with tempfile.TemporaryDirectory(prefix="coopsim-hostile-") as folder:
        recording = Path(folder) / "0" / RECORDING
        reports = []
        for number, case in enumerate(CASES):
            place = Path(folder) / str(number)
            place.mkdir()
            shown = recording if case.startswith("replay") else None
            reports.append(attack_run(case, (3000 if quick else requests) // len(CASES), seed + number, place, shown))
            talk.note("\n".join([f"{case}: {reports[-1].requests} requests", *dict.fromkeys(reports[-1].problems)]))
    show([_row(report) for report in reports], as_json=as_json)


def _row(report: AttackReport) -> dict[str, Any]:
    problems = len(report.problems)
    row = {"case": report.case, "unit": "problems", "value": problems, "raw": None, "ratio": None, "bound": 0}
    more = {
        "requests": report.requests,
        "handshakes": report.handshakes,
        "seconds": round(report.seconds, 1),
        "memory [MB]": round(report.memory),
    }
    served_figures = {"others served": report.served, "others' longest [ms]": round(report.slowest)}
    return {**row, "ok": not problems, **more, **served_figures}
