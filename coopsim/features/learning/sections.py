"""Section family `[LEARNING]`: what is learnt in a scenario, checked with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.features.learning.section import HEAD, LearningSection, read_section
from coopsim.features.learning.section_checks import check_section, with_robots
from coopsim.robots import RunSpec, SectionFamily
from coopsim.robots.section_family import CheckedScene
from coopsim.scene import Page, Problems, RemovedNames, Section
from coopsim.scene.blocks import remove_line, set_words


class LearningSections(SectionFamily[LearningSection | None]):
    """`[LEARNING]`: observations, actions, rewards and ends of a task."""

    name, heads = "learning", (HEAD,)

    def read(self, sections: Sequence[Section], problems: Problems) -> LearningSection | None:
        """Return what the section says."""
        return read_section(sections, problems)

    def facts(self, content: LearningSection | None, /) -> Mapping[str, Any]:
        """Return what is observed and done."""
        if content is None:
            return {}
        observed = [phrase.name for phrase in content.observed]
        return {"learning": {"observed": observed, "action": content.action.name}}

    def check(
        self, content: LearningSection | None, scene: CheckedScene, problems: Problems, /
    ) -> LearningSection | None:
        """Return the section with its robots one by one."""
        return None if content is None else with_robots(content, scene, problems)

    def check_run(self, content: LearningSection | None, spec: RunSpec, problems: Problems, /) -> None:
        """Note modules, readings, commands, targets and goals that are not there."""
        if content is not None:
            check_section(content, spec, problems)

    def forget(self, page: Page, removed: RemovedNames) -> None:
        """Leave robots and targets that are gone out of the lines that name them."""
        removed_names = {*removed.robots, *removed.targets}
        for section in page.sections(HEAD):
            for line in [line for line in section.lines if line.key.lower() in _NAMING]:
                left = [word for word in line.values if word not in removed_names]
                # without a name before its region or its law a line says nothing
                if not left or left[0] in _REGIONS:
                    remove_line(page.document, section, line)
                elif len(left) < len(line.values):
                    set_words(page.document, line, left)


_NAMING = ("robots", "drive", "start")
_REGIONS = ("by", "area", "distance", "turn")

LEARNING = LearningSections()
