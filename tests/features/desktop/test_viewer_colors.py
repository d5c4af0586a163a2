"""Colours can be told apart by everybody."""

from itertools import combinations

import numpy as np
import pytest

from coopsim.features.desktop.ui.style import BAD, GOOD, WARN
from coopsim.features.pictures.palette import SERIES

# Viénot, Brettel and Mollon, 1999: linear RGB as people without red, or green, cones see it
PROTANOPIA = np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]])
DEUTERANOPIA = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])


@pytest.mark.parametrize("sight", [np.eye(3), PROTANOPIA, DEUTERANOPIA])
@pytest.mark.parametrize("colors", [SERIES, (GOOD, WARN, BAD)])
def test_no_two_colors_look_alike(sight: np.ndarray, colors: tuple[tuple[float, ...], ...]) -> None:
    seen = [np.clip(sight @ np.array(color) ** 2.2, 0.0, 1.0) ** (1 / 2.2) for color in colors]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.08
