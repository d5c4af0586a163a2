"""A place among tokens: what comes, what was expected, and how to go on behind a mistake."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from coopsim.features.amsa.components.model import DataValue
from coopsim.features.amsa.components.tokens import END, Token
from coopsim.scene import Problems, Span
from coopsim.suggest import did_you_mean, listed

_DEEPEST = 64
"""Number of blocks in each other; what reads them calls itself."""


class Unexpected(Exception):
    """The statement cannot be read on."""


class Cursor:
    """Reads tokens one after the other, and notes what does not fit."""

    def __init__(self, tokens: list[Token], file: str, problems: Problems) -> None:
        self._tokens, self._file, self._problems = tokens, file, problems
        self._place = self._depth = 0

    @property
    def next(self) -> Token:
        """The token that comes."""
        return self._tokens[self._place]

    @property
    def mistakes(self) -> int:
        """Number of mistakes noted so far."""
        return self._problems.total

    @property
    def here(self) -> Span:
        """Its place."""
        return self.next.span(self._file)

    def next_token(self) -> Token:
        """Return the token that comes, and go behind it."""
        token = self.next
        # END stays the next one for ever, so that nobody has to ask whether there is a token
        if token.kind != END:
            self._place += 1
        return token

    def comes(self, text: str) -> bool:
        """Go behind a word or sign if it comes; return whether it did."""
        if self.next.text != text or self.next.kind not in ("word", "sign"):
            return False
        self._place += 1
        return True

    def fail(self, text: str, span: Span | None = None) -> Unexpected:
        """Note a mistake; return what to raise."""
        self.note(text, span)
        return Unexpected()

    def note(self, text: str, span: Span | None = None) -> None:
        """Note a mistake behind which reading goes on."""
        self._problems.add(span or self.here, text)

    def expect(self, text: str) -> None:
        """Go behind a sign or word; a `;` that is missing at the end of a line is noted, and taken to be there.

        Raises:
            Unexpected: Something else comes.
        """
        if self.comes(text):
            return
        before = self._tokens[self._place - 1] if self._place else self.next
        # the usual slip; to stop here would hide all mistakes of the lines below
        if text == ";" and (self.next.line > before.line or self.next.text == "}"):
            self.note(f"expected ';' behind {before.shown}", before.span(self._file))
            return
        near = did_you_mean(self.next.text, [text]) if self.next.kind == "word" else ""
        raise self.fail(f"expected {text!r}, got {self.next.shown}{near}")

    def name(self, what: str) -> Token:
        """Return the word that comes.

        Raises:
            Unexpected: No word comes.
        """
        if self.next.kind != "word":
            raise self.fail(f"expected {what}, got {self.next.shown}")
        return self.next_token()

    def one_of(self, words: Iterable[str], what: str) -> Token:
        """Return the word that comes, which is one of `words`.

        Raises:
            Unexpected: Another one comes.
        """
        known_words = list(words)
        if self.next.text not in known_words:
            near = did_you_mean(self.next.text, known_words)
            raise self.fail(f"expected {what}, got {self.next.shown}{near}; one of: {listed(known_words)}")
        return self.next_token()

    def number(self, what: str) -> Fraction:
        """Return the number that comes, exactly.

        Raises:
            Unexpected: No number comes, or one that is too large.
        """
        token = self.next
        if token.kind != "number":
            raise self.fail(f"expected {what}, a number, got {token.shown}")
        # a Fraction of 1e999999 would have a million digits
        if len(token.text) > 40 or not math.isfinite(float(token.text)) or _exponent(token.text) > 30:
            raise self.fail(f"expected {what}, a number of usual size, got {token.shown}")
        self._place += 1
        return Fraction(token.text)

    def value(self) -> DataValue:
        """Return the value that comes: a number, a text, true or false.

        Raises:
            Unexpected: None comes.
        """
        token = self.next
        if token.kind == "number":
            number = self.number("a value")
            return int(number) if token.text.lstrip("+-").isdigit() else float(number)
        if token.kind == "text":
            self._place += 1
            return token.text[1:-1].replace('\\"', '"')
        if token.text in ("true", "false"):
            self._place += 1
            return token.text == "true"
        raise self.fail(f'expected a value, as 0.35, "text", true or false, got {token.shown}')

    def block(self, statement: Callable[[], None]) -> None:
        """Read `{ statement ... }`; behind a mistake go on with the next statement.

        Raises:
            Unexpected: No `{` comes, or too many blocks are in each other.
        """
        self.expect("{")
        if self._depth >= _DEEPEST:
            raise self.fail(f"more than {_DEEPEST} blocks are in each other")
        self._depth += 1
        try:
            while not self.comes("}"):
                if self.next.kind == END:
                    raise self.fail("expected '}', got the end of the file")
                self.attempt(statement)
        finally:
            self._depth -= 1

    def attempt(self, statement: Callable[[], None]) -> None:
        """Read a statement; behind a mistake go to the end of it."""
        begin = self._place
        try:
            statement()
        except Unexpected:
            self._recover(begin)

    def _recover(self, begin: int) -> None:
        """Go behind the next `;` or block, or before the `}` that ends the block around."""
        # braces that the statement has passed already count: the end of its own block ends it
        depth = sum((token.text == "{") - (token.text == "}") for token in self._tokens[begin : self._place])
        while self.next.kind != END:
            if self.next.text == "}" and depth <= 0:
                if self._place == begin:
                    # one token at least, or the same mistake is met for ever
                    self._place += 1  # a } of nothing
                return
            depth += (self.next.text == "{") - (self.next.text == "}")
            closed = self.next_token().text
            if depth <= 0 and closed in (";", "}"):
                return


def _exponent(number: str) -> int:
    return abs(int(number.lower().partition("e")[2] or 0))
