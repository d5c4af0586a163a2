"""File of the edits that are not saved yet: each line an edit, written as soon as it was carried out."""

import fcntl
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from coopsim.features.desktop.changes import (
    Changed,
    Driven,
    Inserted,
    ParameterSet,
    Pulled,
    Rebuilt,
    Removed,
    Renamed,
    Several,
)

SUFFIX = ".edits"
FORMAT = 1
"""Version of the file; a window offers no file of another one."""
_KINDS = {kind.__name__: kind for kind in (Changed, Inserted, Removed, Renamed, Rebuilt, Pulled, ParameterSet, Driven)}


class EditLog:
    """Keeps the edits of a window on disk until they are saved or given up.

    The file is locked while the window lives. The lock of a killed process is free: so the next window knows.

    Args:
        folder: Where the file lies, None = nothing is kept.

    Attributes:
        problem: Why nothing is kept any more, for people; "" = it is.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder, self.problem = folder, ""
        self._path, self._descriptor = Path(), -1
        self._written: list[Several] = []

    def follow(self, file: str, edits: Sequence[Several]) -> None:
        """Bring the file up to date; called with each picture.

        Args:
            file: The scene that was edited.
            edits: Carried out since it was opened or saved; it grows and shrinks at its end.
        """
        same = len(edits) == len(self._written) and (not edits or edits[-1] is self._written[-1])
        if same or self._folder is None:
            return
        try:
            if edits:
                self._append(self._folder, file, edits)
            else:
                self._remove()
        except OSError as problem:
            # editing goes on without it: a full disk is no reason to refuse an edit
            self.problem = f"edits are not kept for recovery: {self._folder}: {problem.strerror}"
            self._folder = None

    def leave(self) -> None:
        """Leave the file behind, where there is any edit: a later window offers it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._written = -1, []

    def _append(self, folder: Path, file: str, edits: Sequence[Several]) -> None:
        if self._descriptor < 0:
            self._begin(folder, file)
        kept = self._common(edits)
        lines = ['{"back": true}'] * (len(self._written) - kept)
        lines += [json.dumps({"did": to_plain(edit)}) for edit in edits[kept:]]
        os.write(self._descriptor, "".join(f"{line}\n" for line in lines).encode())
        self._written = list(edits)

    def _common(self, edits: Sequence[Several]) -> int:
        """Return how many edits at the beginning are written already."""
        count = min(len(edits), len(self._written))
        while count and edits[count - 1] is not self._written[count - 1]:
            count -= 1
        return count

    def _begin(self, folder: Path, file: str) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = folder / f"{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        # others on this machine read no scene that is not theirs
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        header = {"coopsim": FORMAT, "file": absolute(file)}
        os.write(self._descriptor, f"{json.dumps(header)}\n".encode())

    def _remove(self) -> None:
        self._path.unlink(missing_ok=True)
        self.leave()


def absolute(file: str) -> str:
    """Return the whole path of a file; the name of a built-in one stays."""
    return str(Path(file).resolve()) if file and Path(file).exists() else file


def to_plain(edit: Several) -> list[dict[str, Any]]:
    """Return an edit as JSON holds it."""
    return [{"kind": type(change).__name__, **asdict(change)} for change in edit.changes]  # type: ignore[call-overload]


def from_plain(rows: Any) -> Several:
    """Return the edit that `to_plain` was given.

    Raises:
        ValueError: It is none.
    """
    try:
        changes = [_KINDS[row["kind"]](**{key: row[key] for key in row if key != "kind"}) for row in rows]
    except (TypeError, KeyError, AttributeError) as problem:
        raise ValueError(f"expected an edit, got {rows!r:.80}") from problem
    return Several(tuple(changes))
