"""Files that a person's windows keep: what was open before, and folders for the rest."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

_MOST = 10  # a menu that fits every screen


class RecentFiles:
    """The newest files, the last one first; kept from one window to the next.

    Args:
        place: File that keeps them, None = nothing is kept.
    """

    def __init__(self, place: Path | None) -> None:
        self._place = place
        self._files = _read(place)

    @property
    def files(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._files)

    def add(self, file: str) -> None:
        """Take a file down; a folder that cannot be written keeps nothing."""
        name = str(Path(file).resolve()) if Path(file).exists() else file
        self._files = [name, *(file for file in self._files if file != name)][:_MOST]
        if self._place is not None:
            try:
                self._place.parent.mkdir(parents=True, exist_ok=True)
                self._place.write_text(json.dumps(self._files), encoding="utf-8")
            except OSError:
                self._place = None


@dataclass(frozen=True, slots=True)
class UserFolders:
    """Folders where a person's windows keep what they know from one to the next; None = nothing is kept.

    Attributes:
        recent: File with the names of what was open before.
        pictures: Folder of pictures of scenes.
        unsaved: Folder of what is edited and not saved yet.
    """

    recent: Path | None = None
    pictures: Path | None = None
    unsaved: Path | None = None


def usual_folders() -> UserFolders:
    """Return where a person's windows keep things: what can be made anew lies in the cache."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "coopsim"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "coopsim"
    return UserFolders(state / "recent.json", cache / "scenes", state / "unsaved")


def _read(place: Path | None) -> list[str]:
    try:
        content = json.loads(place.read_text(encoding="utf-8")) if place is not None else []
    except (OSError, ValueError):
        return []  # there is none yet, or it is none of ours
    return [str(entry) for entry in content][:_MOST] if isinstance(content, list) else []
