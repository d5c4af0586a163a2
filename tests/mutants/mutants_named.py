"""The listed faults, each against the tests that name the items which it breaks."""

import queue
from collections.abc import Iterable
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
        self._tree, self._tests = tree, naming_tests(tree / "tests")
        self._items: dict[str, list[str]] = {}
        for item, tests in self._tests.items():
            for test in tests:
                self._items.setdefault(test, []).append(item)

    def tests_of(self, fault: Fault) -> list[str]:
        """Return the tests that name the items of a fault, the shortest first."""
        tests = {test for item in fault.items for test in self._tests.get(item, ())}
        seconds = {test: self._results.tests.get(test, {}).get("seconds", 0.0) for test in tests}
        return sorted(tests, key=lambda test: (seconds[test], test))

    def run(self, listed: list[Fault], *, anew: bool) -> None:
        """Run the tests of these faults without any, then with each; tell what comes of it."""
        for fault in listed:
            fault.source(self._tree)  # better to say now that a text is not there
        left = [fault for fault in listed if anew or not self._results.is_known(fault, self.tests_of(fault))]
        print(f"{len(listed)} faults, {len(listed) - len(left)} of them known already", flush=True)
        wanted = sorted({test for fault in left for test in self.tests_of(fault)})
        files: dict[str, list[str]] = {}
        for test in wanted:
            known = self._results.tests.get(test, {})
            if not known.get("passes") or known["digest"] != self._results.digest_of_test(test):
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
            self._results.keep(
                "tests", test, {"digest": self._results.digest_of_test(test), "passes": passes, "seconds": seconds}
            )
        if failed or outcome.trouble or outcome.is_late:
            print(
                f"fails, though nothing is broken: {', '.join(sorted(failed)) or tests[0]} {outcome.trouble}",
                flush=True,
            )

    def _try_fault(self, fault: Fault) -> str:
        """Run the tests of a fault and keep what came of it; return a line about it."""
        tests = self.tests_of(fault)
        usable = [test for test in tests if self._results.tests.get(test, {}).get("passes")]
        copy = self._copies.get()
        try:
            copy.write(fault.file, fault.source(self._tree))
            seconds = sum(self._results.tests[test]["seconds"] for test in usable)
            outcome = run_tests(copy, usable, 180 + 5 * seconds, self._items, fault.items) if usable else _NOTHING
        finally:
            copy.restore()
            self._copies.put(copy)
        result = self._result(fault, outcome)
        self._results.keep("faults", fault.name, {"digest": self._results.digest(fault, tests), **result})
        return f"{fault.name}: {verdict(result)}"

    def _result(self, fault: Fault, outcome: Outcome) -> dict[str, Any]:
        proved = {item for test in outcome.failed for item in self._items.get(test, ())}
        state = "caught" if outcome.failed else "late" if outcome.is_late else "survives"
        return {
            "state": "trouble" if outcome.trouble else state,
            "by": outcome.failed,
            "unproved": [item for item in fault.items if item not in proved],
            **({"said": outcome.trouble} if outcome.trouble else {}),
        }


_NOTHING = Outcome([], {}, is_late=False, trouble="")


def verdict(result: dict[str, Any]) -> str:
    """Return words about the result of a fault."""
    if result["state"] != "caught":
        return "SURVIVES" if result["state"] == "survives" else result["state"].upper()
    unproved = f"; not noticed by those of {', '.join(result['unproved'])}" if result["unproved"] else ""
    return f"caught by {result['by'][0].partition('::')[2]}{unproved}"


def table(listed: Iterable[Fault], results: Results) -> str:
    """Return a table of what came of the faults, in Markdown."""
    rows = ["| fault | broken | items | result |", "|---|---|---|---|"]
    for fault in listed:
        result = results.faults.get(fault.name)
        words = verdict(result) if result else "not run"
        excuse = f" ({fault.survives})" if fault.survives else ""
        rows.append(f"| {fault.name} | {fault.breaks} | {', '.join(fault.items)} | {words}{excuse} |")
    return "\n".join(rows)
