"""Faults of single tokens, drawn by chance over all rooms of coopsim.

Which are drawn depends on the seed and on the text of each line alone: a change elsewhere draws no others.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mutants_faults import ROOT

SEED = 20110
_LEAST = 3
"""Of each room, so that small rooms are drawn from, too."""
_OPERATORS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "/",
    "%": "*",
    "+=": "-=",
    "-=": "+=",
    "*=": "/=",
    "and": "or",
    "or": "and",
    "is": "is not",
    "in": "not in",
    "not": "",
    "True": "False",
    "False": "True",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
}
_CLOSED = (ast.Import, ast.ImportFrom, ast.Raise, ast.Assert, ast.JoinedStr, ast.AnnAssign)
_CLOSING = (")", "]", "}")
_TWO_WORDS = {("is", "not"), ("not", "in")}


@dataclass(frozen=True, slots=True)
class DrawnFault:
    """One token of one line, replaced.

    Attributes:
        file: Below the root of the project.
        line: Its number, from 1.
        column: Where the token begins in the line.
        old: The token.
        new: What stands in its place.
        text: The line, without what is before and behind it.
        offset: Where the token begins in that text.
        nth: Which of the same lines of the file it is.
    """

    file: str
    line: int
    column: int
    old: str
    new: str
    text: str
    offset: int
    nth: int

    @property
    def room(self) -> str:
        """The folder of coopsim that it is in; of features, `features/NAME`."""
        return room_of(self.file)

    @property
    def key(self) -> str:
        """Name that stays when other lines change."""
        place = f"{self.file} | {self.text} | {self.nth} | {self.offset} | {self.old} -> {self.new}"
        return hashlib.sha256(place.encode()).hexdigest()[:12]

    def source(self, root: Path = ROOT) -> str:
        """Return the file with the fault in it."""
        lines = (root / self.file).read_text(encoding="utf-8").splitlines(keepends=True)
        line = lines[self.line - 1]
        end = self.column + len(self.old)
        lines[self.line - 1] = line[: self.column] + self.new + line[end:]
        return "".join(lines)


def room_of(file: str) -> str:
    """Return the room that a file of coopsim is in; "" = none."""
    folders = file.split("/")[1:-1]
    depth = 2 if folders[:1] == ["features"] else 1
    return "/".join(folders[:depth]) if len(folders) >= depth else ""


def drawn(count: int, root: Path = ROOT, seed: int = SEED) -> list[DrawnFault]:
    """Return faults of all rooms: of each so many as its share of all, but no fewer than three."""
    rooms: dict[str, list[DrawnFault]] = {}
    for path in sorted((root / "coopsim").rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if room_of(file):
            for fault in candidates(file, path.read_text(encoding="utf-8")):
                rooms.setdefault(fault.room, []).append(fault)
    total = sum(map(len, rooms.values()))
    chosen: list[DrawnFault] = []
    for room in rooms.values():
        share = max(_LEAST, round(count * len(room) / total))
        room.sort(key=lambda fault: hashlib.sha256(f"{seed} {fault.key}".encode()).digest())
        chosen += islice((fault for fault in room if _compiles(fault, root)), share)
    return sorted(chosen, key=lambda fault: (fault.file, fault.line, fault.column))


def candidates(file: str, text: str) -> Iterator[DrawnFault]:
    """Yield every token of a file that can be replaced: none in annotations, docstrings, names of files and texts."""
    lines, closed = text.splitlines(), _closed_lines(text)
    seen: dict[str, list[int]] = {}
    for number, line in enumerate(lines, 1):
        seen.setdefault(line.strip(), []).append(number)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        new = _replacement(before, token, after)
        number, column = token.start
        if new is not None and number not in closed:
            stripped = lines[number - 1].strip()
            offset = column - len(lines[number - 1]) + len(lines[number - 1].lstrip())
            yield DrawnFault(file, number, column, token.string, new, stripped, offset, seen[stripped].index(number))


def _replacement(before: tokenize.TokenInfo, token: tokenize.TokenInfo, after: tokenize.TokenInfo) -> str | None:
    word = token.string
    if token.type == tokenize.NUMBER:
        return _other_number(word)
    if (word, after.string) in _TWO_WORDS or (before.string, word) in _TWO_WORDS or before.string == "for":
        return None
    if word in ("-", "+", "*", "/") and (
        before.string not in _CLOSING if before.type == tokenize.OP else _is_word(before)
    ):
        return None  # a sign, or stars of arguments
    if word in ("min", "max", "any", "all") and (after.string != "(" or before.string == "."):
        return None
    return _OPERATORS.get(word) if token.type in (tokenize.OP, tokenize.NAME) else None


def _is_word(token: tokenize.TokenInfo) -> bool:
    """Return whether a token is a word of Python behind which a sign may stand."""
    return token.string in ("return", "yield", "lambda", "in", "and", "or", "not", "if", "else", "import")


def _other_number(word: str) -> str | None:
    try:
        value = ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return None
    if isinstance(value, int):
        return str(value + 1)
    return repr(value * 2.0) if value else "1.0"


def _compiles(fault: DrawnFault, root: Path) -> bool:
    try:
        ast.parse(fault.source(root))
    except SyntaxError:
        return False
    return True


def _closed_lines(text: str) -> set[int]:
    """Return lines that nothing is drawn from: imports, docstrings, signatures, annotations, texts of errors."""
    closed: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            closed |= set(range(_begin(node), node.body[0].lineno))
        elif isinstance(node, ast.ClassDef):
            closed |= set(range(_begin(node), node.lineno + 1))
        elif isinstance(node, _CLOSED) or _is_never_run(node):
            closed |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return closed


def _is_never_run(node: ast.AST) -> bool:
    """Return whether a statement is a docstring, or for programs or types alone."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _begin(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Return the line of the first decorator, or of the definition."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
