"""The items of the papers, which of them are promised, and the tests that name each."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
LISTS = TESTS / "papers" / "items"
COUNTS = {"C": 103, "S": 85, "A": 92, "G": 107, "D": 10}
"""How many items each paper has: CoopDynSim, SwarmSimX, AMSA, swarm gaming, the design card."""
_NAMED = re.compile(
    r"(?<![A-Za-z])(?:([ACSD])[-_]|(G)[-_]?)(\d+)(?:(?:…|\.{2,3}|_to_| to )(?:[ACSDG][-_]?)?(\d+))?(?!\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PaperItem:
    """One item of a paper.

    Attributes:
        name: Letter of the paper and number, `C-30`.
        words: Our short words for it.
        unpromised: Why nothing is promised of it; "" = it is promised, and a test proves it.
    """

    name: str
    words: str
    unpromised: str = ""


@cache
def paper_items() -> Mapping[str, PaperItem]:
    """Return all items of the lists in `tests/papers/items`, by name."""
    items: dict[str, PaperItem] = {}
    for path in sorted(LISTS.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        reasons = {name: why for why, names in table.get("unpromised", {}).items() for name in names}
        for name, words in table["items"].items():
            items[name] = PaperItem(name, words, reasons.pop(name, ""))
        if reasons:
            message = f"{path.name}: not promised are {sorted(reasons)}, which are no items of this list"
            raise ValueError(message)
    return items


def items_in(text: str) -> set[str]:
    """Return the items that a text names: `test_c_30_...`, `C-30: ...`, `a_60_to_a_63`, `g58_g59`."""
    names: set[str] = set()
    for letter, letter_of_gaming, first, last in _NAMED.findall(text):
        kind = (letter or letter_of_gaming).upper()
        names |= {f"{kind}-{number}" for number in range(int(first), int(last or first) + 1)}
    return names


@cache
def naming_tests(folder: Path = TESTS) -> dict[str, list[str]]:
    """Return the tests that name each item in their name or docstring, as `tests/papers/test_x.py::test_y`."""
    tests: dict[str, list[str]] = {}
    for test, text in _functions(folder):
        for item in sorted(items_in(text)):
            tests.setdefault(item, []).append(test)
    return tests


def _functions(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("test_*.py")):
        file = path.relative_to(folder.parent).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield f"{file}::{node.name}", f"{node.name} {ast.get_docstring(node) or ''}"
