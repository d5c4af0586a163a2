"""Meshes and textures of a scene as a model of MuJoCo, which holds nothing else."""

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadFile, CannotDraw, CoopsimError
from coopsim.features.desktop.drawlist import FLAT
from coopsim.features.desktop.looks import own_mesh, texture_pixels
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.model import Look, SceneModel
from coopsim.features.desktop.shapes import MeshData, shape_mesh
from coopsim.features.space.binding import mujoco
from coopsim.geometry import Ints

LEVEL = 1
"""Detail of round shapes: 32 sides, which show no corners in images of cameras."""
NOTHING = -1
"""Number of no material."""
_FEWEST_VERTICES = 4  # MuJoCo refuses meshes with less
_TILE = 128
"""Side of the picture of a tile of the floor, one metre [pixels]."""
# the colours of the built-in renderer: two kinds of tiles, lines between them, the sky at its lower and upper end
_PALE, _DARK, _LINE = (0.975, 0.985, 1.0), (0.925, 0.945, 0.975), (0.80, 0.83, 0.87)
_HORIZON, _ZENITH = (0.80, 0.845, 0.90), (0.36, 0.47, 0.63)
_SKY_SIDE = 64
_TILES: Final = "tiles"
_Size = tuple[float, float, float]


class _Key(NamedTuple):
    """Key of a mesh.

    Attributes:
        size: Of the box, where places on the picture follow from it: those of tiles; else one metre.
    """

    look: Look
    size: _Size


