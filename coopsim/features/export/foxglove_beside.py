"""The file for Foxglove beside a recording: made from it once it is closed, so that nothing here can harm it."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from coopsim.errors import CannotRecord, CoopsimError
from coopsim.features.export.foxglove import export_foxglove
from coopsim.features.export.foxglove_messages import Messages
from coopsim.recording import Recording
from coopsim.replay.places import check_way, foxglove_file, make_way


class FoxgloveFile:
    """A file that will be made.

    Args:
        recording: What it will be made from.
        overwrite: Whether it may replace an older one.

    Attributes:
        path: Where it will be.

    Raises:
        NoSuchPlugin: The packages that know Foxglove's messages are not installed.
        CannotRecord: Something is there that must stay.
    """

    def __init__(self, recording: Path, *, overwrite: bool) -> None:
        Messages()
        self._recording, self.path = recording, foxglove_file(recording)
        check_way(self.path, overwrite=overwrite)

    def make_way(self) -> None:
        """Remove an older file: it would not belong to the new recording.

        Raises:
            CannotRecord: It cannot be removed.
        """
        make_way(self.path)

    def write(self, pulse: Callable[[], None]) -> int:
        """Write the file from the recording; return how many messages it has.

        What is written is called `.part` until it is whole.

        Args:
            pulse: Called now and then, as a sign of life.

        Raises:
            CannotRecord: It cannot be written; no half of it is left.
        """
        draft = self.path.with_name(f"{self.path.name}.part")
        try:
            with Recording.open(self._recording) as recording:
                count = export_foxglove(recording, draft, pulse=pulse)
            draft.replace(self.path)
        except (OSError, CoopsimError) as problem:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            reason = problem.strerror if isinstance(problem, OSError) else problem
            raise CannotRecord(f"{self.path}: {reason}") from None
        return count
