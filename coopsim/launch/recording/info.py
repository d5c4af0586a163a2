"""What a recording says besides its records, and where one goes that was asked for by message."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from coopsim.replay.places import FOLDER, allowed, new_file, usual_name


@dataclass(frozen=True, slots=True)
class RecordingInfo:
    """What a recording says besides its records."""

    scenario: str
    metadata: Mapping[str, Any]
    attachments: Mapping[str, str]


def asked_place(name: str, scenario: str) -> Path:
    """Return where a recording goes; without a name it is a new file.

    Raises:
        ForbiddenFile: The name leads out of the folder, or is none.
        CannotRecord: The folder cannot be made.
    """
    now = datetime.now()
    path = allowed(name or usual_name(scenario, now), Path(FOLDER))
    return path if name else new_file(path.parent, scenario, now)
