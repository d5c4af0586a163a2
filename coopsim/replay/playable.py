"""A recording that is being shown: its records by position and number, its layouts, and what parameters were then."""

from pathlib import Path

from coopsim.errors import DamagedRecording, ForbiddenFile, NotARecording
from coopsim.recording import Recording, Scrubber
from coopsim.replay.offered_modules import OfferedModuleHistory
from coopsim.replay.parameters import ParameterHistory
from coopsim.state import Layout, Record

_FACTS = ("scenario", "seed", "engine", "caption", "camera", "game", "renderer")
_SHOWN = 80  # letters of a name that a file tells


class PlayableRecording:
    """A recording with everything that showing it needs.

    Args:
        path: The file.

    Attributes:
        path: The file, without detours.
        begin_ns: Position of the first record.
        end_ns: Position of the last one.

    Raises:
        NotARecording: It is none.
        DamagedRecording: It holds no record; also by every method that meets a damaged part.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recording = Recording.open(path)
        try:
            self._scrubber = Scrubber(self.recording)
            if not len(self.recording):
                raise DamagedRecording(f"{path}: the recording holds no record")
            self.begin_ns, self.end_ns = self.recording.begin_ns, self.recording.end_ns
            self.parameters, self.offered_modules = (
                ParameterHistory(self.recording),
                OfferedModuleHistory(self.recording),
            )
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self.recording)

    def number_at(self, position_ns: int) -> int:
        """Return the number of the last record at or before a position."""
        return self._scrubber.number_at(position_ns)

    def position_ns(self, number: int) -> int:
        """Return where a record lies."""
        return self._scrubber.position_ns(number)

    def at(self, number: int) -> tuple[Layout, Record]:
        """Return a record and its layout."""
        record = self._scrubber.record(number)
        return self.recording.layout(record.generation), record

    @property
    def facts(self) -> dict[str, object]:
        """Facts for `/sim/info`: scenario, seed and engine of the run, and the file."""
        metadata = self.recording.metadata
        facts: dict[str, object] = {name: metadata[name] for name in _FACTS if name in metadata}
        recorded = {"recorded_run": metadata["run"]} if "run" in metadata else {}
        offered = {"offered": self.offered_modules.offered} if self.offered_modules.offered else {}
        return {**facts, "recording": self.path.name, **recorded, **offered}

    def close(self) -> None:
        """Close the file."""
        self.recording.close()


class RecordingLibrary:
    """Recordings that may be shown: those in some folders, and what lies below them.

    Args:
        folders: Where they are; names are looked for in this order.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = tuple(folder.resolve() for folder in folders)

    def find(self, name: str) -> Path:
        """Return the path of a recording.

        Args:
            name: Its name in one of the folders, or a path into one.

        Raises:
            ForbiddenFile: It lies outside.
            NotARecording: It is not there.
        """
        shown, leads_outside = name[:_SHOWN], False
        for folder in self._folders:
            path = _resolved(folder, name)
            if path is None or not any(path.is_relative_to(allowed_folder) for allowed_folder in self._folders):
                leads_outside = True
            elif _is_file(path):
                return path
        if leads_outside:
            raise ForbiddenFile(f"{shown!r} lies outside of {self._named}; recordings are loaded from there alone")
        raise NotARecording(f"there is no recording {shown!r} in {self._named}")

    @property
    def _named(self) -> str:
        return " and ".join(str(folder) for folder in dict.fromkeys(self._folders))


def _resolved(folder: Path, name: str) -> Path | None:
    """Return where a name leads, None if that is nowhere."""
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):  # a name with NUL in it, or a circle of links
        return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long
        return False
