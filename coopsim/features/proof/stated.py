"""Claims of a recording that no repetition can prove; they are listed as unproved."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from coopsim.recording import RecordBlock, Recording
from coopsim.replay.outcome import Claim
from coopsim.replay.required_plugins import recorded_plugins
from coopsim.state.edits import Edit, Note, OfferModule, PublishEvents, TuneModule, WithdrawModule, WriteModule
from coopsim.version import program

_SAID = ("notes", "began", "run", "versions", "program", "parent", "chosen")
_LONGEST = 60  # letters of a value in a line
_OF_PROGRAMS: dict[type[Edit], str] = {
    OfferModule: "told values",
    WriteModule: "told values",
    WithdrawModule: "told values",
    TuneModule: "told values",
    PublishEvents: "published events",
    Note: "notes of the run",
}
"""Edits that touch no state."""


@dataclass
class _Seen:
    """Edits of one kind."""

    first: int
    last: int
    names: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        names = ", ".join(f"{count} {name}" for name, count in sorted(self.names.items()))
        return (
            f"{names}, tick {self.first}" if self.first == self.last else f"{names}, ticks {self.first} to {self.last}"
        )


class ProgramEdits:
    """Counter of edits by programs, which the proof cannot repeat."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def count(self, block: RecordBlock, row: int) -> None:
        """Count the edits of a record."""
        for applied in block.edits.get(row, ()):
            kind = _OF_PROGRAMS.get(type(applied.edit))
            if kind is not None:
                tick = int(block.ticks[row])
                seen = self._seen.setdefault(kind, _Seen(tick, tick))
                seen.last = tick
                seen.names[_name(applied.edit)] += 1

    @property
    def claims(self) -> list[Claim]:
        """Numbers of what was counted."""
        return [Claim(kind, str(seen)) for kind, seen in self._seen.items()]


def stated_claims(recording: Recording) -> Iterator[Claim]:
    """Yield what metadata and records say that cannot be made again."""
    metadata = recording.metadata
    for name in _SAID:
        if name in metadata:
            yield Claim(f"metadata {name}", _shortened(metadata[name]))
    for plugin in recorded_plugins(recording):
        yield Claim("metadata plugins", f"{plugin['file']} sha256 {plugin['sha256'][:16]}")
    yield Claim("measured times", "lateness, overruns, slipped and wall time: they never become less")
    images = recording.images.places
    if images:
        yield Claim("images", ", ".join(f"{len(places)} of {stream.topic}" for stream, places in images.items()))


def written_by(recording: Recording) -> str:
    """Return what wrote a recording where that is not this program, "" where it is."""
    mine, said = program(), recording.metadata.get("program")
    if not isinstance(said, dict):
        return f"an older version, which names no build; this is build {mine['build']}"
    if said.get("build") == mine["build"]:
        return ""
    return f"version {said.get('version')}, build {said.get('build')}; this is {mine['version']}, build {mine['build']}"


def _name(edit: Edit) -> str:
    if isinstance(edit, Note):
        return _shortened(f"{edit.what} {edit.robot}".strip())
    module = getattr(edit, "module", "")
    return f"{edit.kind} {module}".strip()


def _shortened(value: Any) -> str:
    if isinstance(value, dict):
        value = ", ".join(f"{name} {item}" for name, item in value.items() if not isinstance(item, dict | list) or item)
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
