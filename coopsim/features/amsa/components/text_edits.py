"""Changes of a model file that touch nothing else in it: comments and layout stay as they are."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from coopsim.errors import NoSuchName
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.model import DataValue
from coopsim.features.amsa.components.tokens import END, Token, all_tokens
from coopsim.suggest import hint, listed

_KINDS = {kind.value for kind in LeafKind}


@dataclass(frozen=True, slots=True)
class _LeafText:
    """Position of a leaf in the text: the tokens of its head, and of its items without the braces."""

    head: list[Token]
    items: list[Token]
    has_block: bool


def with_parameter(text: str, leaf: str, name: str, value: DataValue) -> str:
    """Return a text in which a parameter of a leaf has another value.

    Raises:
        NoSuchName: The text has no such leaf.
    """
    return _with_item(text, leaf, (name, "="), value_text(value))


def with_link(text: str, leaf: str, port: str, data: str, *, writes: bool) -> str:
    """Return a text in which a port of a leaf writes, or reads, other data.

    Raises:
        NoSuchName: The text has no such leaf.
    """
    return _with_item(text, leaf, (port, "->" if writes else "<-"), data)


def with_part(text: str, composite: str, declaration: str) -> str:
    """Return a text in which a system or composite has one more part.

    Args:
        text: Of the file.
        composite: Its name.
        declaration: The part as it is written, `sensor clock : Clock @ 1 Hz { time -> time; }`.

    Raises:
        NoSuchName: The text has no such composite.
    """
    tokens = _tokens(text)
    opening = _opening(tokens, composite)
    close = tokens[_closing(tokens, opening)]
    inner = _indent(text, close) + "    "
    declaration = declaration.replace("\n", f"\n{inner}")
    begin = text.rfind("\n", 0, close.start) + 1
    if text[begin : close.start].strip():
        before = text[: close.start].rstrip(" ")
        return f"{before}\n{inner}{declaration}\n{_indent(text, tokens[opening])}{text[close.start :]}"
    return f"{text[:begin]}\n{inner}{declaration}\n{text[begin:]}"


def moved(text: str, leaf: str, composite: str, holders: Container[str]) -> str:
    """Return a text in which a leaf stands in another composite.

    Args:
        text: Of the file.
        leaf: Its name.
        composite: Where it stands then.
        holders: All composites that hold it then, at any depth: their orders go on naming it.

    Raises:
        NoSuchName: The text has no such leaf, or composite.
    """
    tokens = _tokens(text)
    begin, end = _span(tokens, leaf, text)
    indent = _indent(text, next(token for token in tokens if token.start == begin))
    declaration = text[begin:end].replace(f"\n{indent}", "\n")
    _opening(tokens, composite)
    spans = [(begin, end), *((name.start, name.end) for name in _in_orders(tokens, leaf, holders))]
    for start, stop in sorted(spans, reverse=True):
        text = _without(text, start, stop)
    return with_part(text, composite, declaration)


def with_order(text: str, composite: str, names: Sequence[str]) -> str:
    """Return a text in which a system or composite says the order of its parts.

    Raises:
        NoSuchName: The text has no such composite.
    """
    tokens = _tokens(text)
    opening, statement = _opening(tokens, composite), f"order {' '.join(names)};"
    owned = [place for place, owner in _owned(tokens) if owner == opening and tokens[place].text == "order"]
    for place in owned:
        end = next(token for token in tokens[place:] if token.text == ";")
        return f"{text[: tokens[place].start]}{statement}{text[end.end :]}"
    brace = tokens[opening]
    return f"{text[: brace.end]}\n{_indent(text, brace)}    {statement}{text[brace.end :]}"


def without_link(text: str, leaf: str, port: str) -> str:
    """Return a text in which an input of a leaf reads nothing; one that does not say so is returned as it is.

    Raises:
        NoSuchName: The text has no such leaf.
    """
    items = _leaf(text, leaf).items
    for index, token in enumerate(items[:-2]):
        if (token.text, items[index + 1].text) == (port, "<-"):
            end = items[index + 3].end if index + 3 < len(items) else items[index + 2].end
            return _without(text, token.start, end)
    return text


def without_leaf(text: str, leaf: str) -> str:
    """Return a text without a leaf, neither among the components nor in an order.

    Raises:
        NoSuchName: The text has no such leaf.
    """
    tokens = _tokens(text)
    spans = [_span(tokens, leaf, text), *((in_order.start, in_order.end) for in_order in _in_orders(tokens, leaf))]
    for begin, stop in sorted(spans, reverse=True):
        text = _without(text, begin, stop)
    return text


def _span(tokens: list[Token], leaf: str, text: str) -> tuple[int, int]:
    """Return where a leaf begins and ends."""
    leaf_text = _leaf(text, leaf)
    end = leaf_text.head[-1]
    if leaf_text.has_block:
        opening = next(place for place, token in enumerate(tokens) if token.start == end.start)
        end = tokens[_closing(tokens, opening)]
    return leaf_text.head[0].start, end.end


def _opening(tokens: list[Token], composite: str) -> int:
    """Return where the brace of a system or composite opens.

    Raises:
        NoSuchName: There is none of this name.
    """
    for index, token in enumerate(tokens[:-2]):
        if token.text in ("System", "composite") and tokens[index + 1].text == composite:
            return index + 2
    raise NoSuchName(f"the text has no system or composite {composite!r}")


def _owned(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Yield the place of each token, and where the brace opens that it stands in; -1 = in none."""
    openings = [-1]
    for place, token in enumerate(tokens):
        if token.text == "}" and len(openings) > 1:
            openings.pop()
        yield place, openings[-1]
        if token.text == "{":
            openings.append(place)


