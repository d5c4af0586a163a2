"""The word that was probably meant, and words shown within a sentence: for the texts of errors."""

import difflib
from collections.abc import Iterable
from itertools import islice

_LONGEST = 40  # letters; comparing grows with the square, and a stranger chooses the word
_MOST = 500  # candidates, for the same reason
_LIKELY = 64  # of more candidates than that


def close_words(word: str, names: Iterable[str], most: int) -> list[str]:
    """Return the known words that `word` was probably meant to be, the nearest first; case does not count."""
    candidates = list(names)
    few = likely(word, candidates) if len(candidates) > _MOST else candidates
    by_lower = {candidate.lower(): candidate for candidate in few}
    return [
        by_lower[close_match] for close_match in difflib.get_close_matches(word[:_LONGEST].lower(), by_lower, n=most)
    ]


def likely(word: str, names: Iterable[str]) -> list[str]:
    """Return the few names that are worth a closer look: nearly as long, and beginning or ending like the word."""
    # the longer ones first: of `robot1` to `robot10000` all begin alike
    ways = (word[:1], word[:-2], word[:-1]), word[-3:]
    near = [name for name in names if abs(len(name) - len(word)) <= 2]
    return sorted(near, key=lambda name: -sum(map(name.startswith, ways[0])) - name.endswith(ways[1]))[:_LIKELY]


def closest(word: str, names: Iterable[str]) -> str | None:
    """Return the known word that `word` was probably meant to be, None if there is none near."""
    return next(iter(close_words(word, names, 1)), None)


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return `; did you mean 'sonars'?`, or nothing where no known word is near."""
    near = closest(word, names)
    return f"; did you mean {near!r}?" if near else ""


def hint(word: str, names: Iterable[str]) -> str:
    """Return ` (frictoin → friction?)`, or nothing where no known word is near."""
    near = closest(word, names)
    return f" ({word[:_LONGEST]} → {near}?)" if near else ""


def quoted(word: str) -> str:
    """Return `word` in quotation marks, cut where it is long, without control characters."""
    return repr(word if len(word) <= _LONGEST else word[:_LONGEST] + "...")


def printable(text: str) -> str:
    r"""Return a text from elsewhere without anything that would command a terminal: `\x1b` for the escape character."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in "\n\t" else ascii(letter)[1:-1] for letter in text)


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return words separated by commas, the rest counted where there are more than `most`."""
    words = list(names)
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return (", ".join(words[:most]) or "none") + rest


def choices(names: Iterable[str]) -> str:
    """Return words separated by commas, cut where there are many."""
    words = list(islice(names, 21))
    return ", ".join(words[:20]) + (", ..." if len(words) > 20 else "") if words else "none"
