"""Soft parts of the picture: coils of springs, and skins of cloths and soft bodies."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.drawlist import INSTANCE, DrawList
from coopsim.features.desktop.gl.buffers import Instances, MeshBuffer
from coopsim.features.desktop.poses import turned
from coopsim.features.desktop.ribbons import RIBBON
from coopsim.features.pictures.drawing_model import AROUND, COIL_SHARE, COILS, SPRING, STRAIGHT, WIDEST_COIL
from coopsim.geometry import Floats
from coopsim.state import JointRow

if TYPE_CHECKING:
    from coopsim.features.desktop.model import SceneModel

_WIDTH = 2.0  # pixels, of the wire of a spring


def spring_ribbons(springs: Iterable[JointRow], poses: Mapping[str, Floats]) -> NDArray[np.void]:
    """Return rows of `RIBBON` for springs whose bodies are known.

    Args:
        springs: With the places where they are held.
        poses: Of bodies, by name, each of shape (7,).
    """
    ends = [
        (_world_point(poses[spring.a], spring.anchor), _world_point(poses[spring.b], spring.far_anchor))
        for spring in springs
        if spring.anchor is not None and spring.far_anchor is not None and spring.a in poses and spring.b in poses
    ]
    lines = [coil(begin, end) for begin, end in ends]
    ribbons = np.zeros(sum(len(line) - 1 for line in lines), RIBBON)
    if lines:
        ribbons["r_begin"] = np.concatenate([line[:-1] for line in lines])
        ribbons["r_end"] = np.concatenate([line[1:] for line in lines])
        ribbons["r_color"], ribbons["r_fade"], ribbons["r_width"] = SPRING, 1.0, _WIDTH
    return ribbons


def coil(begin: Floats, end: Floats) -> Floats:
    """Return points of a coil between two places, which it begins and ends at, shape (n, 3) [m]."""
    way = end - begin
    length = float(np.linalg.norm(way))
    along = way / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    aside = np.cross(along, np.eye(3)[int(np.abs(along).argmin())])
    aside /= np.linalg.norm(aside)
    angles = np.linspace(0.0, 2.0 * np.pi * COILS, COILS * AROUND + 1)[:, np.newaxis]
    radius = min(WIDEST_COIL, COIL_SHARE * length)
    around = radius * (np.cos(angles) * aside + np.sin(angles) * np.cross(along, aside))
    shares = np.linspace(STRAIGHT, 1.0 - STRAIGHT, len(angles))[:, np.newaxis]
    inner: Floats = begin + shares * way + around
    return np.concatenate([begin[np.newaxis], inner, end[np.newaxis]])


def _world_point(pose: Floats, local: tuple[float, float, float] | None) -> Floats:
    place: Floats = pose[:3] + turned(pose[np.newaxis, 3:], np.array([local], float))[0]
    return place


# Cloths and soft bodies in the memory of the graphics card: meshes that are written anew for each picture.
class SkinBuffers:
    """The skins of the model that is drawn."""

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
