"""What came of the faults, kept in a file, so that a run that was stopped goes on where it was."""

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutants_faults import ROOT, Fault
from mutants_meaning import digest_of_fault, digest_of_test, short_name
from paper_items import naming_tests

FILE = Path(__file__).with_name("results.json")


class Results:
    """The file of results.

    A result holds as long as the function with the fault and the tests that decided mean the same: those that failed,
    or, where a named item is not proved, all that name an item of the fault.

    Args:
        root: The project, or a copy of it, whose digests count.
        file: Where it lies.
    """

    def __init__(self, root: Path = ROOT, file: Path = FILE) -> None:
        self._root, self._file = root, file
        self._writing = threading.Lock()
        self._naming = naming_tests(root / "tests")
        self._kept: dict[str, Any] = {"faults": {}, "tests": {}}
        if file.is_file():
            self._kept |= json.loads(file.read_text(encoding="utf-8"))

    @property
    def faults(self) -> dict[str, dict[str, Any]]:
        """What came of each fault, whether it still holds or not."""
        return self._kept["faults"]

    def seconds(self, test: str) -> float:
        """Return how long a test took where nothing is broken; 0 = that is not known."""
        return float(self._kept["tests"].get(short_name(test), {}).get("seconds", 0.0))

    def passes(self, test: str) -> bool:
        """Return whether a test, as it is now, is known to pass where nothing is broken."""
        result = self._kept["tests"].get(short_name(test), {})
        return bool(result.get("passes")) and result["digest"] == digest_of_test(test, self._root)

    def tests_of(self, fault: Fault) -> list[str]:
        """Return the tests that name the items of a fault, the shortest first."""
        tests = {test for item in fault.items for test in self._naming.get(item, ())}
        return sorted(tests, key=lambda test: (self.seconds(test), test))

    def is_known(self, fault: Fault) -> bool:
        """Return whether the result of a fault is kept and still holds."""
        result = self.faults.get(fault.name)
        if not result or result["digest"] != digest_of_fault(fault, self._root):
            return False
        now = {short_name(test): test for test in self.tests_of(fault)}
        deciding = result["tests"]
        if any(name not in now or digest_of_test(now[name], self._root) != deciding[name] for name in deciding):
            return False
        proved = self._items_of(now[name] for name in result["by"])
        if set(fault.items) - proved - set(result["unproved"]):
            return False
        return set(fault.items) <= proved or set(deciding) == set(now)

    def keep_test(self, test: str, *, passes: bool, seconds: float) -> None:
        """Write what a test does where nothing is broken."""
        digest = digest_of_test(test, self._root)
        self._keep("tests", short_name(test), {"digest": digest, "passes": passes, "seconds": seconds})

    def keep_fault(self, fault: Fault, state: str, failed: list[str], said: str = "") -> dict[str, Any]:
        """Write what came of a fault; return it.

        Args:
            fault: It.
            state: `caught`, `survives`, `late` or `trouble`.
            failed: The tests that failed.
            said: The trouble.
        """
        proved = self._items_of(failed)
        unproved = [item for item in fault.items if item not in proved]
        deciding = self.tests_of(fault) if unproved else failed
        result = {
            "digest": digest_of_fault(fault, self._root),
            "state": state,
            "by": [short_name(test) for test in failed],
            "unproved": unproved,
            "tests": {short_name(test): digest_of_test(test, self._root) for test in sorted(deciding)},
            **({"said": said} if said else {}),
        }
        self._keep("faults", fault.name, result)
        return result

    def forget_all_but(self, names: Iterable[str]) -> None:
        """Remove results of faults that are no longer listed."""
        listed = set(names)
        with self._writing:
            self._kept["faults"] = {name: result for name, result in self.faults.items() if name in listed}
            self._write()

    def _items_of(self, tests: Iterable[str]) -> set[str]:
        """Return the items that tests name."""
        named = set(tests)
        return {item for item, naming in self._naming.items() if named & set(naming)}

    def _keep(self, kind: str, name: str, result: dict[str, Any]) -> None:
        with self._writing:
            self._kept[kind][name] = result
            self._write()

    def _write(self) -> None:
        kept = {kind: dict(sorted(self._kept[kind].items())) for kind in ("faults", "tests")}
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        new.replace(self._file)
