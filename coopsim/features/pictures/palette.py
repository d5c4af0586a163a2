"""Palette of pictures and pages: grounds and inks of both themes, and the colours of curves and of kinds of things.

Windows, pages, exported pages and pictures take their colours from here and from the drawing model, which see.
"""

import colorsys
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from coopsim.geometry import Vector3
from coopsim.scene.colors import UNSAID

LIGHT: Final[Mapping[str, str]] = {
    "ink": "#2b3240",
    "quiet": "#737b89",
    "paper": "#ffffff",
    "back": "#eef0f3",
    "line": "#dfe3e9",
    "floor": "#f6f4ee",
    "floor-edge": "#d9d4c6",
    "grid": "#e7e3d8",
    "wall": "#4a5161",
    "wall-edge": "#363c49",
    "accent": "#e4652a",
    "shade": "rgba(30, 40, 60, .08)",
}
"""Colours of a page in daylight, and of pictures, which are printed: names as CSS has them."""
DARK: Final[Mapping[str, str]] = {
    "ink": "#e6e9ee",
    "quiet": "#99a2b0",
    "paper": "#1c2029",
    "back": "#12151b",
    "line": "#2e3440",
    "floor": "#232833",
    "floor-edge": "#2e3440",
    "grid": "#2d3340",
    "wall": "#8c95a6",
    "wall-edge": "#a4acba",
    "accent": "#ff8a4c",
    "shade": "rgba(0, 0, 0, .35)",
}
SERIES: Final[tuple[Vector3, ...]] = (
    (0.34, 0.71, 0.91),
    (0.90, 0.62, 0.00),
    (0.00, 0.62, 0.45),
    (0.94, 0.89, 0.26),
    (0.80, 0.47, 0.65),
    (0.84, 0.37, 0.00),
    (0.00, 0.45, 0.70),
)
"""Colours of curves and of kinds of things, which the colour-blind can tell apart, too (Okabe and Ito, 2008)."""
_APART = 0.45  # of the colour cube's edge; nearer ones are mistaken for each other
_TOLD_APART: tuple[Vector3, ...] = (
    UNSAID,
    (0.00, 0.45, 0.70),
    (0.00, 0.62, 0.45),
    (0.80, 0.47, 0.65),
    (0.34, 0.71, 0.91),
    (0.53, 0.13, 0.33),
    (0.60, 0.60, 0.20),
    (0.20, 0.13, 0.53),
)
"""Colours that people tell apart, those who see fewer of them, too.

Source: M. Okabe and K. Ito, Color Universal Design; P. Tol, Colour Schemes ("muted").
"""
_MANY: Final = {"first": 225.0, "last": 10.0, "saturation": 0.65, "lightness": 0.45}
"""Scale from blue to red for more curves than there are colours: hues [degrees], shares."""
_BRIGHTEST: Final = 0.30
"""Relative luminance that a line on white may have: its contrast is 3 to 1 then, as WCAG 2.2 asks in 1.4.11."""
_SRGB: Final = 2.4
"""Exponent of sRGB (IEC 61966-2-1) without its straight part near black, which no colour of a curve is in."""


def on_paper(color: Vector3) -> Vector3:
    """Return a colour as it is on white: as dark as reading it needs, of the same hue."""
    linear = [_linear(channel) for channel in color]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    share = min(1.0, _BRIGHTEST / luminance) if luminance > 0.0 else 1.0
    red, green, blue = (_encoded(share * channel) for channel in linear)
    return red, green, blue


def series_color(index: int, count: int) -> Vector3:
    """Return the colour of one of `count` curves on paper: clearly different ones for few, a scale for many."""
    if count <= len(SERIES_ON_PAPER):
        return SERIES_ON_PAPER[index]
    hue = _MANY["first"] + (_MANY["last"] - _MANY["first"]) * index / (count - 1)
    return colorsys.hls_to_rgb(hue / 360.0, _MANY["lightness"], _MANY["saturation"])


def distinct_colors(colors: Mapping[str, Vector3], others: Iterable[Vector3] = ()) -> dict[str, Vector3]:
    """Return colours for pictures: robots whose scenario names none get one by their order.

    Args:
        colors: By name, in the order of the scene.
        others: Colours of targets, which must not be mistaken for robots.
    """
    taken = tuple(others)
    free = [candidate for candidate in _TOLD_APART if all(math.dist(candidate, used) > _APART for used in taken)] or [
        *_TOLD_APART
    ]
    unsaid = [name for name, color in colors.items() if math.dist(color, UNSAID) < 1e-6]
    return {**colors, **{name: free[place % len(free)] for place, name in enumerate(unsaid)}}


def css() -> str:
    """Return both themes as the custom properties of a style sheet."""
    light, dark = (" ".join(f"--{name}: {paint};" for name, paint in theme.items()) for theme in (LIGHT, DARK))
    return (
        f":root {{ {light} color-scheme: light dark; }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    )


def curve_colors() -> dict[str, Any]:
    """Return what scripts need to give curves the colours that `series_color` does, and those of dark grounds."""
    return {"light": [_hex(color) for color in SERIES_ON_PAPER], "dark": [_hex(color) for color in SERIES], **_MANY}


def _linear(channel: float) -> float:
    return float(((channel + 0.055) / 1.055) ** _SRGB) if channel > 0.0 else 0.0


def _encoded(linear: float) -> float:
    return float(1.055 * linear ** (1.0 / _SRGB) - 0.055) if linear > 0.0 else 0.0


def _hex(color: Vector3) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in color)


SERIES_ON_PAPER: Final = tuple(map(on_paper, SERIES))
"""Colours of curves on white grounds."""
