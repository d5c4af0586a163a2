"""Checks of `[LEARNING]` against what the scenario holds: robots, modules, readings, commands, targets and goals."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from coopsim.errors import CoopsimError
from coopsim.features.learning.section import MESSAGES, LearningSection, Phrase
from coopsim.interfaces import Effect, Field, Interface
from coopsim.robots import RobotBlueprint, RunSpec, device_type
from coopsim.robots.section_family import CheckedScene
from coopsim.scene import Entry, Problems, Span, choices, hint, quoted

OWN, OTHERS = "own", "others"
"""Words for a robot's own target, and for the nearest of all other robots."""
_STEERING = ("motors", "sonars", "target")
"""Modules of the law `steer`."""


def with_robots(section: LearningSection, scene: CheckedScene, problems: Problems) -> LearningSection:
    """Return the section with its robots one by one; note words that mean none."""

    def meant(words: Sequence[str], spans: Sequence[Span]) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for word, span in zip(words, spans, strict=False):
            robots = scene.names.meant(word)
            if not robots:
                problems.add(span, scene.names.missing(word))
            names.update(dict.fromkeys(robots))
        return tuple(names)

    driven = tuple(replace(phrase, words=meant(phrase.words, phrase.entry.value_spans)) for phrase in section.driven)
    starts = tuple(
        replace(
            phrase,
            words=tuple(
                name
                for word, span in zip(phrase.words, phrase.entry.value_spans, strict=False)
                for name in ((word,) if word in scene.targets else meant((word,), (span,)))
            ),
        )
        for phrase in section.starts
    )
    entry = section.robots_entry
    robots = meant(section.robots, entry.value_spans) if entry is not None else ()
    return replace(section, robots=robots, driven=driven, starts=starts)


def learners_of(section: LearningSection, spec: RunSpec) -> tuple[str, ...]:
    """Return the names of the robots that learn."""
    driven = {robot for phrase in section.driven for robot in phrase.words}
    return section.robots or tuple(robot.name for robot in spec.scenario.robots if robot.name not in driven)


def check_section(section: LearningSection, spec: RunSpec, problems: Problems) -> None:
    """Note all that the section names and the scenario does not have."""
    _SectionChecks(section, spec, problems).check()


