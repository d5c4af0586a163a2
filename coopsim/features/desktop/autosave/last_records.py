"""Newest records of a run, in memory: what it goes on from when its simulation dies and nobody recorded it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coopsim.errors import CannotRecord
from coopsim.recording import Writer
from coopsim.state import Layout, Record

_BYTES = 64 << 20
"""Most that is kept after a key frame: a second of a thousand robots. Later records are not, until the next one."""


class LastRecords:
    """Keeps the records since the newest key frame; a follower of the records of a run.

    Args:
        most_bytes: Memory limit of the records after a key frame.
    """

    is_over = False

    def __init__(self, most_bytes: int = _BYTES) -> None:
        self._records: list[tuple[Layout, Record]] = []
        self._most, self._bytes, self._is_cut = most_bytes, 0, True

    def add(self, layout: Layout, record: Record) -> None:
        """Keep the next record, if no record between it and the key frame is missing."""
        if record.header.keyframe_bytes:
            self._records, self._bytes, self._is_cut = [], 0, False
        elif not self._is_cut:
            follows = record.header.revision == self._records[-1][1].header.revision + 1
            self._is_cut = not follows or self._bytes + record.header.size > self._most
        if not self._is_cut:
            self._records.append((layout, record))
            self._bytes += 0 if record.header.keyframe_bytes else record.header.size

    def save(self, path: Path, metadata: Mapping[str, Any], attachments: Mapping[str, str]) -> Mapping[str, Any]:
        """Write a recording of what is kept; return its `file` and the `time` of its end [s], {} = there is none.

        Args:
            path: Where it goes; an older one is replaced.
            metadata: What should be known about the run.
            attachments: Texts by name.
        """
        if not self._records:
            return {}
        try:
            path.unlink(missing_ok=True)
            with Writer(path, metadata=metadata, attachments=attachments) as writer:
                self._write(writer)
        except (OSError, CannotRecord):
            return {}  # the run can be started again all the same
        return {"file": str(path.resolve()), "time": self._records[-1][1].header.time_ns / 1e9}

    def _write(self, writer: Writer) -> None:
        written: Layout | None = None
        for layout, record in self._records:
            if layout is not written:
                writer.layout(layout)
                written = layout
            writer.write(record, record.keyframe or None)
