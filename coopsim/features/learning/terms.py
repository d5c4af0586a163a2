"""Terms of rewards and ends of a section `[LEARNING]`, of all worlds at once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coopsim.features.learning.episode_metrics import EpisodeMetrics
from coopsim.features.learning.section import CHANGE, LearningSection, Phrase
from coopsim.features.learning.section_checks import OTHERS, OWN
from coopsim.features.learning.task import StepScene, TaskPlaces
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.metrics import Formation, RunArrays
from coopsim.metrics.goal_measures import distances, measure_of
from coopsim.robots import RunSpec
from coopsim.scene import Goal

_X_AND_Y = 2
"""Measures of every task before the distances: where each robot is."""
_DISTANT = ("nearer", "near", "apart")
_METRIC = "metric"


class Terms:
    """What a section rewards, and when it ends an episode.

    Args:
        spec: The scenario.
        section: Checked, with its robots one by one.
        learners: Names of those that learn.
    """

    def __init__(self, spec: RunSpec, section: LearningSection, learners: Sequence[str]) -> None:
        self._rewards, self._ends, self._learners = section.rewards, section.ends, tuple(learners)
        self._outs = section.outs
        scenario = spec.scenario
        self._targets = {target.name: row for row, target in enumerate(scenario.targets)}
        self._fixed = {thing.name: np.array(thing.position[:2]) for thing in scenario.world.objects}
        self._fixed |= {robot.name: np.array(robot.position[:2]) for robot in scenario.robots}
        self._robots = [robot.name for robot in scenario.robots]
        self._goals = {goal.name: goal for goal in scenario.goals}
        self._formations = [
            Formation(goal.robots, np.array([self._fixed[robot] for robot in goal.robots]))
            for goal in scenario.goals
            if goal.measure == "formation"
        ]
        phrases = (*section.rewards, *section.ends, *section.outs)
        names = dict.fromkeys(phrase.words[0] for phrase in phrases if phrase.name in _DISTANT)
        self._things = {name: _X_AND_Y + row for row, name in enumerate(names)}
        self._run: tuple[StepScene, RunArrays] | None = None
        self._measured = [phrase.words[0] for phrase in section.rewards if phrase.name == _METRIC]
        self._metrics: EpisodeMetrics | None = None

    def prepare(self, worlds: Worlds) -> None:
        """Measure the episodes of these worlds, if metrics are rewarded."""
        self._metrics = EpisodeMetrics(worlds, self._measured) if self._measured else None

    def begin(self, mask: Bools) -> None:
        """Begin episodes in worlds of the mask, shape (worlds,)."""
        if self._metrics is not None:
            self._metrics.begin(mask)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return x and y of each learner, then its distance from each thing, shape (worlds, robots, measures)."""
        own = places.robots[..., :2]
        away = [np.linalg.norm(self._position(name, places) - own, axis=-1) for name in self._things if name != OTHERS]
        if OTHERS in self._things:
            away.insert(list(self._things).index(OTHERS), self._nearest(places))
        return np.concatenate([own, *(distance[..., np.newaxis] for distance in away)], axis=-1)

    def _position(self, name: str, places: TaskPlaces) -> Floats:
        """Return x and y of a thing, in a shape that broadcasts to (worlds, robots, 2)."""
        if name == OWN:
            return places.targets[:, : places.robots.shape[1]]
        if name in self._targets:
            return places.targets[:, self._targets[name], np.newaxis]
        if name in places.bodies:
            return places.bodies[name][:, np.newaxis, :2]
        return self._fixed[name]

    def _nearest(self, places: TaskPlaces) -> Floats:
        """Return the distance of each learner from the nearest other robot, shape (worlds, robots)."""
        others = np.stack([places.bodies[name][:, :2] for name in self._robots], axis=1)
        away = np.linalg.norm(places.robots[:, :, np.newaxis, :2] - others[:, np.newaxis], axis=-1)
        for row, learner in enumerate(self._learners):
            away[:, row, self._robots.index(learner)] = np.inf
        nearest: Floats = away.min(axis=-1)
        return nearest

    def rewards(self, scene: StepScene) -> Floats:
        """Return the sum of all terms with their weights, shape (worlds, robots)."""
        if self._metrics is not None:
            self._metrics.advance()
        total = np.zeros(scene.touched.shape)
        for phrase in self._rewards:
            total += phrase.numbers["weight"] * self._value(phrase, scene)
        return total

    def is_over(self, scene: StepScene) -> Bools:
        """Return where those who are not out meet a line `end`, shape (worlds,)."""
        over, takes_part = np.zeros(len(scene.touched), np.bool_), ~scene.out
        for phrase in self._ends:
            is_met = self._value(phrase, scene) > 0.5
            all_meet = (is_met | scene.out).all(axis=1) & takes_part.any(axis=1)
            over |= all_meet if phrase.numbers["all"] else (is_met & takes_part).any(axis=1)
        return over

    def is_out(self, scene: StepScene) -> Bools | None:
        """Return who meets a line `out`, shape (worlds, robots); None = there is no such line."""
        if not self._outs:
            return None
        met: Bools = np.logical_or.reduce([self._value(phrase, scene) > 0.5 for phrase in self._outs])
        return met

    def _value(self, phrase: Phrase, scene: StepScene) -> Floats:
        if phrase.name in _DISTANT:
            column = self._things[phrase.words[0]]
            before, now = scene.before[..., column], scene.now[..., column]
            if phrase.name == "nearer":
                return np.asarray(before - now)
            limit = phrase.numbers["distance"]
            return np.asarray(now <= limit if phrase.name == "near" else now >= limit, np.float64)
        if phrase.name == "touching":
            return scene.touched.astype(np.float64)
        if phrase.name == "moved":
            return np.asarray(np.linalg.norm(scene.now[..., :2] - scene.before[..., :2], axis=-1))
        if phrase.name == "effort":
            return np.asarray(np.mean(np.square(np.clip(scene.actions, -1.0, 1.0)), axis=-1))
        if phrase.name == "goal":
            return self._meets(self._goals[phrase.words[0]], scene)
        if phrase.name == _METRIC:
            assert self._metrics is not None  # noqa: S101 - a batch prepares its task
            read = self._metrics.change if CHANGE in phrase.flags else self._metrics.value
            return np.broadcast_to(read(phrase.words[0])[:, np.newaxis], scene.touched.shape)
        module, *rest = phrase.words[0].split(".")
        mean = scene.readings(module, *rest).mean(axis=-1)
        if phrase.name == "above":
            return np.asarray(mean > phrase.numbers["limit"], np.float64)
        if phrase.name == "below":
            return np.asarray(mean < phrase.numbers["limit"], np.float64)
        return np.asarray(mean)

    def _meets(self, goal: Goal, scene: StepScene) -> Floats:
        """Return 1 where a learner meets a goal at this time, by the measures that judge runs."""
        if self._run is None or self._run[0] is not scene:
            self._run = scene, scene.worlds.as_run(self._formations)
        run, met = self._run[1], np.ones(scene.touched.shape)
        for row, learner in enumerate(self._learners):
            if learner not in goal.robots:
                continue
            own = goal if goal.measure == "formation" else replace(goal, robots=(learner,))
            if goal.kind == "reach":
                met[:, row] = distances(own, run) <= goal.numbers[-1]
            else:
                met[:, row] = measure_of(own)(run)[0] <= 0.0
        return met
