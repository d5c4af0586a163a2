"""Recovery: files of edits that windows left behind, and carrying their edits out anew."""

import fcntl
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from coopsim.features.desktop.autosave.edit_log import FORMAT, SUFFIX, absolute, from_plain
from coopsim.features.desktop.changes import Rebuilt, Removed, Renamed, Several, members
from coopsim.features.desktop.session import ViewerSession

_PATIENCE = 3.0
"""Time after its answer for what an edit inserted to be seen, before the next edit removes it [s]."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """Edits that were not saved when their window ended.

    Attributes:
        path: File that holds them.
        file: The scene that was edited.
        ended: When the last edit was kept [s since 1970].
        edits: In their order.
        descriptor: Of the file, locked: no other window offers it meanwhile.
    """

    path: Path
    file: str
    ended: float
    edits: tuple[Several, ...] = field(repr=False)
    descriptor: int


class EditRecovery:
    """Offers what a window left behind, the newest first, and carries it out where somebody wants it.

    Args:
        session: Carries the edits out.
        folder: Where windows leave them, None = nowhere.
        open_file: Shows a scene in the place of what is shown.
        clock: Real time [s].

    Attributes:
        offered: Edits that may be recovered, None = there are none.
    """

    def __init__(
        self,
        session: ViewerSession,
        folder: Path | None,
        open_file: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session, self._folder, self._open_file, self._clock = session, folder, open_file, clock
        self.offered: Leftover | None = None
        self._declined: set[Path] = set()
        self._source: Leftover | None = None
        self._waiting: deque[Several] = deque()
        self._since = 0.0

    @property
    def is_going(self) -> bool:
        """Whether edits are being carried out."""
        return self._source is not None

    def search(self) -> None:
        """Offer the newest edits that a window left behind, if nothing is offered."""
        if self._folder is None or self.offered is not None or self.is_going:
            return
        leftovers = sorted(_leftovers(self._folder, self._declined), key=lambda leftover: leftover.ended)
        self.offered = leftovers.pop() if leftovers else None
        for leftover in leftovers:
            os.close(leftover.descriptor)

    def accept(self, shown: str) -> None:
        """Carry out what is offered, once its scene is shown.

        Args:
            shown: File of the scene that is shown now.
        """
        self._source, self.offered = self.offered, None
        if self._source is not None:
            self._waiting, self._since = deque(self._source.edits), 0.0
            if absolute(shown) != self._source.file or self._session.editor.history.has_unsaved:
                self._open_file(self._source.file)

    def decline(self, *, forever: bool) -> None:
        """Offer it no more.

        Args:
            forever: Its file is removed; else the next window offers it.
        """
        leftover, self.offered = self.offered, None
        if leftover is not None:
            self._declined.add(leftover.path)
            _release(leftover, remove=forever)
            self.search()

    def advance(self, shown: str, *, is_opening: bool) -> None:
        """Carry out the next edit when the one before is answered; called with each picture.

        Args:
            shown: File of the scene that is shown now.
            is_opening: Whether another one is just being started.
        """
        source, history = self._source, self._session.editor.history
        if source is None or is_opening:
            return
        if absolute(shown) != source.file:
            self._end(source, f"{source.file} was not opened: its edits stay for the next window", remove=False)
        elif self._session.obstacle or history.is_waiting:
            self._since = self._clock()  # an engine may compile kernels for a minute before it answers
        elif not self._is_ready():
            return
        elif self._waiting:
            history.do(*self._waiting.popleft().changes)
            self._since = self._clock()
        else:
            # all that was asked for is answered: what failed was told by itself
            total = len(source.edits)
            text = f"recovered {min(total, len(history.unsaved))} of {total} edits of {Path(source.file).name}"
            self._end(source, text, remove=True)

    def close(self) -> None:
        """Leave what nobody decided about to the next window."""
        for leftover in (self.offered, self._source):
            if leftover is not None:
                _release(leftover, remove=False)
        self.offered = self._source = None

    def _is_ready(self) -> bool:
        """Return whether what the next edit removes is there; a removal of what nobody sees would do nothing."""
        if not self._waiting or self._clock() > self._since + _PATIENCE:
            return True
        removals = [change for change in self._waiting[0].changes if isinstance(change, Removed | Renamed | Rebuilt)]
        names = [change.before if isinstance(change, Renamed) else change.name for change in removals]
        return all(members(self._session, name) for name in names)

    def _end(self, source: Leftover, text: str, *, remove: bool) -> None:
        self._session.note(text)
        self._source = None
        self._declined.add(source.path)
        _release(source, remove=remove)
        self.search()


def _leftovers(folder: Path, declined: set[Path]) -> Iterator[Leftover]:
    """Yield what can be recovered out of a folder, each locked."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        leftover = None if path in declined else _leftover(path)
        if leftover is not None:
            yield leftover


def _leftover(path: Path) -> Leftover | None:
    """Return what a file holds, None where its window lives, or it holds no edit."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None  # its window has just removed it
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        header, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
        facts, edits = json.loads(header), _edits(lines)
        if facts["coopsim"] == FORMAT and edits:
            return Leftover(path, str(facts["file"]), path.stat().st_mtime, tuple(edits), descriptor)
    except (OSError, ValueError, KeyError, TypeError):
        pass  # it is locked by a window that lives, or is none of ours: it stays as it is
    os.close(descriptor)
    return None


def _edits(lines: list[str]) -> list[Several]:
    """Return the edits of a file; a last line that was cut off by the kill does not count."""
    edits: list[Several] = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            if "did" in row:
                edits.append(from_plain(row["did"]))
            elif edits:
                edits.pop()
        except ValueError:
            if number < len(lines):
                raise
    return edits


def _release(leftover: Leftover, *, remove: bool) -> None:
    if remove:
        leftover.path.unlink(missing_ok=True)
    os.close(leftover.descriptor)
