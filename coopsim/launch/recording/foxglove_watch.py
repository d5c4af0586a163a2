"""The file for Foxglove beside a recording, as the launcher sees it: when it is written, what is reported."""

from pathlib import Path
from typing import Any, Protocol

from coopsim.errors import CoopsimError
from coopsim.replay.places import foxglove_file


class FoxgloveReporter(Protocol):
    """The part of the launcher's view that is used here."""

    def note(self, text: str) -> None:
        """Print a line."""

    def complain(self, text: str) -> None:
        """Print a complaint."""


class FoxgloveWatch:
    """Follows a recorder that makes such a file once its recording is closed.

    Args:
        view: What people see.

    Attributes:
        is_written: Whether it is being written just now.
        is_missing: Whether one could not be written.
    """

    def __init__(self, view: FoxgloveReporter) -> None:
        self._view = view
        self._recording = Path()
        self._is_wanted = self.is_written = self.is_missing = False

    def expect(self, recording: Path, *, is_wanted: bool) -> None:
        """A recording begins; in the end such a file is wanted, or not."""
        self._recording, self._is_wanted, self.is_written = recording, is_wanted, False

    @property
    def file(self) -> Path:
        """Path of the file."""
        return foxglove_file(self._recording)

    @property
    def cure(self) -> str:
        """Cure when it is missing."""
        return (
            f"the recording {self._recording} is whole; `coopsim export {self._recording} --mcap OUT` makes such a file"
        )

    def begin(self) -> bool:
        """The recording is closed; return whether the file follows."""
        self.is_written = self._is_wanted
        if self.is_written:
            self._view.note(f"writing {self.file}")
        return self.is_written

    def close(self, messages: int) -> dict[str, Any]:
        """Note that the file is there; return what the status of the recording says of it."""
        self.is_written = False
        self._view.note(f"{self.file}: {messages} messages")
        return {"foxglove": str(self.file)}

    def lose(self, problem: CoopsimError) -> dict[str, Any]:
        """Note that it will not come; return what the status of the recording says of it."""
        self.is_written, self.is_missing = False, True
        self._view.complain(f"{problem}\n  {self.cure}")
        return {"problem": str(problem)}
