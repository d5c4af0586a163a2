"""Task that a scenario says in its section `[LEARNING]`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.learning.arrays import columns_of
from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.out_rules import OutRule
from coopsim.features.learning.plain_laws import Policy, reaching
from coopsim.features.learning.policy_file import Policy as PolicyFile
from coopsim.features.learning.ranges import vary_of
from coopsim.features.learning.robot_groups import DrivenRobots
from coopsim.features.learning.section import MESSAGES, Phrase
from coopsim.features.learning.section_checks import OWN, learners_of
from coopsim.features.learning.sections import LEARNING
from coopsim.features.learning.starts import starts_of
from coopsim.features.learning.task import LearningTask, ReachTask, StepScene, TaskPlaces
from coopsim.features.learning.terms import Terms
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation
from coopsim.state import ModuleLayout

_BUMPERS = "bumpers"
_SEED = 1
"""Of actions by chance: another run of the same program has the same ones."""


class SectionTask(LearningTask):
    """A task of a scenario.

    Args:
        scenario: A path, the bare name of a built-in scenario, or what `coopsim.robots.load` returned.

    Raises:
        BadArgument: It has no section `[LEARNING]`.
    """

    def __init__(self, scenario: str | Path | RunSpec) -> None:
        self.scenario = spec = scenario if isinstance(scenario, RunSpec) else load(scenario)
        section = LEARNING.of(spec.scenario)
        file = Path(spec.scenario.file)
        if section is None:
            raise BadArgument(
                f"{file}: it has no section [LEARNING]; write one that says what is observed, done and rewarded"
            )
        self._section, self._layout = section, Simulation(spec).layout
        self.name = section.name or file.stem.title().replace("_", "").replace("-", "")
        self.summary = f"what {file.name} says"
        self.every, self.limit, self.is_separate = section.every, section.limit, section.is_separate
        self.learners = learners_of(section, spec)
        self.observed = [self._observed(phrase) for phrase in section.observed]
        self.acting = self._acting(section.action)
        self.starts, self.vary = starts_of(section), vary_of(section)
        self.outs = [rule for phrase in section.outs if (rule := self._out_rule(phrase)) is not None]
        self._terms = Terms(spec, section, self.learners)

    def driven(self) -> Sequence[DrivenRobots]:
        """Return the robots that the lines `drive` name."""
        return [driven_by(phrase, self.acting) for phrase in self._section.driven]

    def prepare(self, worlds: Worlds) -> None:
        """Measure the episodes of these worlds, if metrics are rewarded."""
        self._terms.prepare(worlds)

    def begin(self, mask: Bools) -> None:
        """Begin to measure episodes in worlds of the mask."""
        self._terms.begin(mask)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return what terms need of this step and the one before, shape (worlds, robots, measures)."""
        return self._terms.measure(places)

    def rewards(self, scene: StepScene) -> Floats:
        """Return the sum of all terms with their weights."""
        return self._terms.rewards(scene)

    def is_over(self, scene: StepScene) -> Bools:
        """Return where a line `end` is met."""
        return self._terms.is_over(scene)

    def is_out(self, scene: StepScene) -> Bools | None:
        """Return who meets a line `out`; None = there is none."""
        return self._terms.is_out(scene)

    def _module(self, name: str) -> ModuleLayout:
        module = self._layout.robot[self.learners[0]].type.module(name)
        assert module is not None  # noqa: S101 - the section is checked
        return module

    def _observed(self, phrase: Phrase) -> Observed:
        name, *rest = phrase.name.split(".")
        if name == MESSAGES:
            return Observed(name, history=int(phrase.numbers.get("history", 1)))
        module = self._module(name)
        columns, own = columns_of(module, rest, is_own=OWN in phrase.flags)
        scale, history = phrase.numbers.get("scale", 1.0), int(phrase.numbers.get("history", 1))
        return Observed(name, columns, scale, "angle" in phrase.flags, own, history)

    def _out_rule(self, phrase: Phrase) -> OutRule | None:
        """Return the rule of a line `out`; None where a robot cannot tell it by its readings."""
        if phrase.name == "touching":
            has_bumpers = self._layout.robot[self.learners[0]].type.module(_BUMPERS) is not None
            return OutRule(_BUMPERS) if has_bumpers else None
        if phrase.name not in ("above", "below"):
            return None
        name, *rest = phrase.words[0].split(".")
        columns, _ = columns_of(self._module(name), rest)
        return OutRule(name, columns, phrase.numbers["limit"], phrase.name == "above")

    def _acting(self, phrase: Phrase) -> Acting:
        name, _, command = phrase.name.partition(".")
        messages = self._section.messages
        if phrase.limits:
            return Acting(name, command, phrase.limits[0::2], phrase.limits[1::2], messages=messages)
        fields = [field for field in self._module(name).interface.command(command).takes if field.place == "data"]
        low, high = tuple(field.low for field in fields), tuple(field.high for field in fields)
        return Acting(name, command, low, high, messages=messages)


def driven_by(phrase: Phrase, acting: Acting) -> DrivenRobots:
    """Return the robots of a line `drive` with their law.

    Args:
        phrase: Names of the robots, and the law.
        acting: The command of the learners, which all laws but those of files give, too.

    Raises:
        BadArgument: A constant command has another number of values.
        BadFile: A policy's file is none.
    """
    seen, acting = ReachTask.observed, replace(acting, messages=0)
    if phrase.name == "policy":
        policy = PolicyFile(phrase.file)
        return _driven(phrase, policy.facts.observed, policy.facts.acting, policy)
    if phrase.name == "constant":
        if len(phrase.limits) != len(acting.low):
            raise BadArgument(
                f"{phrase.span(0)}: {acting.command} takes {len(acting.low)} values, got {len(phrase.limits)}"
            )
        fixed = Acting(acting.module, acting.command, phrase.limits, phrase.limits)
        still = Observed(acting.module, columns=(0,))
        return _driven(phrase, (still,), fixed, lambda observed: np.zeros((*observed.shape[:-1], len(acting.low))))
    if phrase.name == "chance":
        rng, width = np.random.default_rng(_SEED), len(acting.low)
        still = Observed(acting.module, columns=(0,))
        return _driven(phrase, (still,), acting, lambda observed: rng.uniform(-1.0, 1.0, (*observed.shape[:-1], width)))
    return _driven(phrase, seen, acting, reaching())


def _driven(phrase: Phrase, observed: tuple[Observed, ...], acting: Acting, policy: Policy) -> DrivenRobots:
    return DrivenRobots(phrase.words, observed, acting, lambda observations, _: policy(observations))
