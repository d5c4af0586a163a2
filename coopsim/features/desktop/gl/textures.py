"""Pictures out of files, as textures."""

import io
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pyglet import gl

from coopsim.errors import BadFile
from coopsim.features.desktop.gl.buffers import pointer
from coopsim.scene import Problem, Span
from coopsim.scene.source import read_look

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


class Texture:
    """A picture on shapes.

    Args:
        pixels: Red, green, blue, the lower row first.

    Attributes:
        name: As OpenGL calls it.
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        name = gl.GLuint()
        gl.glGenTextures(1, name)
        self.name = int(name.value)
        height, width, _ = pixels.shape
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.name)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        form = (gl.GL_RGB8, width, height, 0, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pointer(pixels))
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, *form)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR_MIPMAP_LINEAR)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)

    def bind(self, unit: int) -> None:
        """Let shaders see it as a unit."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.name)

    def delete(self) -> None:
        """Give its memory back."""
        gl.glDeleteTextures(1, gl.GLuint(self.name))
