"""Small damage to bytes, out of a seeded source of chance."""

import random
import re
from collections.abc import Callable, Sequence

_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
# where parsers of numbers differ from each other
_NUMBERS = (b"0", b"-1", b"1e309", b"nan", b"-inf", b"1e-320", b"9" * 40, b"0x10", b"1_000", b"-0.0", b"2147483648")
_TOKENS = (
    *(b"\x00", b"\xff", b"\xc1", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xcb\x7f\xf0" + bytes(6), b"\xc0"),
    *(
        b"\n",
        b"\r\n",
        b"#",
        b"[",
        b"]",
        b"[ROBOT_1]\n",
        b"[WALL_99999999]\n",
        b"\t",
        b" ",
        b"\xef\xbb\xbf",
        b"\\",
        b"../",
    ),
    *("\u2028".encode(), "\u0660".encode(), "\U0001f916".encode(), b"%s", b"{}", b"'", b'"', b"{", b"null", b"true"),
)

Chance = random.Random
_Mutation = Callable[[bytearray, Chance, Sequence[bytes]], None]


def mutated(raw: bytes, chance: Chance, corpus: Sequence[bytes] = (), limit: int = 1 << 16) -> bytes:
    """Return `raw` with one to four kinds of damage.

    Args:
        raw: What to begin with.
        chance: Decides everything.
        corpus: Inputs to take parts from.
        limit: Largest length of the result.
    """
    mutant = bytearray(raw)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        chance.choice(_MUTATIONS)(mutant, chance, corpus)
    return bytes(mutant[:limit])


def _span(raw: bytearray, chance: Chance, longest: int = 64) -> tuple[int, int]:
    start = chance.randrange(len(raw) + 1)
    return start, min(len(raw), start + chance.randint(0, longest))


def _flip(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    if raw:
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)


def _replace(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    if raw:
        raw[chance.randrange(len(raw))] = chance.randrange(256)


def _delete(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    start, end = _span(raw, chance)
    del raw[start:end]


def _repeat(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    start, end = _span(raw, chance)
    raw[start:start] = raw[start:end] * chance.choice((1, 2, 10, 200))


def _insert(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    start, _end = _span(raw, chance)
    raw[start:start] = chance.choice(_TOKENS) if chance.random() < 0.7 else chance.randbytes(chance.randint(1, 12))


def _number(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    places = list(_NUMBER.finditer(raw))
    if places:
        place = chance.choice(places).span()
        raw[place[0] : place[1]] = chance.choice(_NUMBERS)


def _lines(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    lines = raw.split(b"\n")
    chance.shuffle(lines)
    raw[:] = b"\n".join(lines)


def _splice(raw: bytearray, chance: Chance, corpus: Sequence[bytes]) -> None:
    if corpus:
        choice = chance.choice(corpus)
        start, _end = _span(raw, chance)
        raw[start:] = choice[chance.randrange(len(choice) + 1) :]


def _cut_off(raw: bytearray, chance: Chance, _: Sequence[bytes]) -> None:
    del raw[chance.randrange(len(raw) + 1) :]


_MUTATIONS: tuple[_Mutation, ...] = (
    *(_flip, _flip, _replace, _replace, _delete, _repeat, _insert, _insert),
    *(_number, _number, _lines, _splice, _cut_off),
)
