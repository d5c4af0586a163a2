"""Checks of `[GOAL_n]` sections against what the scenario holds and what is installed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from coopsim.interfaces import Interface
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.names import RobotNames
from coopsim.robots.registry import interface_of
from coopsim.scene import Goal, Problems, Span, choices, find_entry, hint, quoted


@dataclass(frozen=True)
class GoalChecks:
    """Checks of the names in goals.

    Attributes:
        robots: Types of the robots, by name.
        names: What robots are called.
        others: Names of objects and targets.
        areas: Corners of the areas, by name.
        devices: Interfaces of the device types.
        metrics: Names of the registered metrics.
        problems: Takes what a goal cannot mean.
    """

    robots: Mapping[str, RobotBlueprint]
    names: RobotNames
    others: Collection[str]
    areas: Mapping[str, tuple[float, ...]]
    devices: Mapping[str, Interface]
    metrics: Collection[str]
    problems: Problems

    def checked(self, goals: Sequence[Goal]) -> tuple[Goal, ...]:
        """Return the goals robot by robot; a goal without robots is one of all."""
        return tuple(self._checked(goal, goals) for goal in goals)

    def _checked(self, goal: Goal, goals: Sequence[Goal]) -> Goal:
        robots, goal = self._robots(goal), self._of_area(goal)
        if goal.measure in {"entity", "distance"}:
            self._check_entity(goal, "reach" if goal.measure == "entity" else "keep")
        if goal.measure == "reading":
            self._check_reading(goal, robots)
        if goal.kind == "score":
            # one value of several is named behind the metric: formation_error_max
            near = [goal.subject for name in self.metrics if goal.subject.startswith(f"{name}_")]
            self._check_known(_span(goal, "score", 0), "metric", goal.subject, [*self.metrics, *near])
        if goal.until_goal:
            reached = [goal.name for goal in goals if goal.kind == "reach"]
            self._check_known(_span(goal, "until", 0), "goal to reach", goal.until_goal, reached)
        if goal.measure == "formation" and len(robots) < 2:
            self.problems.add(_span(goal, "robots", 0), f"a formation needs two robots, got {len(robots)}")
        return replace(goal, robots=robots)

    def _robots(self, goal: Goal) -> tuple[str, ...]:
        if not goal.robots:
            return tuple(self.robots)
        metrics: dict[str, None] = {}
        for index, word in enumerate(goal.robots):
            meant = self.names.meant(word)
            if not meant:
                self.problems.add(_span(goal, "robots", index), self.names.missing(word))
            metrics.update(dict.fromkeys(meant))
        return tuple(metrics)

    def _of_area(self, goal: Goal) -> Goal:
        """Return a goal that names an area with its corners; all others as they are."""
        corners = self.areas.get(goal.subject, ())
        if goal.measure == "entity" and corners:
            return replace(goal, measure="inside", numbers=(*corners, *goal.numbers))
        if goal.measure == "polygon":
            self._check_known(_span(goal, "avoid", 1), "area", goal.subject, self.areas)
            return replace(goal, numbers=corners)
        return goal

    @property
    def _thing(self) -> str:
        return "robot, object, target or area" if self.areas else "robot, object or target"

    def _check_entity(self, goal: Goal, key: str) -> None:
        place = 0 if key == "reach" else 1
        self._check_known(
            _span(goal, key, place),
            self._thing,
            goal.subject,
            [*self.robots, *self.others, *self.areas],
        )

    def _check_reading(self, goal: Goal, robots: Sequence[str]) -> None:
        module, _, name = goal.subject.partition(".")
        span = _span(goal, "avoid", 1)
        types = {self.robots[robot].name: self.robots[robot] for robot in robots if robot in self.robots}
        for blueprint in types.values():
            kinds = {device.name: device for device in blueprint.devices}
            if module not in kinds:
                self.problems.add(span, f"{blueprint.name} has no module {quoted(module)}{hint(module, kinds)}")
                continue
            readings = [reading.name for reading in interface_of(kinds[module], self.devices).readings]
            self._check_known(span, f"reading of {module}", name, readings)

    def _check_known(self, span: Span, what: str, name: str, names: Collection[str]) -> None:
        if name not in names:
            text = f"no {what} {quoted(name)}{hint(name, names)}; known: {choices(names)}"
            self.problems.add(span, text)


def _span(goal: Goal, key: str, index: int) -> Span:
    entry = find_entry(goal.entries, key)
    return entry.value_spans[index] if entry and index < len(entry.value_spans) else goal.span
