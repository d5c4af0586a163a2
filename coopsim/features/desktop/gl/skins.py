"""Cloths and soft bodies in the memory of the graphics card: meshes that are written anew for each picture."""

import numpy as np

from coopsim.features.desktop.drawlist import INSTANCE, DrawList
from coopsim.features.desktop.gl.buffers import Instances, MeshBuffer
from coopsim.features.desktop.model import SceneModel


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
            row["i_rotation"], row["i_size"], row["i_color"] = (1.0, 0.0, 0.0, 0.0), 1.0, skin.color
            row["i_mark"] = rows.mark_of(skin)
            instance.rows.write(row)

    @property
    def drawn(self) -> list[Instances]:
        """What is drawn of them."""
        return [instance for _, instance in self._skins]

    def delete(self) -> None:
        """Give their memory back."""
        for mesh, instance in self._skins:
            instance.delete()
            mesh.delete()
        self._skins, self._model = [], None
