"""The usual layout of model files: a statement a line, four spaces for each block; comments stay where they are."""

from itertools import pairwise

from coopsim.features.amsa.components.tokens import END, Token, all_tokens

_INDENT = "    "
_SECTIONS = ("input", "output", "parameter")
_GLUED = (";", ",", "(", ")")
_INSIDE = {".": "word", "/": "number"}
"""Signs without spaces between such tokens: `leaf.parameter`, `10/3`."""


def formatted(text: str) -> str:
    """Return a text in the usual layout; it says the same, and is the same when it is formatted again."""
    tokens = [token for token in all_tokens(text) if token.kind != END]
    if not tokens:
        return ""
    lines = _Layout(text)
    lines.begin(tokens[0])
    for before, token in pairwise(tokens):
        lines.add(before, token)
    return lines.result()


class _Layout:
    def __init__(self, text: str) -> None:
        self._source = text
        self._done: list[str] = []
        self._line = ""
        self._blocks: list[str] = []
        self._heads: list[str] = []

    def begin(self, token: Token) -> None:
        self._line = token.text
        self._heads.append(token.text)
        self._enter(token)

    def add(self, before: Token, token: Token) -> None:
        if token.text == "}" and token.kind == "sign" and self._blocks:
            self._blocks.pop()
        if self._is_apart(before, token):
            self._end_line()
            if self._source.count("\n", before.end, token.start) > 1 and before.text != "{" and token.text != "}":
                self._done.append("")
            self._line = _INDENT * len(self._blocks) + token.text
            self._heads.append(token.text)
        else:
            self._line += self._space(before, token) + token.text
        self._enter(token)

    def result(self) -> str:
        self._end_line()
        return "\n".join(self._done) + "\n"

    def _enter(self, token: Token) -> None:
        if token.text == "{" and token.kind == "sign":
            self._blocks.append(self._heads[-1])

    def _end_line(self) -> None:
        self._done.append(self._line.rstrip())

    def _is_apart(self, before: Token, token: Token) -> bool:
        """Return whether `token` begins a line."""
        same_line = "\n" not in self._source[before.end : token.start]
        if token.kind == "comment":
            return not same_line
        if before.kind == "comment":
            return True
        if before.text == "{" and token.text == "}":
            return False
        if before.kind == "sign" and before.text in ("{", ";", "}"):
            return True
        in_template = bool(self._blocks) and self._blocks[-1] == "Template"
        begins_section = in_template and token.text in _SECTIONS and before.text != ","
        return token.text == "}" or begins_section

    def _space(self, before: Token, token: Token) -> str:
        if token.kind == "comment":
            return "  "
        is_glued = any(
            sign.kind == "sign" and neighbour.kind == _INSIDE.get(sign.text)
            for sign, neighbour in ((token, before), (before, token))
        )
        is_glued |= token.kind == "sign" and token.text in _GLUED
        return "" if is_glued or before.text == "(" else " "
