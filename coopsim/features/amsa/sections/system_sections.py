"""Sections `[SYSTEM_n]` in a run: systems of components on board of its robots."""

from collections.abc import Sequence

from coopsim.features.amsa.sections.system_spec import SystemSection
from coopsim.robots.catalogue import Placed
from coopsim.robots.section_family import Equipment, SectionFamily
from coopsim.scene import Event, Problems, Section, values
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys


# `[SYSTEM_n]` sections: systems of components on board of robots.
def _words(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(words)


SYSTEM_KEYS: Keys = {
    "file": SectionKey(values.text, is_needed=True),
    "robots": SectionKey(values.names, is_needed=True),
    "scenario": SectionKey(values.text),
    "input": SectionKey(_words, repeats=True),
    "output": SectionKey(_words, repeats=True),
}


def read_systems(sections: Sequence[Section], problems: Problems) -> list[SystemSection]:
    """Return what `[SYSTEM_n]` sections say; what they name is looked at later."""
    systems = []
    for section in sections:
        keys = read_keys(section, SYSTEM_KEYS, problems)
        if not lacks(keys, SYSTEM_KEYS):
            entries = {name: keys[name] for name in ("file", "robots", "scenario") if name in keys}
            systems.append(SystemSection(**entries, span=section.span, entries=section.entries()))
    return systems


class SystemSections(SectionFamily[Sequence[SystemSection]]):
    """`[SYSTEM_n]`: a model, the robots that carry it, and what its data are bound to."""

    name, heads = "systems", ("SYSTEM_",)

    def read(self, sections: Sequence[Section], problems: Problems) -> Sequence[SystemSection]:
        """Return what the sections say."""
        return tuple(read_systems(sections, problems))

    def equip(
        self, content: Sequence[SystemSection], equipment: Equipment, problems: Problems, /
    ) -> tuple[Placed, tuple[Event, ...]]:
        """Return the robots with their systems, and what scenarios of parameters do at their times."""
        from coopsim.features.amsa.sections.systems import (
            SystemFitting,  # each process of a run would load it, and few need it
        )

        fitting = SystemFitting(equipment.registry.devices, equipment.folder, problems)
        fitted = fitting.fitted(content, equipment.placed)
        return fitted.placed, tuple(fitted.events)

    def check(self, _content: Sequence[SystemSection], _scene: object, _problems: Problems, /) -> None:
        """Return nothing: the systems are on board."""
        return


SYSTEMS = SystemSections()
