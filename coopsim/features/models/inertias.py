"""Inertias of links: what no body can have is mended.

Source: MuJoCo's `boundmass`, `boundinertia` and `balanceinertia`.
"""

import numpy as np

from coopsim.geometry import Floats
from coopsim.scene import Problems
from coopsim.scene.spans import Span

LIGHT, LEAST = 1e-6, 1e-9
"""Mass [kg] and moments of inertia [kg m2] of what has none; small beside all that moves."""


def possible_inertia(
    name: str, span: Span, said: tuple[float, list[float]], problems: Problems
) -> tuple[float, list[float]]:
    """Return mass and moments of a link, mended as MuJoCo does where no body has such; what is mended is said.

    Args:
        name: Of the link.
        span: Where it says them.
        said: Mass, and moments xx yy zz xy xz yz.
        problems: Takes the warnings.
    """
    mass, moments = said
    if mass < LIGHT:
        if mass < 0.0:
            problems.warn(span, f"the link {name!r} has the mass {mass:g} kg; it counts as none")
        mass = LIGHT
    xx, yy, zz, xy, xz, yz = moments
    values, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if values.min() < LEAST:
        if values.max() > LEAST or mass > LIGHT:
            text = f"moments of inertia of the link {name!r} are {_words(values)}; those below {LEAST:g} become that"
            problems.warn(span, text)
        values = np.maximum(values, LEAST)
    elif values[0] + values[1] >= values[2] * (1.0 - 1e-9):
        return mass, moments
    if values[0] + values[1] < values[2] * (1.0 - 1e-9):
        text = f"moments of inertia of the link {name!r}, {_words(values)}, are those of no body, since A + B < C"
        problems.warn(span, f"{text}; all become their mean")
        values = np.full(3, values.mean())
    tensor = (axes * values) @ axes.T
    return mass, [float(tensor[at]) for at in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _words(values: Floats) -> str:
    return " ".join(f"{value:.3g}" for value in values)
