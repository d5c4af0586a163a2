"""Sentences of the pages: how long they are."""

import re
from collections.abc import Iterator
from pathlib import Path

LONGEST = 25
"""Words of a sentence that a reader still holds at once."""
_FENCE = re.compile(r"^\s*(```|~~~)")
_GENERATED, _END = "<!-- generated:", "<!-- end -->"
_APART = ("#", "<!--", "![", "---")
_ITEM = re.compile(r"^([*-]|\d+\.)\s+")
_SENTENCE = re.compile(r"(?<=[.!?:])[\"')*]*\s+(?=[A-Z`\"'(*\[0-9])")
_MARKS = (
    (re.compile(r"`[^`]*`"), "Word"),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile("<[^>]+>"), ""),
)
_WORD = re.compile(r"[\w'/-]+")


def pages(root: Path) -> list[Path]:
    """Return the pages that people read from beginning to end."""
    return [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield line and number of words of each sentence; code and what a program writes into the page are none."""
    for line, passage in _passages(text):
        for pattern, plain in _MARKS:
            passage = pattern.sub(plain, passage)  # noqa: PLW2901  # the same passage with less in it
        yield from ((line, len(_WORD.findall(sentence))) for sentence in _SENTENCE.split(passage) if sentence.strip())


def _passages(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, items of lists and cells of tables, each with its first line."""
    begin, words, is_code, is_generated = 0, list[str](), False, False
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.strip()
        is_fence = bool(_FENCE.match(raw))
        is_generated = (is_generated or line.startswith(_GENERATED)) and not line.startswith(_END)
        is_apart = is_fence or is_code or is_generated or not line or line.startswith(_APART)
        if words and (is_apart or line.startswith("|") or _ITEM.match(line)):
            yield begin, " ".join(words)
            words = []
        is_code ^= is_fence
        if is_apart:
            continue
        if line.startswith("|"):
            yield from ((number, cell) for cell in line.strip("|").split("|"))
            continue
        begin = begin if words else number
        words.append(_ITEM.sub("", line, count=1))
