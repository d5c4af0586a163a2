"""Plays the matches that docs/games.md speaks of: `python benchmarks/matches.py [NAME[=COUNT] ...]`.

Computer players play each scenario with the seeds from 0 on; what came of them goes to `results/matches.json` after
each match, one row a scenario, and from there into the page. Rows of scenarios that are not named stay as they are.
"""

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import figures

from coopsim.features.games.tournaments.trials import play_matches
from coopsim.robots import find_file

NAME = "matches"
COUNTS = {"capture_the_flag": 70, "death_match": 70, "four_players": 30, "battle": 10, "capture_the_flag by radio": 20}
"""How many matches of each."""
RADIO = "\n[RADIO]\nloss 0.2\ndelay 0.1\nretries 0\n"
"""A fifth of all packets is lost, and none is tried twice."""
JITTER = 0.2
"""How far from their places robots begin at most [m], as `coopsim game trial` has it."""


def row(case: str, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the table says of matches."""
    wins = Counter(result["winner"] or "nobody" for result in results)
    return {
        "case": case,
        "matches": len(results),
        "finished": sum(bool(result["reason"]) for result in results),
        "violations": sum(len(result["violations"]) for result in results),
        "wins": ", ".join(f"{name} {count}" for name, count in wins.most_common()),
        "time over": sum(result["reason"] == "the time is over" for result in results),
        "median time [s]": round(median(result["time"] for result in results), 1),
    }


def play(case: str, count: int, folder: Path) -> None:
    """Play the matches of a case, and write its row after each of them."""
    name, _, is_linked = case.partition(" by ")
    file, load, began, results = name, os.getloadavg()[0], time.perf_counter(), list[dict[str, Any]]()
    if is_linked:
        text = find_file(name, [".scenario"]).read_text(encoding="utf-8")
        file = str(folder / f"{name}.scenario")
        Path(file).write_text(text + RADIO, encoding="utf-8")

    def shown(_seed: int, result: dict[str, Any]) -> None:
        results.append(result)
        write(row(case, results), time.perf_counter() - began, load)

    play_matches(file, range(count), JITTER, shown)
    print(json.dumps(row(case, results)), flush=True)


def write(new: Mapping[str, Any], seconds: float, load: float) -> None:
    """Put a row into the file, in the order of `COUNTS`; the time is that of the last case alone."""
    path = figures.RESULTS / f"{NAME}.json"
    before = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
    rows = {row["case"]: row for row in before} | {new["case"]: new}
    ordered = [rows[case] for case in COUNTS if case in rows]
    figures.keep(NAME, figures.saved(f"python benchmarks/{NAME}.py", ordered, seconds, load))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what is named, and rewrite the pages; exit code 1 where a match did not end, or a rule was broken."""
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME[=COUNT]", help="scenarios; default: all")
    asked = [name.partition("=") for name in parser.parse_args(arguments).names]
    wanted = {name: int(count) if count else COUNTS.get(name, 0) for name, _, count in asked} or COUNTS
    unknown = sorted(set(wanted) - set(COUNTS))
    if unknown:
        parser.error(f"no matches {', '.join(unknown)}; there are {', '.join(COUNTS)}")
    with tempfile.TemporaryDirectory() as folder:
        for name, count in wanted.items():
            play(name, count, Path(folder))
    subprocess.run([sys.executable, str(figures.PAGES)], check=True)
    rows = json.loads((figures.RESULTS / f"{NAME}.json").read_text(encoding="utf-8"))["results"]
    return int(any(row["violations"] or row["finished"] < row["matches"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
