"""Files that were open in a window before."""

import json
import os
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


def usual_place() -> Path:
    """Return where a person's recent files are kept."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "coopsim" / "recent.json"


def _read(place: Path | None) -> list[str]:
    try:
        content = json.loads(place.read_text(encoding="utf-8")) if place is not None else []
    except (OSError, ValueError):
        return []  # there is none yet, or it is none of ours
    return [str(entry) for entry in content][:_MOST] if isinstance(content, list) else []
