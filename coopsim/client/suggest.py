"""Nearest names, for the texts of errors."""

import difflib
from collections.abc import Iterable


def nearest(wrong: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'sonars'?`, or nothing where no known name comes close."""
    close = difflib.get_close_matches(wrong, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def listed(known: Iterable[str], most: int = 12) -> str:
    """Return names separated by commas, the rest counted where there are more than `most`."""
    names = list(known)
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + rest
