"""Poses of bodies between two states of the stream."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coopsim.features.desktop.link import StateSample
from coopsim.features.desktop.poses import between
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView


# a state that comes a fifth of an interval late is still there when it is needed
_LATE = 1.2
"""Intervals of the stream that pictures are behind it."""
_LONGEST = 0.25  # s; a later picture would feel late to a driver


def played_out(samples: Sequence[StateSample], now: float) -> tuple[tuple[str, ...], Floats] | None:
    """Return names and poses of the bodies at an instant, None where no state came yet.

    Pictures are a little more than one interval behind the stream, so that there is always a state after them.

    Args:
        samples: Newest states, the last one last.
        now: By the monotonic clock [s].
    """
    if not samples:
        return None
    last = samples[-1]
    if len(samples) < 2:
        return last.state.names, last.state.poses
    interval = (last.arrived - samples[0].arrived) / (len(samples) - 1)
    instant = now - min(_LONGEST, _LATE * interval)
    after = next((number for number, sample in enumerate(samples) if sample.arrived >= instant), None)
    if after is None or after == 0:
        sample = last if after is None else samples[0]
        return sample.state.names, sample.state.poses
    earlier, later = samples[after - 1], samples[after]
    if not _is_same(earlier, later):
        return later.state.names, later.state.poses
    share = (instant - earlier.arrived) / max(1e-9, later.arrived - earlier.arrived)
    return later.state.names, between(earlier.state.poses, later.state.poses, share)


def _is_same(earlier: StateSample, later: StateSample) -> bool:
    """Return whether bodies went from one to the other: no scene was changed, and no time was jumped over."""
    same = earlier.state.raw.generation == later.state.raw.generation
    return same and abs(later.state.time - earlier.state.time) < 1.0


# Scenes of a run, by the layouts of its states.
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
