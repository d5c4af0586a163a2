"""What came of the faults, kept in a file, so that a run that was stopped goes on where it was."""

import hashlib
import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutants_faults import ROOT, Fault

FILE = Path(__file__).with_name("results.json")


class Results:
    """The file of results.

    Args:
        root: The project, or a copy of it, whose digests count.
        file: Where it lies.
    """

    def __init__(self, root: Path = ROOT, file: Path = FILE) -> None:
        self._root, self._file = root, file
        self._writing = threading.Lock()
        self._kept: dict[str, Any] = {"sources": "", "faults": {}, "tests": {}}
        if file.is_file():
            self._kept |= json.loads(file.read_text(encoding="utf-8"))

    @property
    def faults(self) -> dict[str, dict[str, Any]]:
        """What is known of each fault."""
        return self._kept["faults"]

    @property
    def tests(self) -> dict[str, dict[str, Any]]:
        """What each test does where nothing is broken: the digest of its file, `passes`, `seconds`."""
        return self._kept["tests"]

    def is_known(self, fault: Fault, tests: Iterable[str]) -> bool:
        """Return whether a result is that of this fault, in this source, by these tests."""
        return self.faults.get(fault.name, {}).get("digest") == self.digest(fault, tests)

    def keep(self, kind: str, name: str, result: dict[str, Any]) -> None:
        """Write one result of a kind, `faults` or `tests`."""
        with self._writing:
            self._kept[kind][name] = result
            self._kept["sources"] = sources_digest(self._root)
            self._write()

    def forget_all_but(self, names: Iterable[str]) -> None:
        """Remove results of faults that are no longer listed."""
        listed = set(names)
        with self._writing:
            self._kept["faults"] = {name: result for name, result in self.faults.items() if name in listed}
            self._write()

    def digest(self, fault: Fault, tests: Iterable[str]) -> str:
        """Return a digest of a fault, of the file that it breaks, and of the files of its tests."""
        parts = [repr((fault.file, fault.old, fault.new, fault.items)), file_digest(self._root / fault.file)]
        parts += [f"{test} {self.digest_of_test(test)}" for test in sorted(tests)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def digest_of_test(self, test: str) -> str:
        """Return a digest of the file of a test."""
        return file_digest(self._root / test.partition("::")[0])

    def _write(self) -> None:
        kept = {**self._kept, "faults": dict(sorted(self.faults.items())), "tests": dict(sorted(self.tests.items()))}
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        new.replace(self._file)


def file_digest(path: Path) -> str:
    """Return a digest of one file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def sources_digest(root: Path) -> str:
    """Return a digest of all sources of coopsim."""
    found = hashlib.sha256()
    for path in sorted((root / "coopsim").rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]