@dataclass(frozen=True)
class _SectionChecks:
    section: LearningSection
    spec: RunSpec
    problems: Problems

    def check(self) -> None:
        section, spec = self.section, self.spec
        learners = learners_of(section, spec)
        self._check_drivers(set(learners))
        kinds = {robot.name: spec.types[robot.type] for robot in spec.scenario.robots if robot.name in learners}
        by_name = {kind.name: kind for kind in kinds.values()}
        if len(by_name) != 1:
            span = section.robots_entry.span if section.robots_entry else section.span
            text = f"they are {', '.join(by_name)}" if by_name else "there are none"
            self.problems.add(span, f"one policy drives robots of one type, and of those that learn {text}")
            return
        (kind,) = by_name.values()
        for phrase in section.observed:
            if phrase.name == MESSAGES:
                self._check_messages(phrase, len(learners))
            else:
                self._check_reading(phrase, kind, 0, len(learners))
        if section.messages and all(phrase.name != MESSAGES for phrase in section.observed):
            self.problems.warn(section.span, f"learners say {section.messages} numbers that none of them observes")
        self._check_action(section.action, kind)
        for phrase in (*section.rewards, *section.ends):
            self._check_term(phrase, kind, len(learners), 2)  # behind the weight, or behind all or any, and the term
        for phrase in section.outs:
            self._check_term(phrase, kind, len(learners), 1)
        self._check_ranges()

    def _check_drivers(self, learners: set[str]) -> None:
        seen: dict[str, Entry] = {}
        kinds = {robot.name: self.spec.types[robot.type] for robot in self.spec.scenario.robots}
        for phrase in self.section.driven:
            for robot in phrase.words:
                before = seen.setdefault(robot, phrase.entry)
                lacking = {*_STEERING} - {device.name for device in kinds[robot].devices}
                if phrase.name == "steer" and lacking:
                    self.problems.add(phrase.span(0), f"steer needs the module {min(lacking)}, which {robot} has not")
                if robot in learners:
                    self.problems.add(phrase.span(0), f"{robot} learns and is driven by a law; expected one of both")
                elif before is not phrase.entry:
                    self.problems.add(phrase.span(0), f"{robot} is driven by the law of line {before.span.line}")
        free = [robot.name for robot in self.spec.scenario.robots if robot.name not in {*learners, *seen}]
        if free:
            self.problems.warn(self.section.span, f"{', '.join(free)} neither learns nor is driven, and stands still")

    def _check_reading(self, phrase: Phrase, kind: RobotBlueprint, index: int, robots: int = 0) -> None:
        """Check `MODULE`, `MODULE.READING` or `MODULE.READING.COLUMN`."""
        word = phrase.name if index == 0 else phrase.words[0]
        (module, *rest), span = word.split("."), phrase.span(index)
        interface = self._interface(kind, module, span)
        if interface is None:
            return
        fields = {field.name: field for field in interface.readings}
        if not fields:
            self.problems.add(span, f"{module} reads nothing")
        if rest and rest[0] not in fields:
            self._add_unknown(span, f"reading of {module}", rest[0], fields)
        elif len(rest) > 1:
            columns = fields[rest[0]].columns
            if len(rest) > 2 or rest[1] not in columns:
                what = f"column of {module}.{rest[0]}"
                self._add_unknown(span, what, ".".join(rest[1:]), columns)
        if OWN in phrase.flags and not (rest and rest[0] in fields and fields[rest[0]].columns):
            tables = [f"{module}.{name}" for name, field in fields.items() if field.columns]
            self.problems.add(span, f"own belongs to a table, a row for each robot; {module} has {choices(tables)}")
        elif OWN in phrase.flags:
            self._check_rows(span, fields[rest[0]], robots)

    def _check_messages(self, phrase: Phrase, robots: int) -> None:
        if not self.section.messages:
            self.problems.add(phrase.span(0), "nobody says anything; expected a line `say N`, numbers in each step")
        elif robots < 2:
            self.problems.add(phrase.span(0), "one robot learns, and nobody else could say anything to it")
        elif phrase.flags or "scale" in phrase.numbers:
            self.problems.add(phrase.span(0), f"{MESSAGES} lie within -1 and 1; expected history alone behind them")

    def _check_rows(self, span: Span, field: Field, robots: int) -> None:
        targets = len(self.spec.scenario.targets)
        if field.count == "targets" and targets < robots:
            self.problems.add(span, f"{robots} robots learn, and there are {targets} targets of their own")

    def _check_action(self, phrase: Phrase, kind: RobotBlueprint) -> None:
        module, _, name = phrase.name.partition(".")
        interface = self._interface(kind, module, phrase.span(0))
        if interface is None:
            return
        commands = {
            command.name: command for command in interface.commands if command.effect is Effect.SET and command.takes
        }
        if name not in commands:
            self._add_unknown(phrase.span(0), f"command of {module} with values", name, commands)
            return
        fields = [field for field in commands[name].takes if field.place == "data"]
        if phrase.limits and len(phrase.limits) != 2 * len(fields):
            form = " ".join(f"{field.name}_LOW {field.name}_HIGH" for field in fields)
            text = f"{name} takes {form}, got {len(phrase.limits)} numbers"
            self.problems.add(phrase.span(1), text)
            return
        for row, field in enumerate(fields):
            self._check_limits(phrase, row, field)

    def _check_limits(self, phrase: Phrase, row: int, field: Field) -> None:
        if not phrase.limits and not (math.isfinite(field.low) and math.isfinite(field.high)):
            self.problems.add(phrase.span(0), f"{field.name} has no limits; say its lowest and highest value behind")
        for at in (2 * row, 2 * row + 1) if phrase.limits else ():
            if not field.low <= phrase.limits[at] <= field.high:
                text = f"{field.name} must lie within {field.low:g} and {field.high:g}, got {phrase.limits[at]:g}"
                self.problems.add(phrase.span(at + 1), text)

    def _check_term(self, phrase: Phrase, kind: RobotBlueprint, robots: int, first: int) -> None:
        """Check a term; the word behind its name is the `first` of the line, counted from 0."""
        if phrase.name in {"reading", "above", "below"}:
            self._check_reading(phrase, kind, first)
        elif phrase.name == "goal":
            goals = {goal.name: goal for goal in self.spec.scenario.goals}
            if phrase.words[0] not in goals:
                self._add_unknown(phrase.span(first), "goal", phrase.words[0], goals)
            elif goals[phrase.words[0]].kind == "score":
                text = "a score is known when a run is over; a step can be rewarded by reach, keep and avoid"
                self.problems.add(phrase.span(first), text)
        elif phrase.name == "metric":
            self._check_metric(phrase.words[0], phrase.span(first))
        elif phrase.name == "touching" and not any(device.name == "bumpers" for device in kind.devices):
            self.problems.add(phrase.span(first - 1), f"{kind.name} has no module bumpers, which feels what touches")
        elif phrase.words:
            self._check_thing(phrase, first, robots)

    def _check_metric(self, name: str, span: Span) -> None:
        # here, as ranges below
        from coopsim.features.learning.metric_checks import metric_flaw

        text, is_wrong = metric_flaw(name, self.spec)
        if text and is_wrong:
            self.problems.add(span, text)
        elif text:
            self.problems.warn(span, text)

    def _check_thing(self, phrase: Phrase, index: int, robots: int) -> None:
        scenario, word = self.spec.scenario, phrase.words[0]
        things = [
            *(robot.name for robot in scenario.robots),
            *(target.name for target in scenario.targets),
            *(thing.name for thing in scenario.world.objects),
        ]
        if word == OWN and len(scenario.targets) < robots:
            text = f"{robots} robots learn, and there are {len(scenario.targets)} targets of their own"
            self.problems.add(phrase.span(index), text)
        elif word not in {OWN, OTHERS} and word not in things:
            self._add_unknown(phrase.span(index), "robot, target or object", word, [OWN, OTHERS, *things])

    def _check_ranges(self) -> None:
        if not self.section.vary:
            return
        # a window reads scenarios, too, and needs no physics for it
        from coopsim.features.learning.ranges import Ranges, Vary

        for phrase in self.section.vary:
            try:
                Ranges(self.spec, [Vary(phrase.name, *phrase.limits)])
            except CoopsimError as problem:
                self.problems.add(phrase.span(0), str(problem))

    def _interface(self, kind: RobotBlueprint, module: str, span: Span) -> Interface | None:
        devices = {device.name: device for device in kind.devices}
        if module not in devices:
            text = f"{kind.name} has no module {quoted(module)}{hint(module, devices)}; it has {choices(devices)}"
            self.problems.add(span, text)
            return None
        interface: Interface = device_type(devices[module]).interface
        return interface

    def _add_unknown(self, span: Span, what: str, name: str, names: Collection[str]) -> None:
        choice = choices(names) if names else "none"
        self.problems.add(span, f"no {what} is called {quoted(name)}{hint(name, names)}; known: {choice}")
