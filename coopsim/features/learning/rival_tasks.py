"""Tasks against others and with things: pursuit of an quarry, a bar that two push, a flag that two guard."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from coopsim.features.learning.encoding import Acting, Observations, Observed
from coopsim.features.learning.plain_laws import Policy, reaching
from coopsim.features.learning.robot_groups import DrivenRobots
from coopsim.features.learning.starts import StartRule
from coopsim.features.learning.task import LearningTask, ReachTask, StepScene, TaskPlaces
from coopsim.geometry import Bools, Floats

_FOLDER = Path(__file__).parent / "scenarios"
_SLOWER = Acting(low=(-0.3, -1.5), high=(0.3, 1.5))
"""Robots of a law are slower than learners, who could not catch or outrun them otherwise."""
_GUARDING = Acting(low=(-0.2, -1.0), high=(0.2, 1.0))
_SPEEDS = (Observed("motors", columns=(0, 1)),)
_WALL = 4.2  # m; from here on who flees turns back to the middle


class PursuitTask(LearningTask):
    """Three robots catch a fourth one that flees from them.

    Attributes:
        near: Distance at which it is caught, centre to centre [m].
    """

    name, summary = "Pursuit", "three robots catch a fourth that flees"
    scenario = _FOLDER / "pursuit.scenario"
    observed = (
        Observed("sonars", scale=3.0),
        Observed("target", columns=(0,), scale=10.0),
        Observed("target", columns=(1,), is_angle=True),
        Observed("motors", columns=(0, 1), scale=1.5),
    )
    learners = ("pursuer1", "pursuer2", "pursuer3")
    limit = 300
    starts = (StartRule(area=(-4.0, -4.0, 4.0, 4.0)),)
    near = 0.8

    def driven(self) -> Sequence[DrivenRobots]:
        """Return the quarry."""
        return (DrivenRobots(("quarry",), _SPEEDS, _SLOWER, self._flee),)

    def plain_law(self) -> Policy | None:
        """Return the law that heads for the quarry."""
        return reaching(margin=0.05)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return how far each is from the quarry [m]."""
        quarry = places.bodies["quarry"][:, np.newaxis, :2]
        distances: Floats = np.linalg.norm(places.robots[:, :, :2] - quarry, axis=-1)
        return distances

    def rewards(self, scene: StepScene) -> Floats:
        """Return the way that each came nearer [m], 1 for all when it is caught, less what touching costs."""
        is_caught = (scene.now < self.near).any(axis=1, keepdims=True)
        rewards: Floats = scene.before - scene.now + 1.0 * is_caught - 0.1 * scene.touched
        return rewards

    def is_over(self, scene: StepScene) -> Bools:
        """Return where it is caught."""
        over: Bools = np.logical_or.reduce(scene.now < self.near, axis=1)
        return over

    def _flee(self, _: Observations, bodies: Mapping[str, Floats]) -> Floats:
        own = bodies["quarry"]
        away = np.stack([own[:, :2] - bodies[name][:, :2] for name in self.learners], axis=1)
        # the nearest one counts most
        pushes = (away / np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 0.1) ** 3).sum(axis=1)
        is_near_wall = np.abs(own[:, :2]) > _WALL
        to_middle = -np.sign(own[:, :2]) * np.abs(pushes).max(axis=1, keepdims=True)
        return heading_for(own, np.where(is_near_wall, to_middle, pushes))


class TransportTask(ReachTask):
    """Two robots push a bar across a floor.

    Attributes:
        goal: X of the bar when it is there [m].
    """

    name, summary = "Transport", "two robots push a bar across a floor"
    scenario = _FOLDER / "transport.scenario"
    starts = (StartRule(distance=0.25, angle=0.4),)
    limit = 250
    goal, tilt_cost, margin = 1.5, 0.02, 0.0

    def measure(self, places: TaskPlaces) -> Floats:
        """Return how far the bar has to go, and how far it is turned [m] [rad], shape (worlds, robots, 2)."""
        bar = places.bodies["bar"]
        left = np.stack([np.maximum(self.goal - bar[:, 0], 0.0), np.abs(bar[:, 2])], axis=-1)
        return np.repeat(left[:, np.newaxis], places.robots.shape[1], axis=1)

    def rewards(self, scene: StepScene) -> Floats:
        """Return the way of the bar in this step [m], less what its tilt costs."""
        rewards: Floats = scene.before[..., 0] - scene.now[..., 0] - self.tilt_cost * scene.now[..., 1]
        return rewards

    def is_over(self, scene: StepScene) -> Bools:
        """Return where the bar is there."""
        over: Bools = scene.now[:, 0, 0] <= 0.0
        return over