class Assets:
    """Meshes and textures that a scene needs, compiled.

    Args:
        scene: What there is.
        tell: Takes what could not be read, once for each file.
        source: Of meshes in files.

    Attributes:
        model: Of MuJoCo.
        mesh: Number of the mesh of each shape, shape (n,).
        material: Number of the material of each shape, `NOTHING` = its colour alone, shape (n,).
        is_caster: Whether shapes cast shadows, shape (n,): not what lies on others, which would shade itself.
        is_tiled: Whether the material of shapes is that of the grid, shape (n,).
        skins: Numbers of the meshes of cloths and soft bodies, which are written anew for each picture.

    Raises:
        CannotDraw: MuJoCo refuses a mesh.
    """

    def __init__(self, scene: SceneModel, tell: Callable[[str], object], source: MeshSource) -> None:
        self._tell, self._source, self._spec = tell, source, mujoco.MjSpec()
        self._meshes: list[MeshData] = []
        self._materials: dict[str, int] = {}
        self._add_sky()
        self._add_texture(_TILES)
        self.mesh: Ints = np.zeros(len(scene.entity), np.int64)
        self.material: Ints = np.full(len(scene.entity), NOTHING)
        self.is_caster = np.zeros(len(scene.entity), bool)
        self.is_tiled = np.zeros(len(scene.entity), bool)
        for look, rows in scene.looks.items():
            self._add_look(look, scene, rows)
        self.skins = [self._add_mesh(skin.mesh(scene.entity_poses)) for skin in scene.skins]
        try:
            self.model = self._spec.compile()
        except ValueError as problem:
            raise CannotDraw(f"MuJoCo refuses a mesh of this scene: {problem}").advise("") from None
        for number, mesh in enumerate(self._meshes):
            self.write(number, mesh)

    def write(self, number: int, mesh: MeshData) -> None:
        """Give a mesh other places, as many as before.

        The compiler of MuJoCo has moved vertices into the frame of inertia, which nobody needs here.
        """
        model, count = self.model, len(mesh.vertices)
        first, first_normal = int(model.mesh_vertadr[number]), int(model.mesh_normaladr[number])
        model.mesh_vert[first : first + count] = mesh.vertices["position"]
        model.mesh_normal[first_normal : first_normal + count] = mesh.vertices["normal"]

    def _add_look(self, look: Look, scene: SceneModel, rows: Ints) -> None:
        is_tiled = look.is_floor and not look.texture
        numbers: dict[_Size, int] = {}
        for row in rows.tolist():
            size = tuple(scene.size[row].tolist()) if is_tiled else (1.0, 1.0, 1.0)
            if size not in numbers:
                numbers[size] = self._add_mesh(self._mesh_of(_Key(look, size), is_tiled=is_tiled))
            self.mesh[row] = numbers[size]
        self.material[rows] = self._add_texture(_TILES if is_tiled else look.texture)
        self.is_tiled[rows], self.is_caster[rows] = is_tiled, not look.is_floor and look.shape not in FLAT

    def _mesh_of(self, key: _Key, *, is_tiled: bool) -> MeshData:
        mesh = own_mesh(key.look, LEVEL) or self._from_file(key.look.mesh)
        if not is_tiled:
            return mesh
        vertices = mesh.vertices.copy()
        vertices["place"] = vertices["position"][:, :2] * np.array(key.size[:2]) / 2.0  # the picture has two tiles
        return MeshData(vertices, mesh.triangles)

    def _from_file(self, file: str) -> MeshData:
        try:
            return self._source.find(file) or shape_mesh("box", 0)
        except CoopsimError as problem:
            self._tell(f"{problem}; its box is drawn instead")
            return shape_mesh("box", 0)

    def _add_mesh(self, data: MeshData) -> int:
        missing = max(0, _FEWEST_VERTICES - len(data.vertices))
        vertices = np.concatenate([data.vertices, np.repeat(data.vertices[-1:], missing)])
        faces = data.triangles.astype(np.int32).ravel()
        mesh = self._spec.add_mesh(name=f"mesh{len(self._meshes)}")
        mesh.uservert = vertices["position"].astype(float).ravel()
        mesh.usernormal = vertices["normal"].astype(float).ravel()
        mesh.usertexcoord = vertices["place"].astype(float).ravel()
        mesh.userface = mesh.userfacenormal = mesh.userfacetexcoord = faces
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # flat ones have no volume
        # without a geom that has it, the compiler would drop it
        self._spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name, contype=0, conaffinity=0, mass=0.0
        )
        self._meshes.append(MeshData(vertices, data.triangles))
        return len(self._meshes) - 1

    def _add_texture(self, name: str) -> int:
        """Return the number of the material with a texture, `NOTHING` where there is none."""
        if not name or name in self._materials:
            return self._materials.get(name, NOTHING)
        try:
            pixels = _tiles() if name == _TILES else texture_pixels(name)
        except BadFile as problem:
            self._tell(f"{problem}; its colour is drawn instead")
            self._materials[name] = NOTHING
            return NOTHING
        number = sum(material != NOTHING for material in self._materials.values())
        height, width, _ = pixels.shape
        texture = self._spec.add_texture(name=f"texture{number}", type=mujoco.mjtTexture.mjTEXTURE_2D)
        texture.width, texture.height, texture.nchannel = width, height, 3
        texture.data = np.ascontiguousarray(pixels).tobytes()
        material = self._spec.add_material(name=f"material{number}")
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture.name
        self._materials[name] = number
        return number

    def _add_sky(self) -> None:
        sky = self._spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX)
        sky.builtin, sky.width, sky.height = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, _SKY_SIDE, 6 * _SKY_SIDE
        sky.rgb1, sky.rgb2 = _ZENITH, _HORIZON


@cache
def _tiles() -> NDArray[np.uint8]:
    """Return four tiles of the floor, red, green and blue, shape (height, width, 3)."""
    picture = np.empty((2 * _TILE, 2 * _TILE, 3))
    y, x = np.mgrid[0 : 2 * _TILE, 0 : 2 * _TILE] // _TILE
    picture[(x + y) % 2 == 0], picture[(x + y) % 2 == 1] = _PALE, _DARK
    picture[::_TILE], picture[:, ::_TILE] = _LINE, _LINE
    return np.rint(255.0 * picture).astype(np.uint8)
