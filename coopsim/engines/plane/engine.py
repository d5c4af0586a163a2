"""Base class of engines whose bodies move in the plane."""

from collections.abc import Sequence

import numpy as np

from coopsim.engines.base import EngineBase
from coopsim.engines.contract import BodySpec
from coopsim.engines.plane.checks import check_added
from coopsim.engines.plane.footprints import check_planar
from coopsim.engines.plane.kernels import to_poses
from coopsim.geometry import Floats

_LEVEL = [0, 1, 5]  # columns of a twist that a body in the plane has


class PlaneEngine(EngineBase):
    """An engine whose bodies keep their height and their upright posture."""

    _before: Floats

    @property
    def accelerations(self) -> Floats:
        """Change of `twists` in the last step, 0 where bodies came, went or were put elsewhere since, shape (n, 6)."""
        accelerations = np.zeros((len(self.names), 6))
        if self._elapsed > 0.0:
            accelerations[:, _LEVEL] = (self.planar[:, 3:] - self._before) / self._elapsed
        return accelerations

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date; whoever reads them has it done."""
        self._is_stale = False
        to_poses(self.planar, self.height, self._poses, self._twists)

    def check(self, body: BodySpec) -> None:
        """Refuse a body that the engine cannot hold.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
        """
        check_planar(body, self.kind)

    def _check_all(self, bodies: Sequence[BodySpec], names: set[str]) -> None:
        """Refuse bodies that cannot join those of `names`, before the first is added: all or none."""
        for body in bodies:
            check_added(body, body.name in names, len(names), self.kind)
            names.add(body.name)  # two of one name may come together
