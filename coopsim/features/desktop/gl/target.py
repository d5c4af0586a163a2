"""Pictures that are drawn into memory instead of a window."""

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from coopsim.errors import CannotDraw
from coopsim.features.desktop.gl.buffers import pointer
from coopsim.features.desktop.pixels import without_alpha


class RenderTarget:
    """A picture in memory.

    Args:
        size: Width and height [pixels].
        samples: Of each pixel, 1 = edges are not smoothed.

    Attributes:
        size: Width and height [pixels].
        samples: That were asked for.

    Raises:
        CannotDraw: The graphics card cannot hold such a picture.
    """

    def __init__(self, size: tuple[int, int], samples: int = 1) -> None:
        self.size, self.samples = size, samples
        most = gl.GLint()
        gl.glGetIntegerv(gl.GL_MAX_SAMPLES, most)
        samples = min(samples, int(most.value))
        self._flat = _Buffers(size, 1)
        self._drawn = _Buffers(size, samples) if samples > 1 else self._flat

    def begin(self) -> None:
        """Draw into it from now on."""
        self._drawn.bind()
        gl.glViewport(0, 0, *self.size)

    def flush(self) -> None:
        """Have what was ordered begun, so that it goes on beside what is done here."""
        gl.glFlush()

    def show(self, left: int, bottom: int) -> None:
        """Copy it into the window."""
        self._resolve()
        width, height = self.size
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._flat.name)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, 0)
        place = (left, bottom, left + width, bottom + height)
        gl.glBlitFramebuffer(0, 0, width, height, *place, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def read(self) -> NDArray[np.uint8]:
        """Return red, green and blue of all pixels, the upper row first, shape (height, width, 3)."""
        return without_alpha(self.read_words())

    def read_words(self) -> NDArray[np.uint32]:
        """Return all pixels, red in their lowest byte, then green and blue, the upper row first, shape (height, width).

        Pictures are kept so: to read three bytes of each takes nine times as long.
        """
        self._resolve()
        width, height = self.size
        depths = np.empty((height, width), "<u4")
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._flat.name)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pointer(depths))
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        return depths[::-1]

    def read_depth(self) -> NDArray[np.float32]:
        """Return the depths of all pixels as OpenGL keeps them, 0 to 1, the upper row first, shape (height, width).

        Edges must not be smoothed.
        """
        width, height = self.size
        depths = np.empty((height, width), np.float32)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn.name)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width, height, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, pointer(depths))
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        return depths[::-1]

    def delete(self) -> None:
        """Give its memory back."""
        for target in {self._flat, self._drawn}:
            target.delete()

    def _resolve(self) -> None:
        if self._drawn is not self._flat:
            gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._drawn.name)
            gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._flat.name)
            whole = (0, 0, *self.size)
            gl.glBlitFramebuffer(*whole, *whole, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)


class UploadedPicture:
    """A picture that was drawn elsewhere, to be shown in a window.

    Args:
        size: Width and height [pixels].

    Attributes:
        size: Width and height [pixels].
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        self._words = np.zeros((size[1], size[0]), "<u4")
        self._texture = _made(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        # drivers may take a texture of fewer levels for incomplete
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        form = (gl.GL_RGBA8, *size, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, *form)
        self._name = _made(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._name)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self._texture, 0)
        _check()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def write(self, words: NDArray[np.uint32]) -> None:
        """Take a picture over: red in the lowest byte, then green and blue, the upper row first."""
        self._words = words
        width, height = self.size
        rows = np.ascontiguousarray(words[::-1], "<u4")
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        place = (0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
        gl.glTexSubImage2D(gl.GL_TEXTURE_2D, 0, *place, pointer(rows))

    def show(self, left: int, bottom: int) -> None:
        """Copy it into the window."""
        width, height = self.size
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._name)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, 0)
        place = (left, bottom, left + width, bottom + height)
        gl.glBlitFramebuffer(0, 0, width, height, *place, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def read(self) -> NDArray[np.uint8]:
        """Return red, green and blue of all pixels, the upper row first, shape (height, width, 3)."""
        return without_alpha(self._words)

    def delete(self) -> None:
        """Give its memory back."""
        gl.glDeleteFramebuffers(1, gl.GLuint(self._name))
        gl.glDeleteTextures(1, gl.GLuint(self._texture))


class ShadowMap:
    """Distances of everything that the light sees from the light; a square.

    Attributes:
        texture: That holds the distances.
    """

    def __init__(self, side: int) -> None:
        self.side = side
        self.texture = _made(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        depth = (gl.GL_DEPTH_COMPONENT24, side, side, 0, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, None)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, *depth)
        for key in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, key, gl.GL_NEAREST)
        for key in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, key, gl.GL_CLAMP_TO_EDGE)
        self._name = _made(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._name)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self.texture, 0)
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)
        _check()

    def begin(self) -> None:
        """Draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._name)
        gl.glViewport(0, 0, self.side, self.side)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)

    def delete(self) -> None:
        """Give its memory back."""
        gl.glDeleteFramebuffers(1, gl.GLuint(self._name))
        gl.glDeleteTextures(1, gl.GLuint(self.texture))


class _Buffers:
    """Colours, depths and marks of a picture."""

    def __init__(self, size: tuple[int, int], samples: int) -> None:
        self.name = _made(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        places = ((gl.GL_RGBA8, gl.GL_COLOR_ATTACHMENT0), (gl.GL_DEPTH24_STENCIL8, gl.GL_DEPTH_STENCIL_ATTACHMENT))
        self._parts = [_made(gl.glGenRenderbuffers) for _ in places]
        for part, (form, place) in zip(self._parts, places, strict=True):
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, part)
            gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples if samples > 1 else 0, form, *size)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, part)
        _check()

    def bind(self) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)

    def delete(self) -> None:
        gl.glDeleteFramebuffers(1, gl.GLuint(self.name))
        for part in self._parts:
            gl.glDeleteRenderbuffers(1, gl.GLuint(part))


def _made(make: object) -> int:
    name = gl.GLuint()
    make(1, name)  # type: ignore[operator]
    return int(name.value)


def _check() -> None:
    status = gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER)
    if status != gl.GL_FRAMEBUFFER_COMPLETE:
        raise CannotDraw(f"the graphics card cannot hold the picture (status {status:#x})")
