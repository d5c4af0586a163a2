"""The listed faults, each against the tests that name the items which it breaks."""

import queue
from pathlib import Path
from typing import Any

from mutants_copies import Copy
from mutants_faults import Fault
from mutants_results import Results
from mutants_tests import Outcome, run_tests, workers
from paper_items import naming_tests

_LONG = 600.0


class NamedRun:
    """Runs faults in copies.

    Args:
        tree: The project that they are copies of.
        copies: As many as are run at the same time.
        results: What is known, and will be.
    """

    def __init__(self, tree: Path, copies: list[Copy], results: Results) -> None:
        self._copies: queue.Queue[Copy] = queue.Queue()
        for copy in copies:
            self._copies.put(copy)
        self._results = results
        self._workers = len(copies)
        self._tree = tree
        self._items: dict[str, list[str]] = {}
        for item, tests in naming_tests(tree / "tests").items():
            for test in tests:
                self._items.setdefault(test, []).append(item)

    def run(self, listed: list[Fault], *, anew: bool) -> None:
        """Run the tests of these faults without any, then with each; tell what comes of it."""
        for fault in listed:
            fault.source(self._tree)  # better to say now that a text is not there
        left = [fault for fault in listed if anew or not self._results.is_known(fault)]
        print(f"{len(listed)} faults, {len(listed) - len(left)} of them known already", flush=True)
        files: dict[str, list[str]] = {}
        for test in sorted({test for fault in left for test in self._results.tests_of(fault)}):
            if not self._results.passes(test):
                files.setdefault(test.partition("::")[0], []).append(test)
        with workers(self._workers) as pool:
            for _ in pool.map(self._try_unbroken, files.values()):
                pass
            for number, line in enumerate(pool.map(self._try_fault, left), start=1):
                print(f"{number:4} of {len(left)}  {line}", flush=True)

    def _try_unbroken(self, tests: list[str]) -> None:
        """Run the tests of one file where nothing is broken."""
        copy = self._copies.get()
        try:
            outcome = run_tests(copy, tests, _LONG)
        finally:
            self._copies.put(copy)
        failed = set(outcome.failed)
        for test in tests:
            passes = test in outcome.seconds and test not in failed
            seconds = outcome.seconds.get(test, 0.0)
            self._results.keep_test(test, passes=passes, seconds=seconds)
        if failed or outcome.trouble or outcome.is_late:
            print(
                f"fails, though nothing is broken: {', '.join(sorted(failed)) or tests[0]} {outcome.trouble}",
                flush=True,
            )

    def _try_fault(self, fault: Fault) -> str:
        """Run the tests of a fault and keep what came of it; return a line about it."""
        usable = [test for test in self._results.tests_of(fault) if self._results.passes(test)]
        if not usable:
            return f"{fault.name}: NOT TRIED, since none of its tests passes where nothing is broken"
        copy = self._copies.get()
        try:
            copy.write(fault.file, fault.source(self._tree))
            seconds = sum(map(self._results.seconds, usable))
            outcome = run_tests(copy, usable, 180 + 5 * seconds, self._items, fault.items)
        finally:
            copy.restore()
            self._copies.put(copy)
        result = self._results.keep_fault(fault, _state(outcome), outcome.failed, outcome.trouble)
        return f"{fault.name}: {verdict(result)}"


def _state(outcome: Outcome) -> str:
    """Return what came of a fault, in a word."""
    if outcome.trouble:
        return "trouble"
    return "caught" if outcome.failed else "late" if outcome.is_late else "survives"


def verdict(result: dict[str, Any]) -> str:
    """Return words about the result of a fault."""
    if result["state"] != "caught":
        return "SURVIVES" if result["state"] == "survives" else result["state"].upper()
    unproved = f"; not noticed by those of {', '.join(result['unproved'])}" if result["unproved"] else ""
    return f"caught by {result['by'][0].partition('::')[2]}{unproved}"
