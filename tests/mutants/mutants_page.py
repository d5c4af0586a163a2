"""The page about all faults: what came of each, and which promised items they prove."""

from collections.abc import Iterable

from mutants_faults import Fault, without_fault
from mutants_named import verdict
from mutants_results import Results
from paper_items import paper_items


class Page:
    """What is known of faults, in Markdown.

    Args:
        results: What came of them.
        every: All that are listed.
    """

    def __init__(self, results: Results, every: list[Fault]) -> None:
        self._results, self._every = results, every
        self._holding = {fault.name for fault in every if results.is_known(fault)}

    def is_caught(self, fault: Fault) -> bool:
        """Return whether a fault was noticed, and what noticed it is as it was."""
        return fault.name in self._holding and self._results.faults[fault.name]["state"] == "caught"

    def text(self) -> str:
        """Return the page."""
        proved = {item for fault in self._every if self.is_caught(fault) for item in self._proved_by(fault)}
        promised = [item.name for item in paper_items().values() if not item.unpromised]
        count = sum(name in proved for name in promised)
        caught = sum(self.is_caught(fault) for fault in self._every)
        return (
            f"# Faults put into coopsim, and who noticed them\n\n{caught} of {len(self._every)} faults are caught by a "
            f"test that names an item which they break. {count} of {len(promised)} promised items are proved so.\n\n"
            f"{self.table(self._every)}\n\n## Promised items\n\n{self._items(promised, proved)}\n"
        )

    def table(self, listed: Iterable[Fault]) -> str:
        """Return a table of what came of some faults."""
        rows = ["| fault | broken | items | result |", "|---|---|---|---|"]
        for fault in listed:
            excuse = f" ({fault.survives})" if fault.survives else ""
            rows.append(
                f"| {fault.name} | {fault.breaks} | {', '.join(fault.items)} | {self._words_of(fault)}{excuse} |"
            )
        return "\n".join(rows)

    def _words_of(self, fault: Fault) -> str:
        result = self._results.faults.get(fault.name)
        if not result:
            return "not run"
        return verdict(result) + ("" if fault.name in self._holding else "; not run since it changed")

    def _proved_by(self, fault: Fault) -> set[str]:
        return set(fault.items) - set(self._results.faults[fault.name]["unproved"])

    def _items(self, promised: list[str], proved: set[str]) -> str:
        """Return a table that says of each promised item whether a fault proved it, has to, or why none can."""
        faulty = {item for fault in self._every for item in fault.items}
        reasons = without_fault()
        rows = ["| promised | items |", "|---|---|"]
        left = [name for name in promised if name not in proved]
        groups = {"proved by a fault that was run": [name for name in promised if name in proved]}
        groups["has a fault that has not proved it yet"] = [name for name in left if name in faulty]
        for name in left:
            if name not in faulty:
                groups.setdefault(f"no fault: {reasons.get(name, 'none is listed yet')}", []).append(name)
        rows += [f"| {words} ({len(names)}) | {', '.join(names)} |" for words, names in groups.items() if names]
        return "\n".join(rows)
