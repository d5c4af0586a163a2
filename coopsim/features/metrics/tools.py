"""Metrics of the precision of tools of arms."""

import numpy as np

from coopsim.geometry import Floats
from coopsim.interfaces import TOOL
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue


class _ToolGap:
    """Smallest distance of tools from each target: mean of the targets, and the worst one [m]."""

    def __init__(self) -> None:
        self._nearest: dict[str, float] = {}

    def add(self, piece: RunArrays) -> None:
        targets = {row.name: np.array(row.pose[:3]) for row in piece.entities.values() if row.kind == "target"}
        for robot in piece.robots if targets else ():
            ways = [
                _way(piece, robot, module.name) for _, _, module in piece.modules(robot) if module.interface is TOOL
            ]
            for way in ways[:1]:
                self._measure(way, targets)

    def _measure(self, way: Floats, targets: dict[str, Floats]) -> None:
        for name, place in targets.items():
            away = np.linalg.norm(way - place, axis=1)
            away = away[np.isfinite(away)]
            self._nearest[name] = min(self._nearest.get(name, np.inf), float(away.min(initial=np.inf)))

    def value(self) -> MetricValue:
        gaps = [gap for gap in self._nearest.values() if np.isfinite(gap)]
        return {"mean": float(np.mean(gaps)), "max": max(gaps)} if gaps else None


def _way(piece: RunArrays, robot: str, module: str) -> Floats:
    """Return where a tool was in the frame of the world, shape (k, 3) [m]."""
    base, own = piece.poses(robot), piece.reading(robot, module, "position")
    axis, twice = base[:, 4:], 2.0 * np.cross(base[:, 4:], own)
    way: Floats = base[:, :3] + own + base[:, 3:4] * twice + np.cross(axis, twice)
    return way


tool_gap = FoldingMetric(_ToolGap)
