"""The keys of a section, and a section's lines read by them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from coopsim.scene.lines import Line, Section
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Span
from coopsim.scene.values import Flaw, Reader
from coopsim.suggest import choices, closest, hint, quoted


@dataclass(frozen=True, slots=True)
class SectionKey:
    """A key that a section knows.

    Attributes:
        read: Turns its values into what they mean.
        is_needed: Whether a section without it is incomplete.
        repeats: Whether it may be given more than once; its value is then a list.
    """

    read: Reader
    is_needed: bool = False
    repeats: bool = False


Keys: TypeAlias = Mapping[str, SectionKey]


def read_keys(section: Section, keys: Keys, problems: Problems, others: list[Line] | None = None) -> dict[str, Any]:
    """Return the values of a section by key.

    Args:
        section: What to read.
        keys: What it knows, by name in lower case.
        problems: Takes every mistake; a wrong value is left out.
        others: Takes the lines of keys that are not known; without it they are mistakes.
    """
    found: dict[str, Any] = {}
    seen: dict[str, Line] = {}
    for line in section.lines:
        if problems.is_full:
            break
        low = line.key.lower()
        key = keys.get(low)
        if low in seen and not (key and key.repeats):
            problems.add(line.span, f"{quoted(low)} is given twice, first on line {seen[low].number}")
            continue
        seen[low] = line
        if key is not None:
            _read(line, low, key, found, problems)
        elif others is not None:
            others.append(line)
        else:
            problems.add(line.span, f"{_title(section)} knows no key {quoted(line.key)}{_meant(line.key, keys)}")
    missing = [name for name, key in keys.items() if key.is_needed and name not in seen]
    for name in missing:
        problems.add(section.span, f"{_title(section)} needs the key {name!r}{_misspelt(name, seen, keys)}")
    return found


def lacks(found: Mapping[str, Any], keys: Keys) -> bool:
    """Return whether a needed value is missing or was wrong."""
    return any(key.is_needed and name not in found for name, key in keys.items())


def place(line: Line, flaw: Flaw) -> Span:
    """Return where in `line` the flaw is."""
    return line.span if flaw.index < 0 else line.value_spans()[flaw.index]


def _read(line: Line, name: str, key: SectionKey, found: dict[str, Any], problems: Problems) -> None:
    value = key.read(line.values)
    if isinstance(value, Flaw):
        problems.add(place(line, value), f"{name} {value.text}")
    elif key.repeats:
        found.setdefault(name, []).append(value)
    else:
        found[name] = value


def _title(section: Section) -> str:
    return f"[{section.name[:40]}]" if section.name else "this text"


def _meant(word: str, keys: Keys) -> str:
    return hint(word, keys) or f"; it knows {choices(keys)}"


def _misspelt(name: str, seen: Mapping[str, Line], keys: Keys) -> str:
    unknown = [key for key in seen if key not in keys]
    near = closest(name, unknown)
    return f" ({near} → {name}?)" if near else ""
