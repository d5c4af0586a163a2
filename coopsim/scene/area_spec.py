"""Areas of the floor, as data."""

from dataclasses import dataclass, field

from coopsim.geometry import Vector3
from coopsim.scene.spans import Span

COLORS: dict[str, Vector3] = {
    "border": (0.93, 0.9, 0.82),
    "region": (0.74, 0.84, 0.68),
    "water": (0.55, 0.75, 0.92),
    "base": (0.95, 0.8, 0.45),
}
"""Of each kind; what stands later is drawn over what stands before."""


AREA_KINDS = tuple(COLORS)


@dataclass(frozen=True, slots=True)
class Area:
    """An `[AREA_n]` section: a part of the floor. Like a target it has no body: it is not hit by rays, nor touched.

    Attributes:
        kind: "border" (of where robots may be), "region", "water" or "base".
        points: Its corners, in order [m].
        color: None = that of its kind.
        is_of_world: Whether it stands in a `.world` file.
    """

    name: str
    kind: str
    points: tuple[tuple[float, float], ...]
    color: Vector3 | None = None
    is_of_world: bool = False
    span: Span = field(default=Span(), compare=False)

    @property
    def corners(self) -> tuple[float, ...]:
        """Numbers x and y of its corners, one after the other [m]."""
        return tuple(coordinate for point in self.points for coordinate in point)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Least x and y, greatest x and y [m]."""
        xs, ys = zip(*self.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
