"""Lines of a few pixels: trails, rays of sensors."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from coopsim.features.pictures.drawing_model import LIFTED, TRAIL_OPACITY
from coopsim.geometry import Floats

RIBBON = np.dtype([("r_begin", "f4", 3), ("r_end", "f4", 3), ("r_color", "u1", 4), ("r_fade", "f4"), ("r_width", "f4")])
"""From where to where, its colour, the opacity of its begin as a share of its end's, its width [pixels]."""
_TRAIL_WIDTH = 3.0  # pixels, at any distance


def joined(parts: Iterable[NDArray[np.void]]) -> NDArray[np.void]:
    """Return ribbons one after the other; to join nothing with nothing is dear."""
    filled = [part for part in parts if len(part)]
    if len(filled) > 1:
        return np.concatenate(filled)
    return filled[0] if filled else np.zeros(0, RIBBON)


def widened(ribbons: NDArray[np.void], times: float) -> NDArray[np.void]:
    """Return ribbons that are so many times as wide, as displays with fine pixels need them."""
    if times == 1.0 or not len(ribbons):
        return ribbons
    wide = ribbons.copy()
    wide["r_width"] *= times
    return wide


def trail(points: Floats, color: tuple[int, int, int]) -> NDArray[np.void]:
    """Return the ribbons of a way, fading towards its begin.

    Args:
        points: Shape (n, 3) [m].
        color: Red, green, blue, 0 to 255.
    """
    count = max(0, len(points) - 1)
    ribbons = np.zeros(count, RIBBON)
    if count:
        opacity = np.linspace(0.0, 1.0, count + 1)
        lifted = points + np.array([0.0, 0.0, LIFTED])
        ribbons["r_begin"], ribbons["r_end"] = lifted[:-1], lifted[1:]
        ribbons["r_color"][:, :3] = color
        ribbons["r_color"][:, 3] = np.rint(TRAIL_OPACITY * opacity[1:])
        ribbons["r_fade"] = opacity[:-1] / opacity[1:]
        ribbons["r_width"] = _TRAIL_WIDTH
    return ribbons