class CaptureTask(ReachTask):
    """Two robots bring a flag home that two others guard; a carrier that a guard comes near loses it.

    The target that learners see is the flag, and their base as soon as one of them carries it.

    Attributes:
        reached: Distance at which the flag is picked up, and the base is reached [m].
        tagged: Distance from a guard at which a carrier loses the flag [m].
    """

    name, summary = "Capture", "two robots bring a flag home that two others guard"
    scenario = _FOLDER / "capture.scenario"
    observed = (
        Observed("sonars", scale=3.0),
        Observed("target", columns=(0,), scale=10.0),
        Observed("target", columns=(1,), is_angle=True),
        Observed("motors", columns=(0, 1), scale=1.5),
    )
    learners = ("raider1", "raider2")
    guards = ("guard1", "guard2")
    starts = (StartRule(distance=0.5, angle=0.5),)
    limit = 400
    reached, tagged, margin = 0.6, 0.6, 0.2
    flag, base, guarded = (3.5, 0.0), (-3.5, 0.0), 1.5

    def __init__(self) -> None:
        self._carriers = np.zeros(0, np.int64)  # who has the flag in each world, -1 = nobody
        self._has_turned = np.zeros(0, np.bool_)  # where learners see another target than in the step before
        self._is_home = np.zeros(0, np.bool_)

    def begin(self, mask: Bools) -> None:
        """Put the flag back in worlds of the mask."""
        if self._carriers.shape != mask.shape:
            self._carriers = np.full(mask.shape, -1)
            self._has_turned, self._is_home = np.zeros(mask.shape, np.bool_), np.zeros(mask.shape, np.bool_)
        self._carriers[mask] = -1
        self._has_turned[mask] = self._is_home[mask] = False

    def driven(self) -> Sequence[DrivenRobots]:
        """Return the guards."""
        return (DrivenRobots(self.guards, _SPEEDS, _GUARDING, self._guard),)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return how far each is from the flag, or from its base when one has the flag [m]."""
        distances: Floats = np.linalg.norm(places.robots[:, :, :2] - places.targets[:, :1], axis=-1)
        return distances

    def rewards(self, scene: StepScene) -> Floats:
        """Return the way that the carrier, or each without one, came nearer; 2 for a flag at home, -1 for one lost."""
        carriers = self._carriers.copy()
        way = np.where(self._has_turned[:, np.newaxis], 0.0, scene.before - scene.now)
        has_carrier = carriers >= 0
        carries = np.arange(2) == carriers[:, np.newaxis]
        rewards = np.where(has_carrier[:, np.newaxis] & ~carries, 0.0, way) - 0.02 * scene.touched
        is_there = scene.now < self.reached
        self._is_home = (carries & is_there).any(axis=1)
        is_lost = (carries & self._is_tagged(scene.places)).any(axis=1) & ~self._is_home
        picks = ~has_carrier & is_there.any(axis=1)
        self._carriers = np.where(is_lost, -1, np.where(picks, is_there.argmax(axis=1), carriers))
        self._has_turned = is_lost | picks
        scene.places.targets[:, 0] = np.where((self._carriers >= 0)[:, np.newaxis], self.base, self.flag)
        gains = 2.0 * self._is_home + 0.5 * picks - 1.0 * is_lost
        rewarded: Floats = rewards + gains[:, np.newaxis]
        return rewarded

    def is_over(self, scene: StepScene) -> Bools:
        """Return where the flag is at home."""
        over: Bools = self._is_home & scene.worlds.running
        return over

    def _is_tagged(self, places: TaskPlaces) -> Bools:
        guards = np.stack([places.bodies[name][:, :2] for name in self.guards], axis=1)
        away = np.linalg.norm(places.robots[:, :, np.newaxis, :2] - guards[:, np.newaxis], axis=-1)
        tagged: Bools = (away < self.tagged).any(axis=-1)
        return tagged

    def _guard(self, _: Observations, bodies: Mapping[str, Floats]) -> Floats:
        """Chase the carrier, or whoever comes near the flag; stand before it otherwise."""
        raiders = np.stack([bodies[name][:, :2] for name in self.learners], axis=1)
        from_flag = np.linalg.norm(raiders - np.array(self.flag), axis=-1)
        chased = np.where(self._carriers >= 0, self._carriers, from_flag.argmin(axis=1))
        worlds = np.arange(len(raiders))
        is_chasing = (self._carriers >= 0) | (from_flag[worlds, chased] < self.guarded)
        actions = []
        for row, name in enumerate(self.guards):
            post = np.add(self.flag, (-1.0, 4.0 * (row - 0.5)))
            own = bodies[name]
            goal = np.where(is_chasing[:, np.newaxis], raiders[worlds, chased], post)
            actions.append(heading_for(own, goal - own[:, :2])[:, 0])
        return np.stack(actions, axis=1)


def heading_for(own: Floats, way: Floats) -> Floats:
    """Return actions of one robot that turns into a direction and drives there, shape (worlds, 1, 2).

    Args:
        own: X y heading and velocities of it, shape (worlds, 6).
        way: Direction in the frame of the world, shape (worlds, 2).
    """
    angle = np.arctan2(way[:, 1], way[:, 0]) - own[:, 2]
    turned = np.arctan2(np.sin(angle), np.cos(angle))
    speed = np.clip(np.cos(turned), 0.0, 1.0) * (np.linalg.norm(way, axis=-1) > 0.1)
    return np.stack([speed, np.clip(1.5 * turned, -1.0, 1.0)], axis=-1)[:, np.newaxis]
