"""Pictures, as textures."""

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from coopsim.features.desktop.gl.buffers import pointer


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
