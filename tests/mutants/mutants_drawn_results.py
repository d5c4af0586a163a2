"""Results of drawn faults, what is said of survivors, and the page that shows both by room.

`judgements.toml` says of each survivor, by its key, why it is none: why nobody can notice it, or which test outside of
its room fails beside it (`tests/...::test_...`), which is run with the fault, too.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mutants_drawn import DrawnFault
from mutants_faults import ROOT
from mutants_meaning import digest_of_line

FILE = Path(__file__).with_name("drawn.json")
JUDGEMENTS = Path(__file__).with_name("judgements.toml")
GOAL = 0.75
Result = dict[str, Any]


class Drawn:
    """The file of results.

    A result holds as long as the function with the fault means the same, and the test that failed is there.

    Args:
        root: The project, or a copy of it, whose functions count.
        file: Where the results lie.
        verdicts: Where the judgements lie.
    """

    def __init__(self, root: Path = ROOT, file: Path = FILE, verdicts: Path = JUDGEMENTS) -> None:
        self._root, self._file, self._verdicts = root, file, verdicts
        self._kept: dict[str, Result] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    @property
    def kept(self) -> Mapping[str, Result]:
        """What came of each fault, by key."""
        return self._kept

    def judgements(self) -> dict[str, str]:
        """Return what is said of survivors, by key."""
        return tomllib.loads(self._verdicts.read_text(encoding="utf-8")) if self._verdicts.is_file() else {}

    def is_known(self, fault: DrawnFault) -> bool:
        """Return whether the result of a fault is kept and still holds."""
        result = self._kept.get(fault.key)
        if not result or result["digest"] != self._digest(fault):
            return False
        file, _, test = (result["by"] or result["elsewhere"]).partition("::")
        path = self._root / file
        return not test or (path.is_file() and f"def {test.rpartition('::')[2]}(" in path.read_text(encoding="utf-8"))

    def state(self, fault: DrawnFault) -> str:
        """Return `new`, `caught` or `survivors`, as the command line names them."""
        result = self._kept.get(fault.key)
        return "new" if result is None else "caught" if result["by"] else "survivors"

    def keep(self, fault: DrawnFault, result: Result) -> None:
        """Write what came of a fault."""
        place = {"file": fault.file, "text": fault.text, "old": fault.old, "new": fault.new}
        self._kept[fault.key] = {**place, "digest": self._digest(fault), **result}
        self._write()

    def forget_all_but(self, faults: Iterable[DrawnFault]) -> None:
        """Remove results of faults that are no longer drawn."""
        keys = {fault.key for fault in faults}
        self._kept = {key: result for key, result in self._kept.items() if key in keys}
        self._write()

    def reaches_goal(self, faults: Iterable[DrawnFault]) -> bool:
        """Return whether enough of those that were run are caught by unit tests of their rooms."""
        run = [self._kept[fault.key] for fault in faults if fault.key in self._kept]
        return sum(bool(result["by"]) for result in run) >= GOAL * len(run)

    def write_page(self, faults: Iterable[DrawnFault]) -> str:
        """Write the page; return it."""
        text = page(list(faults), self._kept, self.judgements())
        self._file.with_suffix(".md").write_text(text, encoding="utf-8")
        return text

    def _digest(self, fault: DrawnFault) -> str:
        return digest_of_line((self._root / fault.file).read_text(encoding="utf-8"), fault.line)

    def _write(self) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(dict(sorted(self._kept.items())), indent=1) + "\n", encoding="utf-8")
        new.replace(self._file)


def page(faults: list[DrawnFault], kept: Mapping[str, Result], verdicts: Mapping[str, str]) -> str:
    """Return a table by room, and one of all survivors, in Markdown."""
    run = [fault for fault in faults if fault.key in kept]
    caught = [fault for fault in run if kept[fault.key]["by"]]
    share = len(caught) / max(1, len(run))
    lines = [
        "# Faults of single tokens, drawn by chance",
        "",
        f"{len(caught)} of {len(run)} are caught by the unit tests of their rooms: {share:.0%} (goal: {GOAL:.0%}).",
        *([f"{len(faults) - len(run)} were not run."] if len(faults) > len(run) else []),
        "",
        *_by_room(run, kept, verdicts),
        "",
        "## Survivors",
        "",
        "| key | fault | line | what is said of it |",
        "|---|---|---|---|",
    ]
    for fault in run:
        if not kept[fault.key]["by"]:
            place = f"{fault.file}:{fault.line}".removeprefix("coopsim/")
            code = fault.text.replace("|", "\\|")
            verdict = _verdict(kept[fault.key], verdicts.get(fault.key, ""))
            lines.append(f"| {fault.key} | {place} | `{code}`: `{fault.old}` -> `{fault.new}` | {verdict} |")
    return "\n".join(lines) + "\n"


def _by_room(run: list[DrawnFault], kept: Mapping[str, Result], verdicts: Mapping[str, str]) -> list[str]:
    columns = ("drawn", "caught", "caught elsewhere", "nobody can notice", "not judged")
    counts: dict[str, Counter[str]] = {}
    for fault in run:
        room = counts.setdefault(fault.room, Counter())
        room.update(("drawn", _kind(kept[fault.key], verdicts.get(fault.key, ""))))
    rows = [f"| {room} | {' | '.join(str(counts[room][name]) for name in columns)} |" for room in sorted(counts)]
    total = sum(counts.values(), Counter[str]())
    last = f"| all | {' | '.join(str(total[name]) for name in columns)} |"
    return [f"| room | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}", *rows, last]


def _kind(result: Result, verdict: str) -> str:
    """Return the column in which a fault counts."""
    if result["by"]:
        return "caught"
    if result["elsewhere"]:
        return "caught elsewhere"
    return "nobody can notice" if verdict and not verdict.startswith("tests/") else "not judged"


def _verdict(result: Result, said: str) -> str:
    if result["elsewhere"]:
        return f"caught by {result['elsewhere']}"
    if said.startswith("tests/"):
        return f"not caught by {said}"
    return said or "not judged"
