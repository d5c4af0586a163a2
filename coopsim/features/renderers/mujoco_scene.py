"""Shapes of a scene as geoms of MuJoCo, written all at once for each picture."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.label_rows import MOST
from coopsim.features.desktop.springs import spring_ribbons
from coopsim.features.renderers.mujoco_assets import NOTHING, Assets
from coopsim.features.space.binding import mujoco
from coopsim.geometry import Floats

_SHINE = 0.35
"""Light that selected shapes send themselves."""
_OPAQUE = 255.0
_UNLABELLED = -1


class GeomScene:
    """Geoms of a scene: a row for each shape, then one for each skin, then those of ribbons.

    Args:
        rows: Shapes.
        assets: Their meshes and materials.

    Attributes:
        scene: Of MuJoCo.
    """

    def __init__(self, rows: DrawList, assets: Assets) -> None:
        self._assets, self._model = assets, rows.model
        self._count = len(rows.rows)
        self._base = self._count + len(assets.skins)
        self._new_scene(2 * self._base + 64)

    def _new_scene(self, room: int) -> None:
        self.scene = mujoco.MjvScene(self._assets.model, room)
        self._room, self._geoms = room, self.scene.geoms
        self._positions = self._column("pos", (3,))
        self._turns = self._column("mat", (3, 3))
        self._colors = self._column("rgba", (4,))
        labels = np.minimum(self._model.entity + 1, MOST)
        for row in range(self._count):
            self._prepare(row, int(self._assets.mesh[row]), int(labels[row]))
            self._geoms[row].castshadow = int(self._assets.is_caster[row])
        for number, (mesh, skin) in enumerate(zip(self._assets.skins, self._model.skins, strict=True)):
            self._prepare(self._count + number, mesh, min(int(skin.entities[0]) + 1, MOST))

    def _column(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return a column of all geoms as one array; MuJoCo keeps them one after the other."""
        first, second = getattr(self._geoms[0], name), getattr(self._geoms[1], name)
        stride = second.ctypes.data - first.ctypes.data
        return as_strided(first, (self._room, *shape), (stride, *first.strides))

    def _prepare(self, row: int, mesh: int, label: int) -> None:
        geom = self._geoms[row]
        none = np.zeros(3)
        mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_MESH, none, none, np.eye(3).ravel(), np.ones(4, np.float32))
        geom.dataid, geom.segid, geom.texcoord = 2 * mesh, label - 1, 1  # every second one is a convex hull
        geom.category = mujoco.mjtCatBit.mjCAT_DYNAMIC
        geom.specular, geom.shininess = 0.2, 0.6

    def write(self, rows: DrawList, ribbons: NDArray[np.void], *, grid: bool) -> None:
        """Take over where everything is now, and in which colours."""
        coils = spring_ribbons(self._model.springs, self._model.body_poses) if self._model.springs else ribbons[:0]
        lines = np.concatenate([ribbons, coils])
        if self._base + len(lines) > self._room:
            self._new_scene(2 * (self._base + len(lines)))
        self._write_shapes(rows, grid=grid)
        self._write_skins(rows)
        for number, line in enumerate(lines):
            self._write_line(self._geoms[self._base + number], line)
        self.scene.ngeom = self._base + len(lines)

    def _write_shapes(self, rows: DrawList, *, grid: bool) -> None:
        count, shapes, assets = self._count, rows.rows, self._assets
        self._positions[:count] = shapes["i_position"]
        # places in a mesh are shares of its box
        self._turns[:count] = rotations(shapes["i_rotation"]) * shapes["i_size"][:, np.newaxis, :]
        self._turns[:count][rows.is_hidden] = 0.0
        material = np.where(assets.is_tiled & (not grid), NOTHING, assets.material)
        self._colors[:count] = shapes["i_color"] / np.float32(_OPAQUE)
        self._colors[:count][(material != NOTHING) & ~assets.is_tiled] = 1.0  # the picture has the colours
        for row, (number, is_selected) in enumerate(zip(material.tolist(), rows.is_selected.tolist(), strict=True)):
            geom = self._geoms[row]
            geom.matid, geom.emission = number, _SHINE * is_selected

    def _write_skins(self, rows: DrawList) -> None:
        for number, skin in enumerate(self._model.skins):
            row = self._count + number
            self._assets.write(self._assets.skins[number], skin.mesh(self._model.entity_poses))
            self._positions[row], self._turns[row] = 0.0, np.eye(3) * rows.shows(skin)
            self._colors[row] = np.array(skin.color) / _OPAQUE
            self._geoms[row].emission = _SHINE * rows.mark_of(skin)

    @staticmethod
    def _write_line(geom: Any, line: np.void) -> None:
        none, color = np.zeros(3), (line["r_color"] / np.float32(_OPAQUE)).astype(np.float32)
        color[3] *= 0.5 * (1.0 + float(line["r_fade"]))  # a line of MuJoCo has one opacity
        mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_LINE, none, none, np.eye(3).ravel(), color)
        begin, end = line["r_begin"].astype(float), line["r_end"].astype(float)
        mujoco.mjv_connector(geom, mujoco.mjtGeom.mjGEOM_LINE, float(line["r_width"]), begin, end)
        geom.segid, geom.category, geom.emission = _UNLABELLED, mujoco.mjtCatBit.mjCAT_DECOR, 1.0


def rotations(quaternions: NDArray[np.float32]) -> Floats:
    """Return the matrices of quaternions (w, x, y, z), shape (n, 3, 3)."""
    w, x, y, z = quaternions.astype(float).T
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.array(rows).transpose(2, 0, 1)
