"""Values that no honest client sends, and some that only just pass."""

import math
import random
from typing import Any

import msgpack

NUMBERS: tuple[float, ...] = (
    *(math.nan, math.inf, -math.inf, 1e308, -1e308, 1e30, -1e30, 5e-324, -0.0, 0, 1, -1, 2, 0.5, 1e-9, 1e9),
    *(2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 0.1, 100, 1000, 65_537),
)
TEXTS = (
    *("", " ", "\0", "\n", "nan", "-1", "1e308", "robot1", "/robot1", "//", "/", "..", "../../etc/passwd", "/dev/zero"),
    *(
        "\x1b]0;x\x07",
        "\u202eabc",
        "\U0001f916" * 50,
        "%s%n{}",
        "x" * 300,
        "a.world",
        "{}",
        "[",
        "[[]]",
        "None",
        "\ufeff",
    ),
)
WRONG_TYPES: tuple[Any, ...] = (
    *(None, True, False, [], [1.0], [[]], {}, {"a": 1}, b"", b"\0" * 8, b"\0" * 5),
    msgpack.ExtType(5, b"x"),
)
# what reads as a number to some parsers and not to others
_IN_FILES = ("nan", "inf", "-1e308", "1e30", "0", "-0.0", "1e-300", "9" * 60, "", "x", "0.3", "1", "2.5", "1e5")
_SECTIONS = (
    "[OBJECT_1]\ntype box\nsize {} {} {}\nposition {} {} 0\nmass {}\n",
    "[OBJECT_1]\ntype cylinder\nname crate\nsize 0.4 0.4 0.4\nposition {} {} 0\nmass {}\nfriction {}\n",
    "[ROBOT_1]\ntype single\nposition {} {} 0\norientation 0 0 {}\n",
    "[TARGET]\ncolor green\nposition {} {} 0\n",
    "[WALL_1]\nfrom {} {}\nto {} {}\nheight {}\n",
    "[OBJECT_99999999999]\n{}\n[{}",
)
_LINES = ("position {} {} 0", "mass {}", "size {} {} {}", "orientation {} 0 {}", "color {} 0 0", "name {}", "{} {}")


def number(chance: random.Random) -> float:
    """Return a number; every second one is of an ordinary size."""
    return chance.choice(NUMBERS) if chance.random() < 0.5 else chance.uniform(-3.0, 3.0)


def text(chance: random.Random) -> str:
    """Return a text; few of them are as long as a text may be, or longer."""
    if chance.random() < 0.001:
        return "x" * chance.choice((262_144, 262_145))
    return chance.choice(TEXTS)


def section(chance: random.Random) -> str:
    """Return a section of a scene with numbers that may be anything."""
    return _filled(chance.choice(_SECTIONS), chance)


def line(chance: random.Random) -> str:
    """Return a line of a section with numbers that may be anything."""
    return _filled(chance.choice(_LINES), chance)


def anything(chance: random.Random) -> Any:
    """Return a value of any type, also of one that no message may carry."""
    kind = chance.random()
    if kind < 0.15:
        return chance.choice(WRONG_TYPES)
    return number(chance) if kind < 0.6 else text(chance)


def _filled(form: str, chance: random.Random) -> str:
    return form.format(*(chance.choice(_IN_FILES) for _ in range(form.count("{}"))))
