"""Words that stand for several robots: `all`, `r*`, `r1-r20`."""

import re
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

ALL = "all"
_RANGE = re.compile(r"(.*?)(\d+)-(.*?)(\d+)")
_NUMBERED = re.compile(r"(.*?)(\d+)")


def is_pattern(word: str) -> bool:
    """Return whether a word stands for robots by a pattern, not by a name."""
    return word == ALL or "*" in word or "?" in word or "-" in word


def matching(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that a word stands for, in their order; none where an end of a range is not there."""
    if word == ALL:
        return list(names)
    if "-" in word:
        return _within(word, list(names))
    return [name for name in names if fnmatchcase(name, word)]


def without(word: str, before: Sequence[str], left: Collection[str]) -> list[str]:
    """Return the words that mean what `word` means, without the robots that are no longer there.

    Args:
        word: A pattern.
        before: All names, when it was written.
        left: Those that are still there.
    """
    meant = [name for name in matching(word, before) if name in left]
    if not meant:
        return []
    return _spanning(meant) if "-" in word else [word]


def named(names: Sequence[str]) -> list[str]:
    """Return the words that stand for these names: a range where they are numbered in a row."""
    parts = [_NUMBERED.fullmatch(name) for name in names]
    stems = {part[1] if part else "" for part in parts}
    numbers = [int(part[2]) for part in parts if part]
    is_row = len(stems) == 1 and len(numbers) == len(names) and numbers == list(range(numbers[0], numbers[-1] + 1))
    return _spanning(names) if is_row and len(names) > 1 else list(names)


def _spanning(names: Sequence[str]) -> list[str]:
    return [f"{names[0]}-{names[-1]}"] if len(names) > 1 else list(names)


def _within(word: str, names: Sequence[str]) -> list[str]:
    ends = _RANGE.fullmatch(word)
    if ends is None or ends[1] != ends[3] or not {f"{ends[1]}{ends[2]}", f"{ends[3]}{ends[4]}"} <= set(names):
        return []
    low, high = int(ends[2]), int(ends[4])
    parts = ((name, _NUMBERED.fullmatch(name)) for name in names)
    return [name for name, part in parts if part and part[1] == ends[1] and low <= int(part[2]) <= high]
