"""Count of what a graphics card holds for us: for tests and benchmarks."""

from pyglet import gl

_MOST = 5000


def object_count() -> int:
    """Return how many buffers, textures, vertex arrays, framebuffers and renderbuffers there are in this context."""
    kinds = gl.glIsBuffer, gl.glIsTexture, gl.glIsVertexArray, gl.glIsFramebuffer, gl.glIsRenderbuffer
    return sum(bool(exists(name)) for exists in kinds for name in range(1, _MOST))
