"""Scenes of a run, by the layouts of its states."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView

_MOST = 32


class KnownScenes:
    """The newest scenes of one run; another run has other scenes by the same numbers."""

    def __init__(self) -> None:
        self._scenes: dict[int, SceneView] = {}

    def add(self, scene: "SceneView | None") -> None:
        """Keep a scene, in the place of an older one of its generation."""
        if scene is not None and scene is not self._scenes.get(scene.generation):
            self._scenes[scene.generation] = scene
            if len(self._scenes) > _MOST:
                self._scenes.pop(min(self._scenes))

    def forget_all_but(self, scene: "SceneView | None") -> None:
        """Keep only the scene of a run that begins."""
        self._scenes.clear()
        self.add(scene)

    def of(self, state: "State", otherwise: "SceneView | None") -> "SceneView | None":
        """Return what there was at a state, or something else where that is not known."""
        return self._scenes.get(state.raw.generation, otherwise)
