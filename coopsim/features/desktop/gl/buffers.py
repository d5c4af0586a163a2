"""Arrays in the memory of the graphics card, and what is drawn of them."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from coopsim.features.desktop.drawlist import INSTANCE, DrawList
from coopsim.features.desktop.gl.programs import Program
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.shapes import VERTEX, MeshData

Rows = NDArray[np.void]
_KINDS = {"f4": (gl.GL_FLOAT, gl.GL_FALSE), "u1": (gl.GL_UNSIGNED_BYTE, gl.GL_TRUE)}


def pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    """Return where the values of an array lie."""
    return ctypes.c_void_p(array.ctypes.data)


def _new(make: Any) -> int:
    name = gl.GLuint()
    make(1, name)
    return int(name.value)


class RowBuffer:
    """Rows with named columns, written anew as a whole.

    Args:
        dtype: Of the rows.

    Attributes:
        count: How many rows it holds.
    """

    def __init__(self, dtype: "np.dtype[np.void]") -> None:
        self.dtype, self.count = dtype, 0
        self._name = _new(gl.glGenBuffers)

    def write(self, rows: Rows) -> None:
        """Replace all rows."""
        self.count = len(rows)
        if not self.count:
            return
        rows = np.ascontiguousarray(rows, self.dtype)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._name)
        # what is drawn of the old rows may not be done yet, so these get memory of their own
        gl.glBufferData(gl.GL_ARRAY_BUFFER, rows.nbytes, pointer(rows), gl.GL_STREAM_DRAW)

    def attach(self, program: Program, divisor: int) -> None:
        """Let the vertex array that is bound take its columns from here.

        Args:
            program: Whose attributes are named like columns.
            divisor: 0 = a row for each vertex, 1 = a row for each instance.
        """
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._name)
        for name, (column, offset, *_) in (self.dtype.fields or {}).items():
            location = program.attributes.get(name)
            if location is not None:
                base, shape = column.subdtype or (column, (1,))
                kind, is_normalised = _KINDS[base.str[1:]]
                gl.glEnableVertexAttribArray(location)
                size = self.dtype.itemsize
                gl.glVertexAttribPointer(location, int(np.prod(shape)), kind, is_normalised, size, offset)
                gl.glVertexAttribDivisor(location, divisor)

    def delete(self) -> None:
        """Give its memory back."""
        gl.glDeleteBuffers(1, gl.GLuint(self._name))


class MeshBuffer:
    """A mesh."""

    def __init__(self, mesh: MeshData) -> None:
        self.rows = RowBuffer(VERTEX)
        self.rows.write(mesh.vertices)
        indices = np.ascontiguousarray(mesh.triangles, np.uint32)
        self.count, self._name = indices.size, _new(gl.glGenBuffers)
        gl.glBindVertexArray(0)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._name)
        gl.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, indices.nbytes, pointer(indices), gl.GL_STATIC_DRAW)

    def attach(self, program: Program) -> None:
        """Let the vertex array that is bound take its vertices from here."""
        self.rows.attach(program, 0)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._name)

    def delete(self) -> None:
        """Give its memory back."""
        self.rows.delete()
        gl.glDeleteBuffers(1, gl.GLuint(self._name))


class VertexArrays:
    """For each program, where its attributes come from."""

    def __init__(self) -> None:
        self._names: dict[Program, int] = {}

    def bind(self, program: Program) -> bool:
        """Bind the vertex array of a program; True where it is new, so that buffers have to be attached."""
        is_new = program not in self._names
        if is_new:
            self._names[program] = _new(gl.glGenVertexArrays)
        gl.glBindVertexArray(self._names[program])
        return is_new

    def delete(self) -> None:
        """Give them back."""
        for name in self._names.values():
            gl.glDeleteVertexArrays(1, gl.GLuint(name))
        self._names.clear()


class Instances:
    """A mesh, drawn once for every row.

    Args:
        mesh: It may be shared.
        dtype: Of the rows.
    """

    def __init__(self, mesh: MeshBuffer, dtype: "np.dtype[np.void]") -> None:
        self._mesh, self.rows, self._arrays = mesh, RowBuffer(dtype), VertexArrays()

    def draw(self, program: Program) -> None:
        """Draw all rows with a program that is in use."""
        if not self.rows.count:
            return
        if self._arrays.bind(program):
            self._mesh.attach(program)
            self.rows.attach(program, 1)
        gl.glDrawElementsInstanced(gl.GL_TRIANGLES, self._mesh.count, gl.GL_UNSIGNED_INT, None, self.rows.count)

    def delete(self) -> None:
        """Give all but the mesh back."""
        self.rows.delete()
        self._arrays.delete()


class Strips:
    """A strip of triangles for every row; the program makes its vertices of their numbers.

    Args:
        dtype: Of the rows.
        vertices: Of each strip.
    """

    def __init__(self, dtype: "np.dtype[np.void]", vertices: int = 4) -> None:
        self.rows, self._arrays, self._vertices = RowBuffer(dtype), VertexArrays(), vertices

    def draw(self, program: Program) -> None:
        """Draw all rows with a program that is in use."""
        if not self.rows.count:
            return
        if self._arrays.bind(program):
            self.rows.attach(program, 1)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, self._vertices, self.rows.count)

    def delete(self) -> None:
        """Give its memory back."""
        self.rows.delete()
        self._arrays.delete()


class Screen:
    """A triangle that covers the whole picture."""

    def __init__(self) -> None:
        self._name = _new(gl.glGenVertexArrays)

    def draw(self) -> None:
        """Draw it with the program that is in use."""
        gl.glBindVertexArray(self._name)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)


# Count of what a graphics card holds for us: for tests and benchmarks.
_MOST = 5000


def object_count() -> int:
    """Return how many buffers, textures, vertex arrays, framebuffers and renderbuffers there are in this context."""
    kinds = gl.glIsBuffer, gl.glIsTexture, gl.glIsVertexArray, gl.glIsFramebuffer, gl.glIsRenderbuffer
    return sum(bool(exists(name)) for exists in kinds for name in range(1, _MOST))


class SkinBuffers:
    """Cloths and soft bodies of the model that is drawn: meshes that are written anew for each picture."""

    def __init__(self) -> None:
        self._model: SceneModel | None = None
        self._skins: list[tuple[MeshBuffer, Instances]] = []

    def write(self, rows: DrawList) -> None:
        """Take over where the nodes of a model are now."""
        model, is_new = rows.model, rows.model is not self._model
        if is_new:
            self.delete()
            self._model = model
        for number, skin in enumerate(model.skins):
            data = skin.mesh(model.entity_poses)
            if is_new:
                mesh = MeshBuffer(data)
                self._skins.append((mesh, Instances(mesh, INSTANCE)))
            mesh, instance = self._skins[number]
            mesh.rows.write(data.vertices)
            row = np.zeros(int(rows.shows(skin)), INSTANCE)
            row["i_rotation"], row["i_size"], row["i_color"] = (1.0, 0.0, 0.0, 0.0), 1.0, rows.color_of(skin)
            row["i_mark"] = rows.mark_of(skin)
            instance.rows.write(row)

    @property
    def drawn(self) -> list[Instances]:
        """Triangles that are drawn of them."""
        return [instance for _, instance in self._skins]

    def delete(self) -> None:
        """Give their memory back."""
        for mesh, instance in self._skins:
            instance.delete()
            mesh.delete()
        self._skins, self._model = [], None
