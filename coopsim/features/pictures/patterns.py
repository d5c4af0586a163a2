"""Patterns that need no file, as pictures that fit to themselves at their edges."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats

_SIDE = 256  # pixels; a tile of a floor is seldom larger on screen
# neither pure white nor black: shadows and highlights still show
_PAPER, _INK = (0.92, 0.92, 0.90), (0.16, 0.18, 0.22)


def pattern(name: str) -> NDArray[np.uint8]:
    """Return red, green, blue of one of `coopsim.scene.textures.PATTERNS`, shape (256, 256, 3)."""
    y, x = np.mgrid[0:_SIDE, 0:_SIDE] / _SIDE
    picture = _PAINTERS[name](x, y)
    return np.rint(255.0 * np.clip(picture, 0.0, 1.0)).astype(np.uint8)


def _bricks(x: Floats, y: Floats) -> Floats:
    row = np.floor(8.0 * y)
    along, up = (4.0 * x + 0.5 * (row % 2.0)) % 1.0, (8.0 * y) % 1.0
    is_mortar = (along < 0.04) | (up < 0.09)
    column = np.floor(4.0 * x + 0.5 * (row % 2.0)) % 4.0
    shade: Floats = np.asarray(0.85 + 0.3 * _hashed(row * 7.0 + column))
    clay: Floats = shade[..., np.newaxis] * np.array([0.62, 0.27, 0.20])
    return np.where(is_mortar[..., np.newaxis], (0.78, 0.76, 0.72), clay)


def _checkerboard(x: Floats, y: Floats) -> Floats:
    return _two((np.floor(8.0 * x) + np.floor(8.0 * y)) % 2.0 > 0.5)


def _concrete(x: Floats, y: Floats) -> Floats:
    grain = np.random.default_rng(7).random(x.shape)
    cloud = np.sin(2.0 * np.pi * (2.0 * x + np.sin(2.0 * np.pi * y))) * np.sin(2.0 * np.pi * 3.0 * y)
    grey: Floats = 0.62 + 0.05 * cloud + 0.08 * (grain - 0.5)
    return np.repeat(grey[..., np.newaxis], 3, axis=2)


def _dots(x: Floats, y: Floats) -> Floats:
    return _two(np.hypot((8.0 * x) % 1.0 - 0.5, (8.0 * y) % 1.0 - 0.5) < 0.3)


def _stripes(x: Floats, y: Floats) -> Floats:
    return _two((8.0 * (x + y)) % 1.0 < 0.5)


def _wood(x: Floats, y: Floats) -> Floats:
    wave: Floats = 10.0 * y + 0.6 * np.sin(2.0 * np.pi * x) + 0.2 * np.sin(6.0 * np.pi * x)
    rings: Floats = np.sin(2.0 * np.pi * wave)
    grain: Floats = np.random.default_rng(3).random((x.shape[0], 1))
    shade: Floats = 0.86 + 0.10 * rings + 0.08 * (grain - 0.5)
    shades: Floats = shade[..., np.newaxis] * np.array([0.72, 0.50, 0.29])
    return shades


def _two(is_ink: NDArray[np.bool_]) -> Floats:
    return np.where(is_ink[..., np.newaxis], _INK, _PAPER)


def _hashed(numbers: Floats) -> Floats:
    """Return a number from 0 to 1 for each number, the same for the same."""
    noise: Floats = np.sin(numbers * 12.9898) * 43758.5453 % 1.0
    return noise


_PAINTERS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "bricks": _bricks,
    "checkerboard": _checkerboard,
    "concrete": _concrete,
    "dots": _dots,
    "stripes": _stripes,
    "wood": _wood,
}
