"""The section `[VIEW]` in a run: its camera follows what is there."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim import plugins
from coopsim.features.presentation.spec import Presentation
from coopsim.features.presentation.view_section import VIEWS, read_presentation
from coopsim.robots.blueprint import RunSpec
from coopsim.robots.section_family import CheckedScene, SectionFamily
from coopsim.scene import Page, Problems, RemovedNames, Section, choices, find_entry, hint, quoted
from coopsim.scene.blocks import remove_line

RENDERERS = "renderers"
"""Group of entry points that bring renderers."""


class PresentationSection(SectionFamily[Presentation]):
    """`[VIEW]`: what a scene is called, and from where it is looked at."""

    name, heads, world_heads = "presentation", ("VIEW",), ("VIEW",)

    def read(self, sections: Sequence[Section], problems: Problems) -> Presentation:
        """Return how a scenario is shown."""
        return read_presentation(sections, problems)

    def facts(self, content: Presentation, /) -> Mapping[str, Any]:
        """Return caption, camera and renderer."""
        return content.facts

    def check(self, content: Presentation, scene: CheckedScene, problems: Problems, /) -> Presentation:
        """Note a camera that follows what is not there."""
        names = [*scene.types, *scene.objects, *scene.targets]
        entry, followed = find_entry(content.entries, "camera"), content.camera
        if entry and followed and followed not in {*VIEWS, *names} and "," not in followed:
            text = f"no robot, object or target {quoted(followed)}{hint(followed, names)}; known: {choices(names)}"
            problems.add(entry.value_spans[-1], text)
        _check_renderer(content, problems)
        return content

    def forget(self, page: Page, removed: RemovedNames) -> None:
        """Let a camera follow no robot that is gone."""
        for section in page.sections("VIEW"):
            line = section.line("camera")
            words = line.values if line is not None else []
            if line is not None and len(words) == 2 and {words[1], words[1].partition("/")[0]} & {*removed.robots}:
                remove_line(page.document, section, line)


def _check_renderer(content: Presentation, problems: Problems) -> None:
    """Note a renderer that is not installed: neither built in, nor of a package or a file of plugins."""
    entry, names = find_entry(content.entries, "renderer"), sorted(plugins.registered(RENDERERS))
    if entry and content.renderer and content.renderer not in names:
        text = f"no renderer {quoted(content.renderer)}{hint(content.renderer, names)}; known: {choices(names)}"
        problems.add(entry.value_spans[-1], text)


PRESENTATION = PresentationSection()


def presentation_of(spec: RunSpec) -> Presentation:
    """Return how a run is shown."""
    return PRESENTATION.of(spec.scenario)
