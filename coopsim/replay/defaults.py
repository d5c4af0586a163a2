"""Defaults that were others in older versions: what their files leave out meant something else then.

A recording holds every setting as it was in force (`run.json`), and beside it the texts, which leave settings out. Read
again, a text gets the defaults of today. Whoever changes a default adds a row here and counts up
`coopsim.version.defaults_revision`, which recordings hold; older ones do not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UNKNOWN = 0
"""Revision of the defaults of recordings that say nothing of it."""


@dataclass(frozen=True, slots=True)
class FormerDefault:
    """A default as it was.

    Attributes:
        until: The first revision that has another one.
        name: Of a setting of `[SIMULATION]`.
        value: What was in force where nothing was said.
    """

    until: int
    name: str
    value: Any


FORMER = (FormerDefault(1, "patience", 0.5),)


def former(name: str, revision: int) -> tuple[Any, ...]:
    """Return what else a setting may have been where a text says nothing of it.

    Args:
        name: Of the setting.
        revision: Of the defaults of the version that wrote the recording; `UNKNOWN` where it does not say.
    """
    return tuple(default.value for default in FORMER if default.name == name and revision < default.until)


def revision_of(metadata: Mapping[str, Any]) -> int:
    """Return the revision of the defaults that a recording was made with."""
    program = metadata.get("program")
    stated = program.get("defaults_revision") if isinstance(program, dict) else None
    return stated if isinstance(stated, int) else UNKNOWN
