"""Puts faults into copies of coopsim and tells which tests notice them: `python tests/mutants [--only NAMES]`.

`--drawn COUNT` draws faults of single tokens instead, over all rooms, and runs the unit tests of their rooms.
"""

import argparse
import fcntl
import os
import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mutants_copies import Copy, check_copy, snapshot
from mutants_drawn_run import run_drawn
from mutants_faults import ROOT, Fault, faults
from mutants_named import NamedRun
from mutants_page import Page
from mutants_results import FILE, Results


def main() -> int:
    """Run what the command line asks for; return 1 where a fault survives that nobody explained."""
    given = _arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # tests that are under way are ended, too
    folder = ROOT / "build" / ("mutants-drawn" if given.drawn else "mutants")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"another run uses the copies in {folder}: wait for its end")
            return 2
        tree = snapshot(ROOT, folder / "tree")
        copies = _copies(tree, given.jobs)
        return run_drawn(tree, copies, given) if given.drawn else _run_listed(tree, copies, given)


def _run_listed(tree: Path, copies: list[Copy], given: argparse.Namespace) -> int:
    """Run the faults of the lists."""
    results, every = Results(tree), faults(tree / "tests" / "mutants" / "faults")
    results.forget_all_but(fault.name for fault in every)
    listed = [fault for fault in every if _is_meant(fault, given.only)]
    NamedRun(tree, copies, results).run(listed, anew=given.anew)
    page = Page(results, every)
    print(page.table(listed))
    FILE.with_suffix(".md").write_text(page.text(), encoding="utf-8")
    unexplained = [fault.name for fault in listed if not fault.survives and not page.is_caught(fault)]
    print(f"{len(listed) - len(unexplained)} of {len(listed)} caught or explained")
    if unexplained:
        print(f"not caught, and not explained: {', '.join(unexplained)}")
    return 1 if unexplained else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/mutants", description=__doc__)
    parser.add_argument(
        "--only",
        default="",
        help="names of faults, items (C-30), papers (C), parts of names; of drawn ones rooms, keys; by commas",
    )
    parser.add_argument("--drawn", type=int, default=0, help="draw so many faults of single tokens")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at the same time")
    parser.add_argument("--anew", action="store_true", help="run those, too, whose result is known")
    return parser.parse_args()


def _copies(tree: Path, count: int) -> list[Copy]:
    copies = [Copy(tree, tree.parent / f"copy-{number}") for number in range(1, max(1, count) + 1)]
    check_copy(copies[0])
    return copies


def _is_meant(fault: Fault, only: str) -> bool:
    words = [word for word in re.split(r"[,\s]+", only) if word]
    named = {*fault.items, *(item[0] for item in fault.items)}
    return not words or any(word in named or (len(word) > 1 and word.lower() in fault.name) for word in words)


if __name__ == "__main__":
    sys.exit(main())
