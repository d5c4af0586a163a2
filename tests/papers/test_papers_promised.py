"""What the project promises of the papers: each item is in the name, or the docstring, of a test that proves it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PROMISED = [
    *(
        f"C-{number}"
        for first, last in ((11, 23), (26, 33), (41, 43), (47, 48), (65, 73))
        for number in range(first, last + 1)
    ),
    *("C-24", "C-25", "C-34", "C-35", "C-36", "C-37", "C-39", "C-40", "C-45", "C-49", "C-51", "C-52"),
    *(f"C-{number}" for number in (3, 6, *range(53, 65), 75, 76, 78, 79, 80, 82, 83, 84, 86, 87, 102)),
    *(f"S-{number}" for number in range(2, 78) if number not in (6, 24, 30, 47)),
    *(f"A-{number}" for number in range(2, 93) if number not in (23, 76, 82)),
    *(f"D-{number}" for number in (2, 3, 5, 6, 7)),
]
"""Of AMSA all that says what a simulator does: not its name (A-1), the tools it was made with (A-23), a picture that is
missing (A-76), and other frameworks (A-82). Of SwarmSimX neither what it says of others, its computers and its videos
(S-6, S-30, S-47, S-78 to S-85), nor a thread for each artifact (S-24: all are called in the tick), nor its first claim,
which the others prove together (S-1).

Not here, because nobody can use it yet: attached parts (C-38), casters and wheels on hinges (C-44, C-46: wheels are
servos).
"""
_ITEM = re.compile(r"(?<![A-Za-z])([ACSDacsd])[-_](\d+)(?:(?:…|\.{2,3}|_to_| to )(?:[ACSDacsd][-_])?(\d+))?")


@cache
def _proved() -> set[str]:
    """Return the items in names and docstrings of tests: `test_c_30_...`, `C-30: ...`, `a_60_to_a_63`."""
    found: set[str] = set()
    for text in _texts():
        for kind, first, last in _ITEM.findall(text):
            found |= {f"{kind.upper()}-{number}" for number in range(int(first), int(last or first) + 1)}
    return found


def _texts() -> Iterator[str]:
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{node.name} {ast.get_docstring(node) or ''}"


def test_every_promised_item_is_named_by_a_test_function() -> None:
    assert sorted(set(PROMISED) - _proved()) == []


def test_a_range_names_all_of_its_items_and_a_module_names_none() -> None:
    assert {"A-60", "A-61", "A-62", "A-63"} <= _proved()
    assert "C-999" not in _proved()  # C-999
