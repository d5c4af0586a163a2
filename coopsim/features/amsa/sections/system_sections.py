"""Sections `[SYSTEM_n]` in a run: systems of components on board of its robots."""

from collections.abc import Sequence

from coopsim.features.amsa.sections.system_section import read_systems
from coopsim.features.amsa.sections.system_spec import SystemSection
from coopsim.robots.catalogue import Placed
from coopsim.robots.section_family import Equipment, SectionFamily
from coopsim.scene import Event, Problems, Section


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
