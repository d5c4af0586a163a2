"""Precision of a formation: the places are moved and turned as one to where they fit best.

Source: CoopDynSim, section IV and Fig. 10 (formations that are broken and formed again).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coopsim import plugins
from coopsim.geometry import Floats


@dataclass(frozen=True)
class Formation:
    """Places that robots should keep relative to one another.

    Attributes:
        robots: Their names.
        places: x and y of each in any common frame, shape (n, 2) [m].
    """

    robots: tuple[str, ...]
    places: Floats


def kept_formations(teams: Iterable[tuple[str, Sequence[str], Mapping[str, str]]]) -> tuple[Formation, ...]:
    """Return the places that teams keep, as far as their control laws say them.

    Args:
        teams: What drives a team, its robots, and the settings of that.
    """
    parts = []
    for run, robots, settings in teams:
        law = plugins.load("controllers", run) if run in plugins.registered("controllers") else None
        places = getattr(law, "places", None)
        if places is not None and len(robots) > 1:
            parts.append(Formation(tuple(robots), places(len(robots), dict(settings))))
    return tuple(parts)


def formation_errors(ways: Floats, places: Floats) -> Floats:
    """Return how far the robot that is farthest from its place is from it, at each time, shape (k,) [m].

    Args:
        ways: Where each robot was, shape (k, n, 2) [m].
        places: Where each should be, in any common frame, shape (n, 2) [m].
    """
    seen = ways - ways.mean(axis=1, keepdims=True)
    wanted = places - places.mean(axis=0)
    along = (seen * wanted).sum(axis=(1, 2))
    across = (seen[..., 1] * wanted[:, 0] - seen[..., 0] * wanted[:, 1]).sum(axis=1)
    angle = np.arctan2(across, along)
    cosine, sine = np.cos(angle)[:, np.newaxis], np.sin(angle)[:, np.newaxis]
    x = cosine * wanted[:, 0] - sine * wanted[:, 1]
    y = sine * wanted[:, 0] + cosine * wanted[:, 1]
    errors: Floats = np.hypot(seen[..., 0] - x, seen[..., 1] - y).max(axis=1)
    return errors
