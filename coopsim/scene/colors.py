"""Colours by name. A target's name is its colour's, with a number where there are several (`red_2`, `color_1`)."""

import re

from coopsim.geometry import Vector3

NAMED: dict[str, int] = {
    "aqua": 0x00FFFF,
    "azure": 0xF0FFFF,
    "beige": 0xF5F5DC,
    "black": 0x000000,
    "blue": 0x0000FF,
    "brown": 0xA52A2A,
    "chocolate": 0xD2691E,
    "coral": 0xFF7F50,
    "crimson": 0xDC143C,
    "cyan": 0x00FFFF,
    "darkblue": 0x00008B,
    "darkgray": 0xA9A9A9,
    "darkgreen": 0x006400,
    "darkgrey": 0xA9A9A9,
    "darkorange": 0xFF8C00,
    "darkred": 0x8B0000,
    "fuchsia": 0xFF00FF,
    "gold": 0xFFD700,
    "gray": 0x808080,
    "green": 0x008000,
    "grey": 0x808080,
    "indigo": 0x4B0082,
    "ivory": 0xFFFFF0,
    "khaki": 0xF0E68C,
    "lavender": 0xE6E6FA,
    "lightblue": 0xADD8E6,
    "lightgray": 0xD3D3D3,
    "lightgreen": 0x90EE90,
    "lightgrey": 0xD3D3D3,
    "lime": 0x00FF00,
    "magenta": 0xFF00FF,
    "maroon": 0x800000,
    "navy": 0x000080,
    "olive": 0x808000,
    "orange": 0xFFA500,
    "orchid": 0xDA70D6,
    "pink": 0xFFC0CB,
    "plum": 0xDDA0DD,
    "purple": 0x800080,
    "red": 0xFF0000,
    "salmon": 0xFA8072,
    "sienna": 0xA0522D,
    "silver": 0xC0C0C0,
    "skyblue": 0x87CEEB,
    "tan": 0xD2B48C,
    "teal": 0x008080,
    "tomato": 0xFF6347,
    "turquoise": 0x40E0D0,
    "violet": 0xEE82EE,
    "white": 0xFFFFFF,
    "yellow": 0xFFFF00,
}
_CYCLE = ("red", "blue", "green", "magenta", "yellow", "cyan", "orange", "purple")
_TARGET = re.compile(r"([a-z]+?)_?([0-9]*)(?:_n)?")


def color_named(name: str) -> Vector3 | None:
    """Return red, green and blue, 0 to 1, of a colour, None if its name is unknown; case does not count."""
    code = NAMED.get(name.lower())
    return None if code is None else ((code >> 16) / 255, (code >> 8 & 255) / 255, (code & 255) / 255)


def target_color(name: str) -> Vector3 | None:
    """Return the colour that a target's name speaks of, None if it speaks of none.

    `color_1`, `color_2`... are taken literally too and get different colours (CoopDynSim, Fig. 8).
    """
    match = _TARGET.fullmatch(name.lower())
    if not match:
        return None
    if match[1] in ("color", "colour"):
        number = int(match[2][-9:] or 1)
        return color_named(_CYCLE[(number - 1) % len(_CYCLE)])
    return color_named(match[1])


UNSAID: Vector3 = (0.93, 0.45, 0.13)
"""Colour of a robot whose scenario names none."""
