"""Words of model files with their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from coopsim.scene import Problems, Span

_PATTERN: Final = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)"
    r"|(?P<number>[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)"
    r'|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<word>[A-Za-z_]\w*)|(?P<sign>->|<-|\.\.|[{}();:,.=@/])|(?P<wrong>.)',
    re.DOTALL,
)
END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, text or sign.

    Attributes:
        kind: word | number | text | sign | comment | end.
        text: As written.
        start: Place in the text of the file, from 0.
        line: From 1.
        column: From 1.
    """

    kind: str
    text: str
    start: int
    line: int
    column: int

    @property
    def end(self) -> int:
        """First column that the next token may have."""
        return self.start + len(self.text)

    @property
    def shown(self) -> str:
        """Name in the text of errors."""
        return "the end of the file" if self.kind == END else repr(self.text[:40])

    def span(self, file: str) -> Span:
        """Return its place."""
        return Span(file, self.line, self.column, max(1, len(self.text.partition("\n")[0])))


def tokens_of(text: str, file: str, problems: Problems) -> list[Token]:
    """Return the tokens of a text without comments, an end at last; characters of no token are noted and left out."""
    tokens = [token for token in all_tokens(text) if token.kind != "comment"]
    for token in tokens:
        if token.kind == "wrong":
            cure = '; a text ends with " in the same line' if token.text == '"' else ""
            problems.add(token.span(file), f"unexpected character {token.text!r}{cure}")
    return [token for token in tokens if token.kind != "wrong"]


def all_tokens(text: str) -> Iterator[Token]:
    """Go through the tokens of a text, comments too, and an end at last."""
    line, begin = 1, 0
    for match in _PATTERN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "space":
            yield Token(kind, match.group(), match.start(), line, match.start() - begin + 1)
        breaks = match.group().count("\n") if kind in ("space", "comment") else 0
        if breaks:
            line, begin = line + breaks, match.start() + match.group().rindex("\n") + 1
    yield Token(END, "", len(text), line, len(text) - begin + 1)