def _in_orders(tokens: list[Token], leaf: str, holders: Container[str] = ()) -> list[Token]:
    """Return where the statements `order a b c;` name a leaf, but for those of some composites."""
    links, is_order = [], False
    for place, opening in _owned(tokens):
        token = tokens[place]
        if token.text == "order" and tokens[place - 1].text in ("{", "}", ";"):
            is_order = tokens[opening - 1].text not in holders
        elif token.kind != "word":
            is_order = False
        elif is_order and token.text == leaf:
            links.append(token)
    return links


def _without(text: str, begin: int, end: int) -> str:
    """Return a text without a part of it; lines that it fills alone go as a whole, else the space before it goes."""
    first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last + 1
    if not text[first:begin].strip() and not text[end:last].strip():
        is_apart = not text[:first].rstrip(" \r").endswith("\n\n") or text[last : last + 1] != "\n"
        return text[:first] + text[last if is_apart else last + 1 :]
    if not text[first:begin].strip():
        return text[:begin] + text[end:].lstrip(" ")
    return text[:begin].rstrip(" ") + text[end:]


def value_text(value: DataValue) -> str:
    """Return a value as files write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace('"', '\\"')
        return f'"{escaped}"'
    return repr(value)


def _with_item(text: str, leaf: str, item: tuple[str, str], value: str) -> str:
    leaf_text = _leaf(text, leaf)
    for index, token in enumerate(leaf_text.items[:-2]):
        if (token.text, leaf_text.items[index + 1].text) == item:
            old = leaf_text.items[index + 2]
            return text[: old.start] + value + text[old.end :]
    return _with_new_item(text, leaf_text, f"{item[0]} {item[1]} {value};")


def _with_new_item(text: str, leaf_text: _LeafText, statement: str) -> str:
    last = leaf_text.head[-1]
    if not leaf_text.has_block:  # `;` becomes a block
        return f"{text[: last.start].rstrip()} {{ {statement} }}{text[last.end :]}"
    if not leaf_text.items:
        return f"{text[: last.end]} {statement} {text[last.end :].lstrip(' ')}"
    end, begin = leaf_text.items[-1].end, leaf_text.items[0]
    is_block = "\n" in text[last.end : begin.start]
    between = f"\n{_indent(text, begin)}" if is_block else " "
    return f"{text[:end]}{between}{statement}{text[end:]}"


def _leaf(text: str, name: str) -> _LeafText:
    tokens = _tokens(text)
    names = []
    for index, token in enumerate(tokens[:-3]):
        if token.text in _KINDS and tokens[index + 2].text == ":":
            names.append(tokens[index + 1].text)
            if names[-1] == name:
                return _leaf_at(tokens, index)
    raise NoSuchName(f"the text has no component {name!r}{hint(name, names)}; it has: {listed(names)}")


def _leaf_at(tokens: list[Token], index: int) -> _LeafText:
    end = next(
        place for place in range(index, len(tokens)) if tokens[place].text in ("{", ";") or _is_end(tokens[place])
    )
    head = tokens[index : end + 1]
    if tokens[end].text != "{":
        return _LeafText(head, [], has_block=False)
    return _LeafText(head, tokens[end + 1 : _closing(tokens, end)], has_block=True)


def _closing(tokens: list[Token], opening: int) -> int:
    depth = 0
    for place in range(opening, len(tokens)):
        depth += (tokens[place].text == "{") - (tokens[place].text == "}")
        if depth == 0 or _is_end(tokens[place]):
            return place
    return len(tokens) - 1


def _tokens(text: str) -> list[Token]:
    return [token for token in all_tokens(text) if token.kind != "comment"]


def _is_end(token: Token) -> bool:
    return token.kind == END


def _indent(text: str, token: Token) -> str:
    line = text[text.rfind("\n", 0, token.start) + 1 : token.start]
    return line[: len(line) - len(line.lstrip())]
