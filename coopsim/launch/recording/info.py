"""Metadata of a recording, and the path for one that a message asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from coopsim.launch.config import LaunchConfig
from coopsim.launch.options import started_controllers
from coopsim.replay.about import BEGINS_RUN, attachments, chosen, metadata
from coopsim.replay.places import FOLDER, allowed, new_file, usual_name


@dataclass(frozen=True, slots=True)
class RecordingInfo:
    """Facts that a recording states besides its records."""

    scenario: str
    metadata: Mapping[str, Any]
    attachments: Mapping[str, str]

    def said(self, *, is_from_start: bool) -> tuple[dict[str, Any], dict[str, str]]:
        """Return metadata and attachments; of a recording from the start of a run that goes on from nothing, so."""
        begins = {"begins": BEGINS_RUN} if is_from_start and "parent" not in self.metadata else {}
        return {**self.metadata, **begins}, dict(self.attachments)


def asked_place(name: str, scenario: str) -> Path:
    """Return where a recording goes; without a name it is a new file.

    Raises:
        ForbiddenFile: The name leads out of the folder, or is none.
        CannotRecord: The folder cannot be made.
    """
    now = datetime.now()
    path = allowed(name or usual_name(scenario, now), Path(FOLDER))
    return path if name else new_file(path.parent, scenario, now)


def closing_loss(path: Path, size: int) -> str:
    """Return in words what is wrong with a file that was closed just now with `size` bytes, "" = nothing."""
    size_now = _size_of(path)
    if size_now == size:
        return ""
    now = "is not there any more" if size_now is None else f"has {size_now} bytes now, not {size}"
    return f"; but this file {now}: somebody else changed it"


def kept_text(path: Path) -> str:
    """Return in words what is in the file of a recording that failed."""
    size = _size_of(path)
    if size is None:
        return f"{path} is not there any more"
    return f"what {path} holds now, {size / 1e6:.2f} MB, can be read, see `coopsim info`"


def _size_of(path: Path) -> int | None:
    """Return how many bytes a file has, None where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return None


# Metadata of a run in its recordings.
def recorded_run(order: LaunchConfig) -> RecordingInfo:
    """Return what a recording says about a run."""
    spec, options = order.spec, order.options
    parent = None if options.origin is None else options.origin.parent
    texts = attachments(spec, options.flags if parent is None else None)
    more: dict[str, Any] = {"notes": dict(options.notes), "controllers": started_controllers(spec, options)}
    said = metadata(spec, options.flags, parent, order.run, **more)
    return RecordingInfo(spec.scenario.file, said if parent is None else {**said, **chosen(texts, spec)}, texts)
