"""Lines to sections: `[NAME]`, then `key value...`; `#` begins a comment. Every word has its place."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from coopsim.scene.problems import Problems
from coopsim.scene.spans import Entry, Span
from coopsim.suggest import choices, closest, quoted

MOST_LINES = 20_000
"""Largest number of lines of a section."""
MOST_VALUES = 65_536
"""A line with more values is refused."""

_HEADER = re.compile(r"\[\s*([A-Za-z][A-Za-z0-9_]*)\s*\]")
_WORD = re.compile(r"\S+")


@dataclass(slots=True)
class Line:
    """A key and its values; places are worked out on demand, most are never asked for."""

    key: str
    values: list[str]
    file: str
    number: int
    column: int
    content: str

    @property
    def span(self) -> Span:
        """Place of the key."""
        return Span(self.file, self.number, self.column, len(self.key))

    def value_spans(self) -> tuple[Span, ...]:
        """Return the place of each value."""
        start = self.column - 1 + len(self.key)
        words = _WORD.finditer(self.content, start)
        return tuple(Span(self.file, self.number, word.start() + 1, len(word[0])) for word in words)

    def entry(self) -> Entry:
        """Return the line as written, with all places."""
        return Entry(self.key, tuple(self.values), self.span, self.value_spans())


@dataclass(slots=True)
class Section:
    """A header and the lines below it.

    Attributes:
        kind: What it is, `WALL`.
        name: Its name as written, `WALL_1`.
        repeated: Whether a section of this name stood above it, or its name is a guess.
    """

    kind: str
    name: str
    span: Span
    lines: list[Line] = field(default_factory=list)
    repeated: bool = False

    @property
    def title(self) -> str:
        """Title in the text of mistakes."""
        return f"[{self.name[:40]}]"

    def line(self, key: str) -> Line | None:
        """Return the first line of this key (lower case), None if there is none."""
        return next((line for line in self.lines if line.key.lower() == key), None)

    def value_span(self, key: str) -> Span:
        """Return the place of the first value of `key`, or of the header where the key is not given."""
        line = self.line(key)
        return line.value_spans()[0] if line else self.span

    def entries(self) -> tuple[Entry, ...]:
        """Return all lines as written."""
        return tuple(line.entry() for line in self.lines)


def find_entry(entries: tuple[Entry, ...], key: str) -> Entry | None:
    """Return the first entry of this key (lower case), None if there is none."""
    return next((entry for entry in entries if entry.key.lower() == key), None)


def parse(
    file: str, lines: Sequence[str], kinds: Collection[str], problems: Problems, foreign: Collection[str] = ()
) -> list[Section]:
    """Return the sections of a text, in its order.

    Args:
        file: Name of the text in spans.
        lines: The text.
        kinds: Sections this sort of file knows: `FLOOR`, or `WALL_` where a number follows.
        problems: Takes every mistake. A broken or misspelt header is read as the nearest one, so that what stands below
            it is looked at, too; below one like no other all is skipped.
        foreign: Sections that the file's world knows instead.
    """
    reader = _LineReader(file, kinds, problems, foreign)
    for number, raw in enumerate(lines, 1):
        reader.read(number, raw)
        if problems.is_full:
            break
    return reader.sections


def parse_keys(file: str, lines: Sequence[str], problems: Problems) -> Section:
    """Return a text of `key value...` lines without headers as one section."""
    section = Section("", "", Span(file, 1, 1))
    reader = _LineReader(file, (), problems)
    reader.section = section
    for number, raw in enumerate(lines, 1):
        reader.read(number, raw)
        if problems.is_full:
            break
    return section


class _LineReader:
    def __init__(self, file: str, kinds: Collection[str], problems: Problems, foreign: Collection[str] = ()) -> None:
        self.sections: list[Section] = []
        self.section: Section | None = None
        self._file = file
        self._kinds = kinds
        self._foreign = foreign
        self._problems = problems
        self._first: dict[str, Span] = {}
        self._skipping = False

    def read(self, number: int, raw: str) -> None:
        # no quotes in this form: a # begins a comment wherever it stands
        content = raw.split("#", 1)[0]
        words = content.split()
        if not words:
            return
        column = content.index(words[0]) + 1
        if words[0][0] == "[":
            self._header(number, column, content)
        else:
            self._entry(number, column, content, words)

    def _header(self, number: int, column: int, content: str) -> None:
        match = _HEADER.match(content, column - 1)
        self.section, self._skipping = None, True
        if not match:
            self._broken(Span(self._file, number, column, len(content.rstrip()) - column + 1), content[column:])
            return
        span = Span(self._file, number, column, len(match[0]))
        kind = self._kind(match[1], span)
        if kind:
            self._begin(*kind, span, is_guess=kind[1] != match[1])
            # CoopDynSim, Fig. 8, has `[WORLD] file ...` on one line
            rest = content[match.end() :].split()
            if rest:
                self._entry(number, content.index(rest[0], match.end()) + 1, content, rest)

    def _broken(self, span: Span, content: str) -> None:
        self._problems.add(span, "a section header has the form [NAME]")
        words = re.findall(r"[A-Za-z0-9]+", content)
        kind, number = self._nearest(words[0]) if words else None, words[1] if len(words) > 1 else ""
        if kind:
            self._begin(kind, self._titled(kind, number), span, is_guess=True)

    def _begin(self, kind: str, name: str, span: Span, *, is_guess: bool = False) -> None:
        # a guessed name claims nothing, or the true section of this name would be called the second
        first = span if is_guess else self._first.setdefault(name.upper(), span)
        if first is not span:
            self._problems.add(span, f"section [{name[:40]}] already stands on line {first.line}")
        self.section = Section(kind, name, span, repeated=is_guess or first is not span)
        self.sections.append(self.section)

    def _entry(self, number: int, column: int, content: str, words: list[str]) -> None:
        if self.section is None:
            if not self._skipping:
                place = Span(self._file, number, column, len(words[0]))
                kinds_known = _shown(self._kinds)
                self._problems.add(
                    place, f"{quoted(words[0])} stands above the first section; expected one of {kinds_known}"
                )
            # one mistake for all lines above the first section, not one for each
            self._skipping = True
        elif len(words) == 1:
            self._problems.add(Span(self._file, number, column, len(words[0])), f"{quoted(words[0])} has no value")
        elif len(words) > MOST_VALUES:
            self._problems.add(Span(self._file, number, column), f"a line has at most {MOST_VALUES} words")
        # said once, then skipped: a file of a gigabyte must not become a million mistakes
        elif len(self.section.lines) == MOST_LINES:
            self._problems.add(Span(self._file, number, column), f"a section has at most {MOST_LINES} lines")
            self.section, self._skipping = None, True
        else:
            self.section.lines.append(Line(words[0], words[1:], self._file, number, column, content))

    def _kind(self, name: str, span: Span) -> tuple[str, str] | None:
        """Return what kind of section a header means, and its name; None where it is like no other."""
        stem, line, number = name.upper().partition("_")
        if stem + line in self._kinds and bool(line) == bool(number):
            return stem, name
        # texts of `update` have no headers; to name a nearest one would mislead
        if not self._kinds:
            self._problems.add(span, f"[{name[:40]}]: no section is expected here, only lines `key value`")
            return None
        if stem + "_" in self._kinds:
            self._problems.add(span, f"[{name[:40]}] needs a number: [{stem}_1]")
            return stem, self._titled(stem, number)
        # asked before similar names: it is no misspelling but the wrong file
        if stem in self._foreign or stem + "_" in self._foreign:
            self._problems.add(span, f"[{name[:40]}] belongs in a .world file, and `file` of [WORLD] names that")
            return None
        near = self._nearest(stem)
        if near is None:
            self._problems.add(span, f"unknown section [{name[:40]}]; expected one of {_shown(self._kinds)}")
            return None
        meant = self._titled(near, number)
        self._problems.add(span, f"unknown section [{name[:40]}] ({name[:40]} → {meant}?)")
        return near, meant

    def _nearest(self, stem: str) -> str | None:
        return closest(stem, [kind.rstrip("_") for kind in self._kinds])

    def _titled(self, kind: str, number: str) -> str:
        return f"{kind}_{number[:40] or 1}" if kind + "_" in self._kinds else kind


def _shown(kinds: Collection[str]) -> str:
    return choices(f"[{kind}{'1' if kind.endswith('_') else ''}]" for kind in kinds)
