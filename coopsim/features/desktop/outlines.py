"""Outlines of what is selected: its own colours stay as they are, and walls do not hide it."""

from collections.abc import Callable, Iterator, Sequence

from pyglet import gl

from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import INSTANCE, DrawList
from coopsim.features.desktop.gl.buffers import Instances, MeshBuffer
from coopsim.features.desktop.gl.programs import Program
from coopsim.features.desktop.model import Look

# a bright ring in a dark one: one of them differs from every floor and every robot
_RINGS = ((3.5, (0.10, 0.11, 0.13)), (2.0, (1.0, 0.78, 0.10)))
"""Widths [units of the window] and colours, the outer one first."""
# eight places around each pixel leave no gap at corners
_AROUND = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)
_BIT = 0x80
"""Of the stencil, where selected things are; flat shadows use the low bits."""


class OutlinePainter:
    """Draws outlines: selected things moved a little to all sides, except where they are themselves."""

    def __init__(self) -> None:
        self._program = Program(["turn", "outline_vertex"], ["outline_fragment"])
        self._instances: dict[Look, Instances] = {}

    def draw(self, rows: DrawList, camera: Viewpoint, mesh: Callable[[Look], MeshBuffer]) -> None:
        """Draw the outlines over the picture.

        Args:
            rows: What there is, some of it selected.
            camera: That looks.
            mesh: Returns the mesh of a look.
        """
        shapes = list(self._shapes(rows, mesh))
        if not shapes:
            return
        gl.glEnable(gl.GL_STENCIL_TEST)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glStencilMask(_BIT)
        self._program.use()
        self._program.set(view=camera.matrix)
        gl.glColorMask(gl.GL_FALSE, gl.GL_FALSE, gl.GL_FALSE, gl.GL_FALSE)
        gl.glStencilFunc(gl.GL_ALWAYS, _BIT, _BIT)
        gl.glStencilOp(gl.GL_KEEP, gl.GL_KEEP, gl.GL_REPLACE)
        self._draw(shapes, (0.0, 0.0))
        gl.glColorMask(gl.GL_TRUE, gl.GL_TRUE, gl.GL_TRUE, gl.GL_TRUE)
        gl.glStencilFunc(gl.GL_NOTEQUAL, _BIT, _BIT)
        gl.glStencilOp(gl.GL_KEEP, gl.GL_KEEP, gl.GL_KEEP)
        width, height = camera.size
        for units, color in _RINGS:
            self._program.set(ink=color)
            pixels = camera.scale * units
            for x, y in _AROUND:
                self._draw(shapes, (2.0 * pixels * x / width, 2.0 * pixels * y / height))
        gl.glStencilMask(0xFF)
        gl.glDisable(gl.GL_STENCIL_TEST)
        gl.glEnable(gl.GL_DEPTH_TEST)

    def drop(self, is_gone: Callable[[Look], bool]) -> None:
        """Give back what is kept for some looks."""
        for look in [look for look in self._instances if is_gone(look)]:
            self._instances.pop(look).delete()

    def _shapes(self, rows: DrawList, mesh: Callable[[Look], MeshBuffer]) -> Iterator[Instances]:
        for look, selected in rows.selected():
            if look not in self._instances:
                self._instances[look] = Instances(mesh(look), INSTANCE)
            self._instances[look].rows.write(selected)
            yield self._instances[look]

    def _draw(self, shapes: Sequence[Instances], shift: tuple[float, float]) -> None:
        self._program.set(shift=shift)
        for shape in shapes:
            shape.draw(self._program)
