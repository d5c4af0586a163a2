"""The keys of a section, and a section's lines read by them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from coopsim.scene.lines import Line, Section
from coopsim.scene.problems import Problems
from coopsim.scene.spans import Span
from coopsim.scene.values import Flaw, Reader
from coopsim.suggest import choices, closest, hint, quoted


@dataclass(frozen=True, slots=True)
class SectionKey:
    """A key that a section knows.

    Attributes:
        read: Turns its values into what they mean.
        is_needed: Whether a section without it is incomplete.
        repeats: Whether it may be given more than once; its value is then a list.
        is_numbered: Whether its name ends with `_n`, which stands for `_1`, `_2`, ...; its value is then a dictionary.
    """

    read: Reader
    is_needed: bool = False
    repeats: bool = False
    is_numbered: bool = False


Keys: TypeAlias = Mapping[str, SectionKey]
_MOST_DIGITS = 4
"""Of the number in a key."""


def read_keys(section: Section, keys: Keys, problems: Problems, rest: list[Line] | None = None) -> dict[str, Any]:
    """Return the values of a section by key.

    Args:
        section: What to read.
        keys: What it knows, by name in lower case.
        problems: Takes every mistake; a wrong value is left out.
        rest: Takes the lines of keys that are not known; without it they are mistakes.
    """
    values: dict[str, Any] = {}
    seen: dict[str, Line] = {}
    for line in section.lines:
        if problems.is_full:
            break
        low = line.key.lower()
        name, number = _numbered(low, keys)
        key = keys.get(name)
        if low in seen and not (key and key.repeats):
            problems.add(line.span, f"{quoted(low)} is given twice, first on line {seen[low].number}")
            continue
        seen[low] = line
        if key is not None:
            _read(line, (name, number), key, values, problems)
        elif rest is not None:
            rest.append(line)
        else:
            problems.add(line.span, f"{_title(section)} knows no key {quoted(line.key)}{_meant(line.key, keys)}")
    missing = [name for name, key in keys.items() if key.is_needed and name not in seen]
    for name in missing:
        problems.add(section.span, f"{_title(section)} needs the key {name!r}{_misspelt(name, seen, keys)}")
    return values


def lacks(values: Mapping[str, Any], keys: Keys) -> bool:
    """Return whether a needed value is missing or was wrong."""
    return any(key.is_needed and name not in values for name, key in keys.items())


def flaw_location(line: Line, flaw: Flaw) -> Span:
    """Return where in `line` the flaw is."""
    return line.span if flaw.index < 0 else line.value_spans()[flaw.index]


def _numbered(low: str, keys: Keys) -> tuple[str, int]:
    """Return the name under which `keys` may know a word, and its number, 0 = it has none."""
    stem, _, number = low.rpartition("_")
    name = f"{stem}_n"
    if name in keys and keys[name].is_numbered:
        is_number = len(number) <= _MOST_DIGITS and number.isdecimal() and str(int(number)) == number != "0"
        return (name, int(number)) if is_number else ("", 0)
    return low, 0


def _shown(keys: Keys) -> list[str]:
    return [f"{name[:-1]}1" if key.is_numbered else name for name, key in keys.items()]


def _read(line: Line, name: tuple[str, int], key: SectionKey, values: dict[str, Any], problems: Problems) -> None:
    value, (word, number) = key.read(line.values), name
    if isinstance(value, Flaw):
        problems.add(flaw_location(line, value), f"{line.key.lower()} {value.text}")
    elif key.is_numbered:
        values.setdefault(word, {})[number] = value
    elif key.repeats:
        values.setdefault(word, []).append(value)
    else:
        values[word] = value


def _title(section: Section) -> str:
    return section.title if section.name else "this text"


def _meant(word: str, keys: Keys) -> str:
    return hint(word, _shown(keys)) or f"; it knows {choices(_shown(keys))}"


def _misspelt(name: str, seen: Mapping[str, Line], keys: Keys) -> str:
    unknown = [key for key in seen if key not in keys]
    near = closest(name, unknown)
    return f" ({near} → {name}?)" if near else ""
