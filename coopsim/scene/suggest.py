"""The nearest known word, and words shown within a sentence."""

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

_LONGEST = 40
_MOST = 500


def quoted(word: str) -> str:
    """Return `word` in quotation marks, cut where it is long, without control characters."""
    return repr(word if len(word) <= _LONGEST else word[:_LONGEST] + "...")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` was probably meant to be, None if there is none near; case does not count."""
    by_lower = {each.lower(): each for each in islice(known, _MOST)}
    matches = difflib.get_close_matches(word[:_LONGEST].lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None


def hint(word: str, known: Iterable[str]) -> str:
    """Return ` (frictoin → friction?)`, or nothing when no known word is near."""
    near = nearest(word, known)
    return f" ({word[:_LONGEST]} → {near}?)" if near else ""


def several(names: Sequence[str], most: int = 5) -> str:
    """Return names as a list for people: the first few, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def choices(known: Iterable[str]) -> str:
    """Return `known` as a list for people, cut where it is long."""
    words = list(islice(known, 21))
    return ", ".join(words[:20]) + (", ..." if len(words) > 20 else "") if words else "none"
