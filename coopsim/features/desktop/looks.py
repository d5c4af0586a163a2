"""Meshes and pictures of what shapes look like: whoever draws takes them from here."""

import io
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from coopsim.errors import BadFile
from coopsim.features.desktop.model import Look
from coopsim.features.desktop.shapes import PRISM, MeshData, polygon_mesh, prism_mesh, shape_mesh
from coopsim.features.pictures.patterns import pattern
from coopsim.scene import Problem, Span
from coopsim.scene.source import read_look
from coopsim.scene.textures import is_pattern

# what every OpenGL 3.3 can hold; larger pictures look the same on a screen
_LARGEST = 2048
"""Larger pictures are made smaller [pixels]."""


def load_picture(path: Path) -> NDArray[np.uint8]:
    """Return red, green, blue of a picture, the lower row first.

    Raises:
        BadFile: It cannot be read.
    """
    raw = read_look(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(raw)) as picture:
                picture.thumbnail((_LARGEST, _LARGEST))
                return np.ascontiguousarray(np.asarray(picture.convert("RGB"))[::-1])
    except Exception as problem:  # decoders of damaged pictures raise many kinds
        problem_of_file = Problem(Span(str(path), 1, 1), f"no picture: {str(problem)[:200]}")
        raise BadFile(str(problem_of_file), (problem_of_file,)) from None


def texture_pixels(texture: str) -> NDArray[np.uint8]:
    """Return red, green, blue of the texture of a look: a pattern, or a picture, the lower row first.

    Raises:
        BadFile: It cannot be read.
    """
    return pattern(texture) if is_pattern(texture) else load_picture(Path(texture))


def own_mesh(look: Look, level: int) -> MeshData | None:
    """Return the mesh of a look in a unit box, None = it is in a file.

    Args:
        look: Of the shapes.
        level: Of detail, 0 = the finest.
    """
    if look.points:
        return prism_mesh(look.points) if look.shape == PRISM else polygon_mesh(look.points)
    return None if look.shape == "mesh" else shape_mesh(look.shape, level)
