"""`[SYSTEM_n]` sections: systems of components on board of robots."""

from collections.abc import Sequence

from coopsim.features.amsa.sections.system_spec import SystemSection
from coopsim.scene import values
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.problems import Problems


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
