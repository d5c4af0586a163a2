"""Draws a scene with OpenGL: sky, shapes, shadows, ribbons."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from coopsim.errors import BadFile, CoopsimError
from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import INSTANCE, DrawList
from coopsim.features.desktop.gl.buffers import Instances, MeshBuffer, Screen, SkinBuffers, Strips
from coopsim.features.desktop.gl.programs import Program
from coopsim.features.desktop.gl.target import ShadowMap
from coopsim.features.desktop.gl.textures import Texture
from coopsim.features.desktop.looks import own_mesh, texture_pixels
from coopsim.features.desktop.matrices import look_at, orthographic
from coopsim.features.desktop.mesh_source import LocalMeshes, MeshSource
from coopsim.features.desktop.model import Look, SceneModel
from coopsim.features.desktop.outlines import OutlinePainter
from coopsim.features.desktop.quality import Quality, Shadows
from coopsim.features.desktop.ribbons import RIBBON, joined, widened
from coopsim.features.desktop.shapes import LEVELS, MeshData, outline_mesh, shape_mesh
from coopsim.features.desktop.springs import spring_ribbons
from coopsim.geometry import Floats

LIGHT = np.array([0.40, -0.33, 0.85]) / np.linalg.norm([0.40, -0.33, 0.85])
"""Where the light comes from."""
_PICTURE, _SHADOWS = 0, 1
"""Units of textures."""
_WIDEST_MAP = 60.0
"""Greatest reach of the shadows around the middle of what the camera looks at [m]."""
_CASTERS = LEVELS - 1  # flat shadows are outlines: the coarsest mesh will do
_Key = tuple[Look, int]
_SKIN = Look("skin")


class _MeshKey(NamedTuple):
    """Key of a mesh: all that it is made of."""

    shape: str
    file: str
    level: int
    points: tuple[float, ...]
    is_outline: bool


class _Painting(NamedTuple):
    """Ways to paint shapes: each has a program of its own, since a processor does what none of its pixels needs.

    Attributes:
        on: What has the colour: the shape, a picture on it, or tiles.
    """

    is_floor: bool
    is_mapped: bool
    on: Literal["color", "picture", "tiles"]

    def program(self) -> Program:
        part = "floor" if self.is_floor else "solid"
        shadow = "shadow" if self.is_mapped else "no_shadow"
        fragment = ["sky", "daylight", shadow, f"paint_{self.on}", f"{part}_fragment"]
        return Program(["turn", "daylight", f"{part}_vertex"], fragment)


class Renderer:
    """Draws models into what is bound: a window or a target.

    Args:
        tell: Takes what could not be drawn as it should, once for each file.
        source: Of meshes; None = files of this machine.
    """

    def __init__(self, tell: Callable[[str], object], source: MeshSource | None = None) -> None:
        self._tell, self._source = tell, source or LocalMeshes()
        self._version, self._unread = self._source.version, set[str]()
        self._solids: dict[_Painting, Program] = {}
        self._depth = Program(["turn", "depth_vertex"], ["depth_fragment"])
        self._flat = Program(["turn", "flat_shadow_vertex"], ["flat_shadow_fragment"])
        self._labels = Program(["turn", "label_vertex"], ["label_fragment"])
        self._sky = Program(["sky_vertex"], ["sky", "sky_fragment"])
        self._ribbon = Program(["ribbon_vertex"], ["ribbon_fragment"])
        self._screen, self._ribbons = Screen(), Strips(RIBBON)
        self._meshes: dict[_MeshKey, MeshBuffer] = {}
        self._files: dict[str, MeshData] = {}
        self._textures: dict[str, Texture | None] = {}
        self._skins, self._outlines = SkinBuffers(), OutlinePainter()
        self._instances: dict[_Key, Instances] = {}
        self._casters: dict[Look, Instances] = {}
        self._written: tuple[DrawList, int, Shadows] | None = None
        self._map: ShadowMap | None = None
        self._model: SceneModel | None = None

    def draw(
        self,
        rows: DrawList,
        camera: Viewpoint,
        quality: Quality,
        bind: Callable[[], None],
        ribbons: NDArray[np.void] | None = None,
        *,
        grid: bool = True,
    ) -> None:
        """Draw one picture.

        Args:
            rows: What there is.
            camera: That looks; the picture has its size.
            quality: How much work to do.
            bind: Called when the picture itself is begun; shadows are drawn elsewhere before.
            ribbons: Rows of `RIBBON`, drawn over everything else.
            grid: Whether to draw a grid on the floor.
        """
        self._forget(rows.model)
        self._refresh_meshes()
        self._write(rows, camera, quality)
        light_view = np.eye(4)
        if quality.shadows == "mapped":
            light_view = _light_view(rows, camera)
            self._draw_map(light_view, quality)
        bind()
        _begin()
        self._draw_solids(camera, light_view, quality, grid=grid)
        self._draw_sky()
        if quality.shadows == "flat":
            self._draw_flat_shadows(camera)
        self._outlines.draw(rows, camera, lambda look: self._mesh(look, 0))
        model = rows.model
        coils = [widened(spring_ribbons(model.springs, model.body_poses), camera.scale)] if model.springs else []
        lines = joined([*coils, *([] if ribbons is None else [ribbons])])
        if len(lines):
            self._draw_ribbons(camera, lines)
        gl.glBindVertexArray(0)

    def draw_labels(self, rows: DrawList, camera: Viewpoint, quality: Quality, bind: Callable[[], None]) -> None:
        """Draw one picture of plain colours: shapes have those of their rows, whatever light falls on them.

        Args:
            rows: What there is, with a colour for each label.
            camera: That looks.
            quality: How finely shapes are drawn.
            bind: Called when the picture is begun.
        """
        self._forget(rows.model)
        self._refresh_meshes()
        for look, level, drawn_rows in rows.visible(camera, quality.detail):
            self._instances_of(look, level).rows.write(drawn_rows)
        self._skins.write(rows)
        bind()
        _begin()
        gl.glDisable(gl.GL_STENCIL_TEST)  # its last function is that of shadows
        gl.glEnable(gl.GL_CULL_FACE)
        self._labels.use()
        self._labels.set(view=camera.matrix)
        for instance in (*self._instances.values(), *self._skins.drawn):
            instance.draw(self._labels)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glBindVertexArray(0)

    def delete(self) -> None:
        """Give the memory of the graphics card back."""
        self._clear()
        self._skins.delete()
        self._ribbons.delete()
        for mesh in self._meshes.values():
            mesh.delete()
        for texture in self._textures.values():
            if texture is not None:
                texture.delete()
        if self._map is not None:
            self._map.delete()
        self._meshes, self._textures, self._map = {}, {}, None

    # what the graphics card holds

    def _forget(self, model: SceneModel) -> None:
        """Give back what only the last model needed."""
        if model is not self._model:
            looks = set(model.looks)
            self._drop(lambda look: look not in looks)
            self._model, self._written = model, None

    def _drop(self, is_gone: Callable[[Look], bool]) -> None:
        """Give back what is kept for some looks."""
        self._outlines.drop(is_gone)
        for key in [key for key in self._instances if is_gone(key[0])]:
            self._instances.pop(key).delete()
        for look in [look for look in self._casters if is_gone(look)]:
            self._casters.pop(look).delete()

    def _clear(self) -> None:
        self._outlines.drop(lambda _: True)
        for instances in (*self._instances.values(), *self._casters.values()):
            instances.delete()
        self._instances, self._casters, self._model, self._written = {}, {}, None, None

    def _write(self, rows: DrawList, camera: Viewpoint, quality: Quality) -> None:
        for look, level, drawn_rows in rows.visible(camera, quality.detail):
            self._instances_of(look, level).rows.write(drawn_rows)
        self._skins.write(rows)
        written = rows, rows.version, quality.shadows
        if quality.shadows != "off" and self._written != written:  # they are the same for all cameras
            self._written = written
            for look, cast_rows in rows.casters():
                if look not in self._casters:
                    level = 0 if quality.shadows == "mapped" else _CASTERS
                    self._casters[look] = Instances(self._mesh(look, level, is_outline=True), INSTANCE)
                self._casters[look].rows.write(cast_rows)

    def _instances_of(self, look: Look, level: int) -> Instances:
        instances = self._instances.get((look, level))
        if instances is None:
            instances = self._instances[look, level] = Instances(self._mesh(look, level), INSTANCE)
        return instances

    def _mesh(self, look: Look, level: int, *, is_outline: bool = False) -> MeshBuffer:
        key = _MeshKey(look.shape, look.mesh, level if look.shape != "mesh" else 0, look.points, is_outline)
        if key not in self._meshes:
            data = self._mesh_data(look, key.level)
            self._meshes[key] = MeshBuffer(outline_mesh(data) if is_outline else data)
        return self._meshes[key]

    def _mesh_data(self, look: Look, level: int) -> MeshData:
        return own_mesh(look, level) or self._file(look.mesh)

    def _file(self, file: str) -> MeshData:
        """Return the mesh in a file; it is drawn, and casts its shadow."""
        if file not in self._files:
            self._files[file] = self._found(file)
        return self._files[file]

    def _found(self, file: str) -> MeshData:
        """Return the mesh in a file, a box where there is none, or none yet."""
        try:
            return self._source.find(file) or shape_mesh("box", 0)
        except CoopsimError as problem:
            if str(problem) not in self._unread:
                self._unread.add(str(problem))
                self._tell(f"{problem}; its box is drawn instead")
            return shape_mesh("box", 0)

    def _refresh_meshes(self) -> None:
        """Draw meshes that came since, or became others, in the place of what is drawn for them."""
        if self._version == self._source.version:
            return
        self._version = self._source.version
        changed = {file for file, mesh in self._files.items() if self._found(file) is not mesh}
        for file in changed:
            del self._files[file]
        self._drop(lambda look: look.mesh in changed)
        for outdated in [mesh for mesh in self._meshes if mesh.file in changed]:
            self._meshes.pop(outdated).delete()
        self._written = None

    def _texture(self, file: str) -> Texture | None:
        if file not in self._textures:
            try:
                self._textures[file] = Texture(texture_pixels(file))
            except BadFile as problem:
                self._tell(f"{problem}; its colour is drawn instead")
                self._textures[file] = None
        return self._textures[file]

    @property
    def _shadowing(self) -> list[Instances]:
        """Shapes that cast shadows."""
        return [*self._casters.values(), *self._skins.drawn]

    # parts of the picture

    def _draw_map(self, light_view: Floats, quality: Quality) -> None:
        if self._map is None or self._map.side != quality.map_size:
            if self._map is not None:
                self._map.delete()
            self._map = ShadowMap(quality.map_size)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(gl.GL_TRUE)
        self._map.begin()
        self._depth.use()
        self._depth.set(view=light_view)
        for shadow in self._shadowing:
            shadow.draw(self._depth)

    def _draw_solids(self, camera: Viewpoint, light_view: Floats, quality: Quality, *, grid: bool) -> None:
        is_mapped = quality.shadows == "mapped" and self._map is not None
        if self._map is not None:
            gl.glActiveTexture(gl.GL_TEXTURE0 + _SHADOWS)
            gl.glBindTexture(gl.GL_TEXTURE_2D, self._map.texture)
        gl.glEnable(gl.GL_CULL_FACE)
        for is_floor in (False, True):  # floors last: most of them is behind something
            # flat shadows are drawn where a floor has left its mark
            gl.glStencilFunc(gl.GL_ALWAYS, int(is_floor), 0xFF)
            things = [(look, instance) for (look, _), instance in self._instances.items() if instance.rows.count]
            things += [(_SKIN, skin) for skin in self._skins.drawn]
            ready: set[Program] = set()
            for look, instances in things:
                if look.is_floor == is_floor:
                    program = self._painting(look, is_mapped=is_mapped, grid=grid)
                    if program not in ready:
                        ready.add(program)
                        program.use()
                        program.set(view=camera.matrix, light_view=light_view, eye=camera.eye, light=LIGHT)
                        program.set(picture=_PICTURE, shadow_map=_SHADOWS)
                    program.use()
                    instances.draw(program)
        gl.glDisable(gl.GL_CULL_FACE)

    def _painting(self, look: Look, *, is_mapped: bool, grid: bool) -> Program:
        """Return what paints a look; its picture is bound."""
        texture = self._texture(look.texture) if look.texture else None
        if texture is not None:
            texture.bind(_PICTURE)
        is_tiled = look.is_floor and grid
        way = _Painting(look.is_floor, is_mapped, "picture" if texture else "tiles" if is_tiled else "color")
        if way not in self._solids:
            self._solids[way] = way.program()
        return self._solids[way]

    def _draw_sky(self) -> None:
        gl.glStencilFunc(gl.GL_ALWAYS, 0, 0xFF)
        self._sky.use()
        gl.glDepthFunc(gl.GL_LEQUAL)
        self._screen.draw()
        gl.glDepthFunc(gl.GL_LESS)

    def _draw_flat_shadows(self, camera: Viewpoint) -> None:
        _blend()
        gl.glStencilFunc(gl.GL_EQUAL, 1, 0xFF)
        gl.glStencilOp(gl.GL_KEEP, gl.GL_KEEP, gl.GL_INCR)  # each pixel once
        self._flat.use()
        self._flat.set(view=camera.matrix, light=LIGHT)
        gl.glEnable(gl.GL_CULL_FACE)  # sides that the light meets cover all that the others do
        for shadow in self._shadowing:
            shadow.draw(self._flat)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_STENCIL_TEST)
        _blend_no_more()

    def _draw_ribbons(self, camera: Viewpoint, ribbons: NDArray[np.void]) -> None:
        _blend()
        gl.glDisable(gl.GL_STENCIL_TEST)
        self._ribbon.use()
        self._ribbon.set(view=camera.matrix, size=camera.size)
        self._ribbons.rows.write(ribbons)
        self._ribbons.draw(self._ribbon)
        _blend_no_more()


def _light_view(rows: DrawList, camera: Viewpoint) -> Floats:
    """Return the matrix from the world to what the light sees: everything, or what is near what the camera looks at."""
    low, high = rows.bounds()
    middle, half = (low + high) / 2.0, float(np.linalg.norm(high - low)) / 2.0 + 0.2
    reach = min(_WIDEST_MAP, 1.5 * camera.distance)
    if half > reach:
        middle, half = camera.centre, reach
    return orthographic(half, 0.0, 4.0 * half) @ look_at(middle + 2.0 * half * LIGHT, middle)


def _begin() -> None:
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glDepthMask(gl.GL_TRUE)
    gl.glDepthFunc(gl.GL_LESS)
    gl.glDisable(gl.GL_BLEND)
    gl.glEnable(gl.GL_STENCIL_TEST)
    gl.glStencilMask(0xFF)
    gl.glStencilOp(gl.GL_KEEP, gl.GL_KEEP, gl.GL_REPLACE)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)


def _blend() -> None:
    gl.glEnable(gl.GL_BLEND)
    gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    gl.glDepthMask(gl.GL_FALSE)


def _blend_no_more() -> None:
    gl.glDisable(gl.GL_BLEND)
    gl.glDepthMask(gl.GL_TRUE)
