"""`coopsim bench engines`: how fast each physics engine is, and how near to each other they are."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import click

from coopsim.features.files.figures import show

FACTOR_BOUND, ARMS_BOUND = 2.5, 75.0  # x real time; % of bare MuJoCo in the same run
FREE_BOUND, CONTACT_BOUND, BAR_BOUND = 1e-5, 0.05, 2.0
EXCHANGE_BOUND, MOVED_BOUND = 0.5, 1e-12  # s, m; nothing may move but for the last digit
_CROWD, _LINED_UP = 1000, ("pymunk", "mujoco", "kinematic")  # robots of the longest exchange
_ONE_CORE = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

Row = dict[str, Any]


@click.command()
@click.option("--quick", is_flag=True, help="A tenth of everything: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def engines(quick: bool, as_json: bool) -> None:
    """Measure pymunk, mujoco and kinematic: workload W on each, and the same scenes on all.

    Values are at most their bounds but for the real-time factor and the share of bare MuJoCo, which are at least
    theirs. Workload W, arms and the exchange are measured in processes of their own, on one core.
    """
    scale = 0.1 if quick else 1.0
    rows = [row for case in CASES for row in case(scale)]
    show(rows, as_json=as_json)


def row(case: str, unit: str, value: float, bound: float | None, *, raw: float | None = None) -> Row:
    """Return a row of a value that must not be larger than its bound."""
    ratio = None if not bound else round(value / bound, 3)
    value = float(f"{value:.4g}")
    is_kept = None if bound is None else value <= bound
    return {"case": case, "unit": unit, "value": value, "raw": raw, "ratio": ratio, "bound": bound, "ok": is_kept}


def crowds(scale: float) -> list[Row]:
    """Measure a tick of workload W on each engine."""
    rows = []
    for engine in _LINED_UP:
        count = max(10, round(_CROWD * scale))
        code = (
            "from coopsim.testkit.bench.measuring.workload import measure; "
            "found = measure(%d, engine=%r, seconds=%g, repeats=%d)"
        )
        outcome = _apart(code % (count, engine, max(0.1, scale), 5 if scale == 1.0 else 2))
        us = round(outcome["us_per_robot_step"] * count, 1)
        case = f"{engine}, {count} robots with 11 rays at 100 Hz"
        if engine == "mujoco":
            factor = round(outcome["real_time_factor"], 2)
            rows.append(_at_least(row(case, "x real time", factor, FACTOR_BOUND, raw=us)))
        else:
            rows.append(row(f"{case}, a tick", "us", us, None, raw=round(outcome["real_time_factor"], 2)))
    return rows


def arms(scale: float) -> list[Row]:
    """Measure ticks of three arms that pick up blocks, beside MuJoCo's own step for the same model and states."""
    outcome = _apart(
        "from coopsim.testkit.bench.measuring.arm_ticks import measure; found = measure(%g)" % (8.0 * scale)
    )
    ticks, bare = outcome["ticks"], round(outcome["bare"], 1)
    plain = row("mujoco, three arms with contacts at 100 Hz", "x real time", ticks, None, raw=bare)
    share = row("their share of what bare MuJoCo does", "%", 100.0 * ticks / outcome["bare"], ARMS_BOUND)
    laws = row("three arms with their laws", "x real time", outcome["laws"], None)
    return [plain, _at_least(share), laws]


def motion(scale: float) -> list[Row]:
    """Measure how far the same commands lead on different engines."""
    import numpy as np

    from coopsim.testkit.bench.measuring.engine_scenes import carried_bar, free_motion, one_contact

    free, seconds = 60.0 * scale, 10.0 * scale
    apart = one_contact(_LINED_UP[:2], seconds)
    (way, force), (other_way, other_force) = (carried_bar(engine) for engine in _LINED_UP[:2])
    return [
        row(f"free motion, {free:g} s, all three", "m", free_motion(_LINED_UP, free), FREE_BOUND),
        row(
            f"one contact, {seconds:g} s, median",
            "m",
            float(np.median(apart)),
            CONTACT_BOUND,
            raw=round(float(apart.max()), 4),
        ),
        row("carried bar, displacement", "%", _percent(way, other_way), BAR_BOUND, raw=round(float(way.max()), 5)),
        row("carried bar, force", "%", _percent(force, other_force), BAR_BOUND, raw=round(float(force.max()), 2)),
    ]


def exchange(scale: float) -> list[Row]:
    """Measure what it costs to go on with another engine."""
    count = max(10, round(100 * scale))
    code = "from coopsim.testkit.bench.measuring.engine_scenes import exchanged; found = exchanged(%r, %d)"
    outcome = _apart(code % (_LINED_UP, count))
    return [
        row(f"set_engine, {count} robots, the longest", "s", outcome["seconds"], EXCHANGE_BOUND),
        row(f"set_engine, {count} robots, poses moved by", "m, 1", outcome["moved"], MOVED_BOUND),
    ]


def _at_least(row: Row) -> Row:
    return {**row, "ok": row["value"] >= row["bound"]}


def _percent(value: Any, reference: Any) -> float:
    return float(100.0 * abs(value - reference).max() / abs(value).max())


def _apart(code: str) -> dict[str, Any]:
    """Return what a process of its own found, which has one core and its own memory."""
    whole = f"import json; from dataclasses import asdict; {code}; print(json.dumps(asdict(found)))"
    environment = {**os.environ, **_ONE_CORE}
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise click.ClickException(f"the measuring process failed:\n{done.stderr[-2000:]}")
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return outcome


CASES: tuple[Callable[[float], list[Row]], ...] = (crowds, arms, motion, exchange)
