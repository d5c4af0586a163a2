"""Lists of near shapes kept from tick to tick: rays read the same bits as without any list."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ray_scenes import body, box

from coopsim.engines import BodySpec
from coopsim.geometry import Floats
from coopsim.sensing import ray_head, ray_lists
from coopsim.sensing.rays import RayCaster

TICKS = 60
SECTORS = 11
BEARINGS = np.linspace(-1.9, 1.9, SECTORS * 13)


class Crowd:
    """Bodies on a grid, a caster that keeps lists of them, and one that keeps none."""

    def __init__(
        self, seed: int, count: int = 64, spacing: float = 0.8, kind: str = "", reach: float = 3.0, wide: float = 0.3
    ) -> None:
        self.random = random = np.random.default_rng(seed)
        side = math.ceil(math.sqrt(count))
        kinds = [kind or ("cylinder", "box", "sphere")[k % 3] for k in range(count)]
        moving: list[BodySpec] = [
            body(f"b{k:03}", spacing * (k % side), spacing * (k // side), kind=kinds[k], size=(0.4, 0.3, 0.3))
            if kinds[k] == "box"
            else body(f"b{k:03}", spacing * (k % side), spacing * (k // side), kind=kinds[k], size=(wide, wide, 0.3))
            for k in range(count)
        ]
        bodies = [*moving, box("wall", -1.0, 2.0, 0.1, 9.0), body("ship", 20.0, 20.0, size=(9.0, 9.0, 0.3))]
        names = [spec.name for spec in bodies if spec.mass]
        self.planar = np.zeros((len(names), 6))
        self.planar[:, :2] = [spec.pose[:2] for spec in bodies if spec.mass]
        self.planar[:, 2] = random.uniform(-9, 9, len(names))
        self.height, self.rows = np.zeros(len(names)), np.arange(count)
        self.reach, self.ring = np.full(count, reach), np.zeros(count)
        self.listing, self.plain = (RayCaster(bodies, names, self.planar) for _ in range(2))
        self.seen = np.zeros((count, 2 * SECTORS))[:, ::2]
        self.ranges_without_lists()
        self.listing._reach = self.plain._reach
        self.listing._lay(self.planar)
        at = SimpleNamespace(planar=self.planar, height=self.height)
        # of the bodies of an engine rays know places and heights alone
        calls: Any = self.listing.calls(at, self.rows, BEARINGS, (self.reach, self.ring), self.seen)  # type: ignore[arg-type]
        (self.call,) = calls.calls
        self.lists: Floats = self.call.arguments[4][-1]

    def ranges_without_lists(self) -> Floats:
        """Return what is seen without lists."""
        seen = np.full((len(self.rows), SECTORS), np.nan)
        self.plain.begin()
        self.plain.cast(self.planar, self.height, self.rows, BEARINGS, self.reach, seen, self.ring)
        return seen

    def compare(self) -> float:
        """Compare what is seen with lists and without; return which part of the lists is made anew."""
        self.listing.begin()
        assert self.call.kernel(*self.call.arguments) <= 0.0
        assert self.seen.tobytes() == self.ranges_without_lists().tobytes()
        is_new = self.lists[:, ray_lists._TRAVELLED] == self.listing._numbers[ray_head.TRAVELLED]
        return float(is_new.mean())

    def wander(self, metres: float, radians: float) -> None:
        """Let all move and turn."""
        self.planar[:, :2] += self.random.uniform(-metres, metres, (len(self.planar), 2))
        self.planar[:, 2] += self.random.uniform(-radians, radians, len(self.planar))


@pytest.mark.parametrize("kind", ["cylinder", "box", "sphere", ""])
@pytest.mark.parametrize("spacing", [0.31, 0.8, 2.0])
def test_a_crowd_that_wanders_is_seen_as_without_lists_most_of_which_serve_for_long(kind: str, spacing: float) -> None:
    crowd = Crowd(3, spacing=spacing, kind=kind)
    crowd.compare()
    parts = []
    for _ in range(TICKS):
        crowd.wander(0.003, 0.01)
        parts.append(crowd.compare())
    assert np.mean(parts) < 0.3


@pytest.mark.parametrize("seed", range(6))
def test_steady_drives_and_turns_are_seen_across_every_bound_of_a_list(seed: int) -> None:
    crowd = Crowd(seed, spacing=1.1)
    velocity, turning = crowd.random.uniform(-0.02, 0.02, (len(crowd.planar), 2)), seed % 3 * 0.03
    for _ in range(TICKS):
        crowd.planar[:, :2] += velocity
        crowd.planar[:, 2] += turning
        crowd.compare()


@pytest.mark.parametrize("jump", [0.05, 0.149, 0.151, 0.4, 5.0, 2000.0])
def test_who_is_put_elsewhere_is_seen_there_at_once(jump: float) -> None:
    crowd = Crowd(5)
    for _ in range(TICKS):
        crowd.wander(0.001, 0.001)
        moved = crowd.random.integers(0, len(crowd.rows))
        before, angle = crowd.planar[moved, :2].copy(), crowd.random.uniform(-math.pi, math.pi)
        crowd.planar[moved, :2] += jump * np.array([math.cos(angle), math.sin(angle)])
        crowd.compare()
        crowd.planar[moved, :2] = before
        crowd.compare()


@pytest.mark.parametrize("turn", [0.29, 0.31, 1.5, math.pi])
def test_who_turns_at_once_sees_what_was_behind(turn: float) -> None:
    crowd = Crowd(6)
    for tick in range(20):
        crowd.compare()
        crowd.planar[tick % 3 :: 3, 2] += turn
        crowd.compare()


def test_who_vanishes_or_is_nowhere_and_comes_back_is_seen_as_ever() -> None:
    crowd = Crowd(7)
    for _ in range(TICKS):
        crowd.wander(0.001, 0.001)
        hidden, lost = crowd.random.integers(0, len(crowd.rows), 2)
        before = crowd.planar[lost].copy()
        crowd.height[hidden], crowd.planar[lost, :2] = np.nan, np.nan
        crowd.compare()
        crowd.height[hidden], crowd.planar[lost] = 0.0, before + 0.3
        crowd.compare()


def test_reaches_may_change_at_any_tick() -> None:
    crowd = Crowd(8)
    for _ in range(TICKS):
        crowd.wander(0.001, 0.001)
        crowd.reach[:] = crowd.random.uniform(0.1, 3.0, len(crowd.reach))
        crowd.compare()


def test_more_shapes_than_a_list_holds_are_seen_all_the_same() -> None:
    # thin poles: rays see past dozens of them
    crowd = Crowd(9, count=400, spacing=0.5, kind="cylinder", reach=6.0, wide=0.02)
    for _ in range(20):
        crowd.wander(0.002, 0.02)
        crowd.compare()
    assert crowd.lists[:, ray_lists._COUNT].max() == ray_lists._MOST
    assert (crowd.seen > 4.0).any()


def test_who_drives_too_fast_for_lists_pauses_between_them_and_has_them_again_when_slower() -> None:
    crowd = Crowd(10)
    fast = []
    for _ in range(TICKS):
        crowd.planar[:, 0] += 0.2
        fast.append(crowd.compare())
    slow = [crowd.compare() for _ in range(TICKS)]
    assert np.mean(fast) < 0.1
    assert np.sum(slow) >= 1.0
