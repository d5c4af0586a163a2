"""Noise of images: a function of the camera's seed and the tick alone, so that a replay has the same."""

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.cameras.lens import LensSettings

_COLORS, _DEPTHS = range(2)


def noisy_colors(colors: NDArray[np.uint8], settings: LensSettings, tick: int) -> NDArray[np.uint8]:
    """Return colours with noise, shape (height, width, 3)."""
    deviates = _deviates(settings, tick, _COLORS, colors.shape)
    noisy: NDArray[np.uint8] = np.clip(np.rint(colors + 255.0 * settings.noise * deviates), 0, 255).astype(np.uint8)
    return noisy


def add_noise(depth: NDArray[np.float32], settings: LensSettings, tick: int) -> NDArray[np.float32]:
    """Return depths with noise, shape (height, width) [m]."""
    noisy: NDArray[np.float32] = depth + settings.noise_depth * _deviates(settings, tick, _DEPTHS, depth.shape)
    return noisy


def _deviates(settings: LensSettings, tick: int, kind: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return normal numbers."""
    key = np.array([int(settings.seed), 2 * tick + kind], np.uint64)
    return np.random.Generator(np.random.Philox(key=key)).standard_normal(shape, np.float32)
