"""The drawn faults, each against the unit tests of its room, judged where they survive.

`judgements.toml` says of each survivor, by its key, why it is none: the fault changes nothing that anybody may rely on,
a named test of another room catches it, or the hole was closed by a new test.
"""

import hashlib
import json
import queue
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutants_copies import Copy
from mutants_drawn import DrawnFault, drawn
from mutants_tests import run_tests, workers

FILE = Path(__file__).with_name("drawn.json")
JUDGEMENTS = Path(__file__).with_name("judgements.toml")
GOAL = 0.75
_LIMIT = 400.0


def run_drawn(tree: Path, copies: list[Copy], count: int, only: str) -> int:
    """Draw faults and run them; return 1 where fewer are caught than the goal says.

    Args:
        tree: The project that they are copies of.
        copies: As many as are run at the same time.
        count: How many to draw.
        only: Rooms, by commas; "" = all.
    """
    rooms = {word for word in only.split(",") if word}
    listed = [fault for fault in drawn(count, tree) if not rooms or fault.room in rooms]
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    left = [fault for fault in listed if known.get(fault.key, {}).get("source") != _file_digest(tree / fault.file)]
    print(f"{len(listed)} faults drawn, {len(listed) - len(left)} of them known already", flush=True)
    free: queue.Queue[Copy] = queue.Queue()
    for copy in copies:
        free.put(copy)

    def attempt(fault: DrawnFault) -> tuple[DrawnFault, dict[str, Any]]:
        copy = free.get()
        try:
            return fault, _try(fault, tree, copy)
        finally:
            copy.restore()
            free.put(copy)

    with workers(len(copies)) as pool:
        for number, (fault, result) in enumerate(pool.map(attempt, left), 1):
            known[fault.key] = result
            FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")
            words = result["by"] or "SURVIVES"
            print(
                f"{number:4} of {len(left)}  {fault.file}:{fault.line} {fault.old} -> {fault.new}: {words}", flush=True
            )
    return _tell(listed, known)


def _try(fault: DrawnFault, tree: Path, copy: Copy) -> dict[str, Any]:
    """Run the unit tests of a room with a fault in it until one fails."""
    copy.write(fault.file, fault.source(tree))
    outcome = run_tests(copy, files_of_tests(fault, tree), _LIMIT, options=("-x",))
    by = outcome.failed[0] if outcome.failed else ""
    if not by and (outcome.is_late or outcome.trouble):
        by = "they do not end" if outcome.is_late else "they do not begin"
    place = {"file": fault.file, "line": fault.line, "text": fault.text, "old": fault.old, "new": fault.new}
    return {**place, "room": fault.room, "source": _file_digest(tree / fault.file), "by": by}


def files_of_tests(fault: DrawnFault, tree: Path) -> list[str]:
    """Return the files of tests of a room, first those that speak of the module with the fault."""
    folder = tree / "tests" / "unit" / fault.room
    files = sorted(folder.rglob("test_*.py"))
    module = fault.file.removesuffix(".py").replace("/", ".")
    stem = Path(fault.file).stem

    def rank(path: Path) -> tuple[int, str]:
        text = path.read_text(encoding="utf-8")
        return (0 if module in text else 1 if stem in f"{text}{path.name}" else 2), path.name

    return [path.relative_to(tree).as_posix() for path in sorted(files, key=rank)]


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def judgements() -> dict[str, str]:
    """Return what is said of survivors, by key."""
    return tomllib.loads(JUDGEMENTS.read_text(encoding="utf-8")) if JUDGEMENTS.is_file() else {}


def _tell(listed: Iterable[DrawnFault], known: dict[str, dict[str, Any]]) -> int:
    """Print how many are caught by room, and the survivors; return the exit code."""
    said, total, caught = judgements(), Counter[str](), Counter[str]()
    for fault in listed:
        result = known.get(fault.key)
        if result is None:
            continue
        total[fault.room] += 1
        caught[fault.room] += bool(result["by"])
        if not result["by"]:
            verdict = said.get(fault.key, "not judged")
            print(f'{fault.key} = "{verdict}"  # {fault.file}:{fault.line} {fault.old} -> {fault.new} | {fault.text}')
    print("| room | drawn | caught |\n|---|---|---|")
    for room in sorted(total):
        print(f"| {room} | {total[room]} | {caught[room]} |")
    share = sum(caught.values()) / max(1, sum(total.values()))
    print(f"{sum(caught.values())} of {sum(total.values())} caught by unit tests of their rooms: {share:.0%}")
    return int(share < GOAL)
