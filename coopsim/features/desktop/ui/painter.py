"""Draws what Dear ImGui made, with OpenGL."""

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from imgui_bundle import imgui
from pyglet import gl

from coopsim.features.desktop.gl.programs import Program

_CLAMPED = (
    (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR),
    (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR),
    (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE),
    (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE),
)


class _DrawCommand(NamedTuple):
    """Some triangles.

    Attributes:
        box: Left, bottom, width, height of where they are seen [pixels].
        indices: How many.
        begin: Where these begin [bytes].
        base: Number of the vertex that their index 0 means.
    """

    texture: int
    box: tuple[int, int, int, int]
    indices: int
    begin: int
    base: int


class WidgetPainter:
    """Draws lists of triangles over the window, as often as is wanted."""

    def __init__(self) -> None:
        self._program = Program(["widget_vertex"], ["widget_fragment"])
        self._array, self._vertices, self._indices = gl.GLuint(), gl.GLuint(), gl.GLuint()
        gl.glGenVertexArrays(1, self._array)
        gl.glGenBuffers(1, self._vertices)
        gl.glGenBuffers(1, self._indices)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertices)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._indices)
        for name, count, kind, is_normalised, offset in (
            ("pos", 2, gl.GL_FLOAT, False, imgui.VERTEX_BUFFER_POS_OFFSET),
            ("uv", 2, gl.GL_FLOAT, False, imgui.VERTEX_BUFFER_UV_OFFSET),
            ("col", 4, gl.GL_UNSIGNED_BYTE, True, imgui.VERTEX_BUFFER_COL_OFFSET),
        ):
            location = self._program.attributes[name]
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(location, count, kind, is_normalised, imgui.VERTEX_SIZE, offset)
        gl.glBindVertexArray(0)
        self._index = gl.GL_UNSIGNED_SHORT if imgui.INDEX_SIZE == 2 else gl.GL_UNSIGNED_INT
        self._commands: list[_DrawCommand] = []

    def load(self, data: Any, size: tuple[float, float], scale: tuple[float, float]) -> None:
        """Take over what `imgui.render` made.

        Args:
            data: Of `imgui.get_draw_data`.
            size: Of the window.
            scale: Pixels for each unit of the window, across and up.
        """
        for texture in imgui.get_platform_io().textures:
            if texture.status != imgui.ImTextureStatus.ok:
                _update(texture)
        lists = list(data.cmd_lists)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertices)
        for kind, item, parts in (
            (gl.GL_ARRAY_BUFFER, imgui.VERTEX_SIZE, [draw_list.vtx_buffer for draw_list in lists]),
            (gl.GL_ELEMENT_ARRAY_BUFFER, imgui.INDEX_SIZE, [draw_list.idx_buffer for draw_list in lists]),
        ):
            whole = b"".join(ctypes.string_at(part.data_address(), part.size() * item) for part in parts if part.size())
            gl.glBufferData(kind, len(whole), whole, gl.GL_STREAM_DRAW)
        gl.glBindVertexArray(0)
        self._commands = list(_commands(lists, size[1], scale))

    def draw(self, size: tuple[float, float], scale: tuple[float, float]) -> None:
        """Draw what was taken over last.

        Args:
            size: Of the window.
            scale: Pixels for each unit of the window, across and up.
        """
        pixels = int(size[0] * scale[0]), int(size[1] * scale[1])
        if not all(pixels):
            return
        self._begin(size, pixels)
        texture: int | None = None
        for command in self._commands:
            if command.texture != texture:
                texture = command.texture
                gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
            gl.glScissor(*command.box)
            gl.glDrawElementsBaseVertex(gl.GL_TRIANGLES, command.indices, self._index, command.begin, command.base)
        gl.glBindVertexArray(0)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glDisable(gl.GL_BLEND)

    def _begin(self, size: tuple[float, float], pixels: tuple[int, int]) -> None:
        gl.glViewport(0, 0, *pixels)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFuncSeparate(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        for capability in (gl.GL_CULL_FACE, gl.GL_DEPTH_TEST, gl.GL_STENCIL_TEST):
            gl.glDisable(capability)
        gl.glEnable(gl.GL_SCISSOR_TEST)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        self._program.use()
        self._program.set(scale_offset=(2.0 / size[0], -2.0 / size[1], -1.0, 1.0), picture=0)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertices)


def _commands(lists: Iterable[Any], height: float, scale: tuple[float, float]) -> Iterator[_DrawCommand]:
    """Yield what is seen of lists whose vertices, and indices, stand one after the other."""
    across, up = scale
    vertices = indices = 0
    for draw_list in lists:
        for command in draw_list.cmd_buffer:
            left, top, right, bottom = command.clip_rect
            if right > left and bottom > top and command.elem_count:
                corner = int(left * across), int((height - bottom) * up)
                box = (*corner, int((right - left) * across), int((bottom - top) * up))
                begin = (indices + command.idx_offset) * imgui.INDEX_SIZE
                base = vertices + command.vtx_offset
                yield _DrawCommand(command.tex_ref.get_tex_id(), box, command.elem_count, begin, base)
        vertices, indices = vertices + draw_list.vtx_buffer.size(), indices + draw_list.idx_buffer.size()


def _update(texture: Any) -> None:
    """Make, change or delete a texture as Dear ImGui wants it."""
    status = imgui.ImTextureStatus
    if texture.status == status.want_destroy:
        gl.glDeleteTextures(1, gl.GLuint(texture.tex_id))
        texture.set_tex_id(0)
        texture.status = status.destroyed
        return
    pixels = texture.get_pixels_array()
    address = pixels.ctypes.data
    gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 4)
    if texture.status == status.want_create:
        name = gl.GLuint()
        gl.glGenTextures(1, name)
        gl.glBindTexture(gl.GL_TEXTURE_2D, name)
        for key, value in _CLAMPED:
            gl.glTexParameteri(gl.GL_TEXTURE_2D, key, value)
        form = (gl.GL_RGBA8, texture.width, texture.height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, *form, ctypes.c_void_p(address))
        texture.set_tex_id(name.value)
    else:
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture.tex_id)
        gl.glPixelStorei(gl.GL_UNPACK_ROW_LENGTH, texture.width)
        for part in texture.updates:
            begin = address + (part.y * texture.width + part.x) * texture.bytes_per_pixel
            place = (part.x, part.y, part.w, part.h, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
            gl.glTexSubImage2D(gl.GL_TEXTURE_2D, 0, *place, ctypes.c_void_p(begin))
        gl.glPixelStorei(gl.GL_UNPACK_ROW_LENGTH, 0)
    texture.status = status.ok
