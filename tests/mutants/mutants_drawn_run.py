"""The drawn faults, each against the unit tests of its room until one fails."""

import argparse
import queue
import re
from pathlib import Path

from mutants_copies import Copy
from mutants_drawn import DrawnFault, drawn
from mutants_drawn_results import Drawn, Result
from mutants_tests import run_tests, workers

_LIMIT = 400.0
_UNIT = ("unit", "features", "testkit", "papers")
"""Folders of tests that begin few processes, or none."""


class DrawnRun:
    """Runs drawn faults in copies.

    Args:
        tree: The project that they are copies of.
        copies: As many as are run at the same time.
        results: What is known, and will be.
    """

    def __init__(self, tree: Path, copies: list[Copy], results: Drawn) -> None:
        self._tree, self._results = tree, results
        self._copies: queue.Queue[Copy] = queue.Queue()
        for copy in copies:
            self._copies.put(copy)
        self._workers = len(copies)
        self._passing, self._failing = set[str](), set[str]()

    def run(self, faults: list[DrawnFault]) -> None:
        """Run the tests of each fault until one fails; keep what comes of it."""
        with workers(self._workers) as pool:
            for number, (fault, result) in enumerate(pool.map(self._try, faults), 1):
                self._results.keep(fault, result)
                words = result["by"] or result["elsewhere"] or "SURVIVES"
                place = f"{fault.file}:{fault.line} {fault.old} -> {fault.new}"
                print(f"{number:4} of {len(faults)}  {place}: {words}", flush=True)

    def _try(self, fault: DrawnFault) -> tuple[DrawnFault, Result]:
        copy = self._copies.get()
        try:
            by = self._failure(copy, fault, files_of_tests(fault, self._tree))
            named = self._results.judgements().get(fault.key, "")
            elsewhere = "" if by or not named.startswith("tests/") else self._failure(copy, fault, [named])
        finally:
            copy.restore()
            self._copies.put(copy)
        return fault, {"by": by, "elsewhere": elsewhere}

    def _failure(self, copy: Copy, fault: DrawnFault, tests: list[str]) -> str:
        """Return the first test that fails beside the fault alone, or why none can be run; "" = all pass."""
        while tests:
            copy.write(fault.file, fault.source(self._tree))
            left_out = [f"--deselect={test}" for test in sorted(self._failing)]
            outcome = run_tests(copy, tests, _LIMIT, options=("-x", *left_out))
            copy.restore()
            if not outcome.failed:
                return "they do not end" if outcome.is_late else "they do not begin" if outcome.trouble else ""
            if self._passes(copy, outcome.failed[0]):
                return outcome.failed[0]
        return ""

    def _passes(self, copy: Copy, test: str) -> bool:
        """Return whether a test passes where nothing is broken; one that does not proves nothing and is left out."""
        if test not in self._passing | self._failing:
            outcome = run_tests(copy, [test], _LIMIT)
            is_good = test in outcome.seconds and not outcome.failed
            (self._passing if is_good else self._failing).add(test)
            if not is_good:
                print(f"fails, though nothing is broken: {test}", flush=True)
        return test in self._passing


def run_drawn(tree: Path, copies: list[Copy], given: argparse.Namespace) -> int:
    """Draw faults and run those that are not known; return 1 where fewer are caught than the goal says.

    Args:
        tree: The project that they are copies of.
        copies: As many as are run at the same time.
        given: `drawn` = how many to draw, `only` = rooms, keys, `survivors` or `new`, `anew` = known ones, too.
    """
    results = Drawn(tree)
    every = drawn(given.drawn, tree)
    words = [word for word in re.split(r"[,\s]+", given.only) if word]
    listed = [
        fault
        for fault in every
        if not words or any(word in (fault.room, fault.key, results.state(fault)) for word in words)
    ]
    left = [fault for fault in listed if given.anew or results.state(fault) in words or not results.is_known(fault)]
    left.sort(key=lambda fault: results.state(fault) != "new")
    print(f"{len(listed)} faults drawn, {len(listed) - len(left)} of them known already", flush=True)
    DrawnRun(tree, copies, results).run(left)
    results.forget_all_but(every)
    print(results.write_page(every))
    return int(not results.reaches_goal(every))


def files_of_tests(fault: DrawnFault, tree: Path) -> list[str]:
    """Return the unit tests of a fault: those that import its module, wherever they are, then all of its room."""
    module = fault.file.removesuffix(".py").replace("/", ".")
    package, _, stem = module.rpartition(".")
    importing = re.compile(rf"\b{re.escape(module)}\b|from {re.escape(package)} import .*\b{stem}\b")
    room = set(_of_room(fault.room, tree))
    files = [file for folder in _UNIT for file in sorted((tree / "tests" / folder).rglob("test_*.py"))]
    texts = {file: file.read_text(encoding="utf-8") for file in files}

    def rank(file: Path) -> int:
        if importing.search(texts[file]):
            return 0 if file in room else 1
        return 2 if stem in f"{texts[file]}{file.name}" else 3

    ranks = {file: rank(file) for file in files if file in room or importing.search(texts[file])}
    return [file.relative_to(tree).as_posix() for file in sorted(ranks, key=lambda file: (ranks[file], file.name))]


def _of_room(room: str, tree: Path) -> list[Path]:
    """Return the files of unit tests of a room: those in its folder, or all that import it where it has none."""
    folder = tree / "tests" / (room if room.startswith("features/") or room == "testkit" else f"unit/{room}")
    if folder.is_dir():
        return sorted(folder.rglob("test_*.py"))
    package = f"coopsim.{room.replace('/', '.')}"
    files = sorted((tree / "tests" / "unit").rglob("test_*.py"))
    return [file for file in files if package in file.read_text(encoding="utf-8")]
