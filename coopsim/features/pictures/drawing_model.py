"""Drawing model: what windows, pages and pictures say of rays, sightings, touch, ways, springs and names.

It is said once, here and in the palette: whoever draws takes sizes and colours from them, and pages get them with the
facts of a scene.
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from coopsim.features.pictures.drawn_sensors import RangeRing
from coopsim.features.pictures.lights import UNLIT
from coopsim.features.pictures.palette import SERIES, SERIES_ON_PAPER
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.state import EntityRow

NEAR, MIDDLE, NOTHING = (226, 92, 20, 215), (40, 150, 190, 150), (90, 120, 150, 60)
"""Colours of rays that end within the nearest third of the reach, beyond it, and nowhere: red, green, blue, opacity."""
CLOSE, FREE = 1.0 / 3.0, 0.999
"""Shares of the reach: below the first a ray warns, above the second it met nothing."""
# orange for contact, pink for sight; distinct for the colour-blind, too
TOUCHED, SEEN = (226, 92, 20, 255), (204, 121, 167, 190)
RAY_FADE, SIGHT_FADE = 0.35, 0.25
"""Opacity where a line leaves its robot, as a share of that at its end."""
MOST_SENSED = 300
"""Robots of a type whose sensors are drawn; of more they would hide everything else."""
ARC = np.linspace(-1.15, 1.15, 13)
"""Directions of the touched half of a hull [rad]."""
TOUCH_RADIUS = 1.08
"""Of the hull: the arc of a touch lies around it."""
TRAIL_POINTS, MOST_TRAILS = 160, 200
"""Of a way; robots whose ways are drawn: those of more would cover the floor."""
TRAIL_OPACITY = 235
LIFTED = 0.012
"""Ways lie so high above the floor [m]."""
COILS, AROUND, STRAIGHT = 10, 10, 0.12
"""Of a spring: turns, points of each, share of its length at either end that is straight."""
WIDEST_COIL, COIL_SHARE = 0.05, 0.12
"""Radius of the turns of a spring: at most [m], and as a share of its length."""
SPRING = (70, 78, 92, 255)
_NAMED: Final = ("robot", "target")


def is_named(row: "EntityRow") -> bool:
    """Return whether the name of an entity is written beside it."""
    return row.kind in _NAMED and not row.is_wall and not row.whole


def hulls(sizes: Floats) -> tuple[Floats, Floats]:
    """Return radii of hulls, and half of their heights.

    Args:
        sizes: Length, width and height of robots, shape (n, 3) [m].
    """
    return 0.5 * sizes[:, :2].max(axis=1, initial=0.0), 0.5 * sizes[:, 2]


def ray_begins(ring: RangeRing, sizes: Floats) -> tuple[Floats, Floats]:
    """Return where the rays of each robot begin: how far from the ring's mount and how high, both of shape (n,) [m].

    Args:
        ring: Their device.
        sizes: Length, width and height of the robots, shape (n, 3) [m].
    """
    radii, middles = hulls(sizes)
    is_at_hull, has_height = ring.mount is None, ring.height != 0.0
    return radii if is_at_hull else np.zeros(len(radii)), np.full(len(radii), ring.height) if has_height else middles


def style() -> dict[str, Any]:
    """Return the model as pages get it: colours 0 to 1, lengths [m], angles [rad]."""
    return {
        "rays": [_shares(color) for color in (NEAR, MIDDLE, NOTHING)],
        "close": CLOSE,
        "free": FREE,
        "rayFade": RAY_FADE,
        "seen": _shares(SEEN),
        "sightFade": SIGHT_FADE,
        "touched": _shares(TOUCHED),
        "arc": [round(float(angle), 4) for angle in ARC],
        "touchRadius": TOUCH_RADIUS,
        "trailPoints": TRAIL_POINTS,
        "trailOpacity": round(TRAIL_OPACITY / 255.0, 3),
        "mostTrails": MOST_TRAILS,
        "lifted": LIFTED,
        "unlit": UNLIT,
        "spring": {
            "color": _shares(SPRING),
            "coils": COILS,
            "around": AROUND,
            "straight": STRAIGHT,
            "widest": WIDEST_COIL,
            "share": COIL_SHARE,
        },
        "series": [list(color) for color in SERIES],
        "seriesOnPaper": [[round(channel, 4) for channel in color] for color in SERIES_ON_PAPER],
    }


def _shares(color: tuple[int, int, int, int]) -> list[float]:
    return [round(channel / 255.0, 4) for channel in color]
