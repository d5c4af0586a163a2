"""Poses of bodies between two states of the stream."""

from collections.abc import Sequence

from coopsim.features.desktop.link import StateSample
from coopsim.features.desktop.poses import between
from coopsim.geometry import Floats

_LATE = 1.2
"""Intervals of the stream that pictures are behind it."""
_LONGEST = 0.25


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
        found = last if after is None else samples[0]
        return found.state.names, found.state.poses
    earlier, later = samples[after - 1], samples[after]
    if not _is_same(earlier, later):
        return later.state.names, later.state.poses
    share = (instant - earlier.arrived) / max(1e-9, later.arrived - earlier.arrived)
    return later.state.names, between(earlier.state.poses, later.state.poses, share)


def _is_same(earlier: StateSample, later: StateSample) -> bool:
    """Return whether bodies went from one to the other: no scene was changed, and no time was jumped over."""
    same = earlier.state.raw.generation == later.state.raw.generation
    return same and abs(later.state.time - earlier.state.time) < 1.0
