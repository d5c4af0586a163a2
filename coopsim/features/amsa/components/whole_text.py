"""A system with all its templates as one text, which needs no other file: what a run and its recording keep of it."""

from functools import lru_cache
from pathlib import Path

from coopsim.features.amsa.components.model import SystemModel
from coopsim.features.amsa.components.parsing import parse
from coopsim.features.amsa.components.tokens import Token, tokens_of
from coopsim.scene import Problems


def whole_text(path: Path) -> str:
    """Return the text of a model file behind those of the files that it uses, without comments."""
    return " ".join(_texts(path, set()))


@lru_cache(maxsize=64)
def model_of(text: str) -> SystemModel:
    """Return the system of a text that `whole_text` returned.

    Raises:
        BadFile: It is none.
    """
    problems = Problems()
    document = parse(text, "", problems)
    problems.raise_any()
    return next(iter(document.systems.values()))


def _texts(path: Path, seen: set[Path]) -> list[str]:
    if path.resolve() in seen:
        return []
    seen.add(path.resolve())
    text = path.read_text(encoding="utf-8")
    used = [text for name, _ in parse(text, str(path), Problems()).uses for text in _texts(path.parent / name, seen)]
    return [*used, " ".join(token.text for token in _without_uses(tokens_of(text, str(path), Problems())))]


def _without_uses(tokens: list[Token]) -> list[Token]:
    """Return tokens without the statements `templates FILE;`, which stand outside of all blocks."""
    kept: list[Token] = []
    depth = skipped = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token.text, 0) if token.kind == "sign" else 0
        skipped = 3 if depth == 0 and token.kind == "word" and token.text == "templates" else skipped
        if not skipped:
            kept.append(token)
        skipped = max(0, skipped - 1)
    return kept
