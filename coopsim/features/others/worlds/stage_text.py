"""Worlds of Stage as trees: macros, includes, keys and models with their lines.

Source: worlds and manual of Stage 4 (github.com/rtv/Stage).
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from coopsim.errors import BadFile

MOST_MODELS = 50_000
"""Models of a world, with those that macros bring."""
_DEEPEST = 32  # models in each other, and includes
_LARGEST = 4 * 1024 * 1024  # bytes of a file
_TOKEN = re.compile(r'\s+|#[^\n]*|(?P<text>"[^"\n]*")|(?P<mark>[()\[\]])|(?P<word>[^\s#"()\[\]]+(?:\[\d+\][\w.]*)*)')

StageValue: TypeAlias = float | str | tuple[float | str, ...]


@dataclass(frozen=True)
class StageKey:
    """Value of a key, with its place.

    Attributes:
        value: A number, a text, or several of them.
        place: `file:line`.
    """

    value: StageValue
    place: str


@dataclass
class StageModel:
    """Model, or the base of one.

    Attributes:
        kind: Word that it begins with; once expanded that of Stage itself (`position`, `model`, `ranger`).
        place: `file:line`.
        folder: Of the file, where its pictures are.
        keys: By name.
        children: In the order of the file.
        word: Word of the file, a macro or not.
    """

    kind: str
    place: str
    folder: Path
    keys: dict[str, StageKey] = field(default_factory=dict)
    children: list["StageModel"] = field(default_factory=list)
    word: str = ""
    total: int = 1
    """Models that it comes to, with all below it."""

    def row(self, name: str, usual: tuple[float, ...]) -> tuple[float, ...]:
        """Return a tuple of numbers; what is missing at its end is as usual.

        Raises:
            BadFile: It holds something else.
        """
        key = self.keys.get(name)
        if key is None:
            return usual
        values = key.value if isinstance(key.value, tuple) else (key.value,)
        numbers = tuple(value for value in values if isinstance(value, float))
        if len(numbers) != len(values):
            raise BadFile(f"{key.place}: {name}: expected numbers, got {key.value!r}")
        return (*numbers, *usual[len(numbers) :])

    def number(self, name: str, usual: float) -> float:
        """Return a number.

        Raises:
            BadFile: It is none.
        """
        return self.row(name, (usual,))[0]

    def text(self, name: str, usual: str = "") -> str:
        """Return a text; a number as it is written."""
        key = self.keys.get(name)
        return usual if key is None else str(key.value)


def read_world(text: str, file: Path) -> StageModel:
    """Return a world: its keys, and its models with all macros filled in.

    Raises:
        BadFile: It is cut off, has a mark too many, includes itself, or is too large.
    """
    world = StageModel("world", f"{file}:1", file.parent)
    _StageReader(file, text, {}, (file.resolve(),)).read_into(world)
    return world


@dataclass
class _Token:
    text: str
    line: int
    is_text: bool = False


class _StageReader:
    def __init__(self, file: Path, text: str, macros: dict[str, StageModel], above: tuple[Path, ...]) -> None:
        self._file, self._macros, self._above = file, macros, above
        self._tokens = [*_tokens(text, file)]
        self._at = 0

    def read_into(self, world: StageModel) -> None:
        """Read the file into a world."""
        while self._at < len(self._tokens):
            token = self._next()
            if token.text == "include":
                self._include(self._next(), world)
            elif token.text == "define":
                self._define()
            else:
                self._entry(token, world, 0)

    def _include(self, name: _Token, world: StageModel) -> None:
        folders = (
            self._file.parent,
            self._file.parent.parent,
            *map(Path, os.environ.get("STAGEPATH", "").split(os.pathsep)),
        )
        paths = [folder / name.text for folder in folders]
        path = next((path for path in paths if path.is_file()), paths[0])
        if path.resolve() in self._above or len(self._above) > _DEEPEST:
            raise BadFile(f"{self._file}:{name.line}: {name.text} includes itself")
        try:
            if path.stat().st_size > _LARGEST:
                raise BadFile(f"{path}: expected at most {_LARGEST} bytes")
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as problem:
            raise BadFile(f"{self._file}:{name.line}: {name.text} cannot be read: {problem.strerror}") from None
        _StageReader(path, text, self._macros, (*self._above, path.resolve())).read_into(world)

    def _define(self) -> None:
        name, base = self._next(), self._next()
        self._macros[name.text] = self._model(base, 1)

    def _entry(self, word: _Token, owner: StageModel, depth: int) -> None:
        """Read what a word begins: a model, or a key."""
        if word.text in {"(", ")", "[", "]"} or word.is_text:
            raise BadFile(f"{self._file}:{word.line}: expected a key or a model, got {word.text!r}")
        if self._at < len(self._tokens) and self._tokens[self._at].text == "(" and not self._tokens[self._at].is_text:
            child = self._model(word, depth + 1)
            owner.children.append(child)
            owner.total += child.total
            # macros of macros bring as many as they like
            if owner.total > MOST_MODELS:
                raise BadFile(f"{self._file}:{word.line}: more than {MOST_MODELS} models")
        else:
            owner.keys[word.text] = StageKey(self._value(), f"{self._file}:{word.line}")

    def _model(self, word: _Token, depth: int) -> StageModel:
        if depth > _DEEPEST:
            raise BadFile(f"{self._file}:{word.line}: more than {_DEEPEST} models in each other")
        base = self._macros.get(word.text)
        model = StageModel(word.text, f"{self._file}:{word.line}", self._file.parent, word=word.text)
        if base is not None:
            children = [replace(child) for child in base.children]
            model = StageModel(base.kind, model.place, base.folder, dict(base.keys), children, word.text, base.total)
        opening = self._next()
        if opening.text != "(":
            raise BadFile(f"{self._file}:{opening.line}: expected ( after {word.text}, got {opening.text!r}")
        while (token := self._next()).text != ")" or token.is_text:
            self._entry(token, model, depth)
            if token.text == "bitmap":
                model.folder = self._file.parent
        return model

    def _value(self) -> StageValue:
        token = self._next()
        if token.text != "[" or token.is_text:
            return _plain(token)
        values: list[float | str] = []
        while (token := self._next()).text != "]" or token.is_text:
            if token.text in {"(", ")", "["} and not token.is_text:
                raise BadFile(f"{self._file}:{token.line}: expected ] or a value, got {token.text!r}")
            values.append(_plain(token))
        return tuple(values)

    def _next(self) -> _Token:
        if self._at >= len(self._tokens):
            line = self._tokens[-1].line if self._tokens else 1
            raise BadFile(f"{self._file}:{line}: the file ends in the midst of something: is a ) or ] missing?")
        self._at += 1
        return self._tokens[self._at - 1]


def _tokens(text: str, file: Path) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadFile(f'{file}:{line}: a text has no end: expected "')
        if match["text"] is not None:
            yield _Token(match["text"][1:-1], line, is_text=True)
        elif match.lastgroup is not None:
            yield _Token(match[match.lastgroup], line)
        line += match[0].count("\n")
        at = match.end()


def _plain(token: _Token) -> float | str:
    if not token.is_text:
        try:
            value = float(token.text)
        except ValueError:
            return token.text
        return value if abs(value) < 1e9 else token.text
    return token.text
