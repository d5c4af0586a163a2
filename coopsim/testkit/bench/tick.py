"""`coopsim bench tick`: how much faster than real time a whole tick is, on one core."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import click

from coopsim.app.options import Engine, plugin_option
from coopsim.features.files.figures import show
from coopsim.plugins import loose_files
from coopsim.robots import load_type
from coopsim.robots.catalogue import type_names
from coopsim.scene import TEAM
from coopsim.testkit.bench.measuring.type_crowds import LYING, PLACES

BOUNDS = {10: 0.11, 100: 0.22, 1000: 0.27, 10_000: 0.27}
"""Smallest share of what bare Chipmunk does with as many discs, by the number of robots."""
BOUNDS_OF_TWO_CORES = {1000: 0.38, 10_000: 0.38}
"""The same in real time with `--threads 2`."""
CASES = {"W": "bench", "single": "single"}
SIZES = 100, 1000, 10_000
"""Of crowds of built-in types."""


@click.command()
@click.option("--robots", multiple=True, type=click.IntRange(1, 100_000), help="How many robots; may be repeated.")
@click.option("--case", "cases", multiple=True, type=click.Choice(list(CASES)), help="W (default: both), or single.")
@click.option("--type", "kinds", multiple=True, metavar="TYPE", help="Crowds of a built-in type instead, or of `all`.")
@click.option("--seconds", default=1.0, show_default=True, help="CPU time of each of five repeats.")
@click.option("--engine", type=Engine(), metavar="NAME", default="pymunk", show_default=True, help="Physics engine.")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Number of cores; of more than one, real time is measured. Default: 1, then 2 for many robots in case W.",
)
@plugin_option
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def tick(
    robots: tuple[int, ...],
    cases: tuple[str, ...],
    kinds: tuple[str, ...],
    seconds: float,
    engine: str,
    threads: int | None,
    as_json: bool,
) -> None:
    """Measure the whole tick of many robots, in CPU time of one core.

    Case W: one `bench` robot per 2 m2 between walls, 11 rays of 2 m, wheel servo, avoidance program, 10 ms steps.
    Case single: the same with the full `single` robot, without a bound. raw: discs that wander about in bare Chipmunk,
    measured after W in the same process; ratio: the share of it. Bounds are those of the engine pymunk. With --threads
    the senses of many robots are shared among cores, and real time is measured; raw stays that of one core.
    With --type robots of one type stand on a grid of 1 m and drive in curves: 100, 1000 and 10 000 of them in a crowd
    on an empty floor, then in a laboratory with an object for every ten, on pymunk, or on mujoco if they need space.
    What flies hovers there, and lies on the floor in a third place.
    """
    if kinds:
        names = [name for name in type_names() if name != TEAM] if "all" in kinds else kinds
        places = {name: (*PLACES, LYING) if load_type(name).flies else PLACES for name in names}
        asked_of = [(name, place, count) for name in names for place in places[name] for count in robots or SIZES]
        show([_type_row(*crowd, seconds, threads or 1) for crowd in asked_of], as_json=as_json)
        return
    counts, chosen = robots or tuple(BOUNDS), cases or tuple(CASES)
    asked = [(case, count, threads or 1) for count in counts for case in chosen]
    if threads is None and engine == "pymunk" and "W" in chosen and (os.cpu_count() or 1) > 1:
        asked += [("W", count, 2) for count in counts if count in BOUNDS_OF_TWO_CORES]
    show([_measure_apart(case, count, seconds, engine, many) for case, count, many in asked], as_json=as_json)


def _measure_apart(case: str, count: int, seconds: float, engine: str, threads: int) -> dict[str, Any]:
    """Measure in a process of its own, so that memory is that case's and one core is one core."""
    code = (
        "import json, sys; from dataclasses import asdict; "
        "from coopsim.testkit.bench.measuring import bare_chipmunk, workload;"
        "count, case, seconds, engine, threads, bare = sys.argv[1:7]; from coopsim.robots import plug;"
        "[*map(plug, sys.argv[7:])]; count, seconds, threads = int(count), float(seconds), int(threads);"
        "found = asdict(workload.measure(count, case, engine=engine, seconds=seconds, threads=threads));"
        "found['bare'] = bare_chipmunk.real_time_factor(count, seconds=seconds / 2) if bare else None;"
        "print(json.dumps(found))"
    )
    plugins = [loose_file.spelled for loose_file in loose_files()]
    is_compared = case == "W" and engine == "pymunk"
    given = (str(count), CASES[case], str(seconds), engine, str(threads), "bare" if is_compared else "")
    arguments = [sys.executable, "-c", code, *given, *plugins]
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return row_of(case, count, _outcome(arguments, environment), threads)


def _outcome(arguments: list[str], environment: Mapping[str, str]) -> Any:
    """Return what a measuring process printed last."""
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise click.ClickException(f"the measuring process failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _type_row(kind: str, place: str, count: int, seconds: float, threads: int) -> dict[str, Any]:
    """Measure a crowd of one type, in a process of its own; say why where its engine cannot hold so many."""
    code = (
        "import json, sys; from dataclasses import asdict; from coopsim.errors import EngineCannot;"
        "from coopsim.testkit.bench.measuring import type_crowds; kind, place, *given = sys.argv[1:6]\n"
        "try: found = asdict(type_crowds.measure(kind, int(given[0]), place, float(given[1]), int(given[2])))\n"
        "except EngineCannot as problem: found = {'refusal': str(problem)}\n"
        "print(json.dumps(found))"
    )
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    outcome = _outcome([sys.executable, "-c", code, kind, place, *map(str, (count, seconds, threads))], environment)
    if "refusal" in outcome:
        return {"case": f"{kind}, {place}", "robots": count, "unit": "x", "value": None, "refusal": outcome["refusal"]}
    return row_of(f"{kind}, {place}", count, {**outcome, "bare": None}, threads)


def row_of(case: str, count: int, outcome: Mapping[str, Any], threads: int = 1) -> dict[str, Any]:
    """Return the row of what was measured; bounds are for what has a yardstick."""
    factor, bare = outcome["real_time_factor"], outcome["bare"]
    bounds = BOUNDS if threads == 1 else BOUNDS_OF_TWO_CORES if threads == 2 else {}
    bound = None if bare is None else bounds.get(count)
    return {
        "case": case if threads == 1 else f"{case}, {threads} cores",
        "robots": count,
        "unit": "x",
        "real_time_factor": round(factor, 2),
        "us_per_robot_step": round(outcome["us_per_robot_step"], 3),
        "rss_mb": round(outcome["rss_mb"], 1),
        "value": round(factor, 2),
        "raw": None if bare is None else round(bare, 2),
        "ratio": None if bare is None else round(factor / bare, 3),
        "bound": bound,
        "ok": None if bound is None else factor / bare >= bound,
    }
