"""Files that are opened, saved and recorded from a window, and what is wrong with them."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from coopsim.errors import BadFile, CannotSave, CoopsimError, ForbiddenFile
from coopsim.features.desktop.autosave.edit_log import EditLog
from coopsim.features.desktop.autosave.recovery import EditRecovery
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.recent import RecentFiles
from coopsim.features.desktop.session import ViewerSession

if TYPE_CHECKING:
    from coopsim.client import Client

EMPTY = "empty.world"
RECORDING = ".mcap"
SCENES = (".scenario", ".world")
_WORLD, _RECORDER = "/sim/world", "/sim/recorder"

Opener = Callable[[str], str]
"""Starts a file in the place of what runs, returns where it answers. It may take seconds."""


@dataclass(frozen=True, slots=True)
class FileMistake:
    """Mistake in a file, and its place.

    Attributes:
        file: Its name.
        line: From 1 on, 0 = it is not about a line.
        column: From 1 on.
        text: What is wrong.
        source: The line itself as it was then, "" = it cannot be read.
    """

    file: str
    line: int
    column: int
    text: str
    source: str = ""


class Documents:
    """The file that a window shows.

    Args:
        session: What shows it.
        opener: Starts another file; None = this window did not start what it shows, and has it loaded by message.
        recent: Files that were open before.
        unsaved: Folder for edits that are not saved yet, None = they are kept nowhere.

    Attributes:
        file: What is shown came from it, "" = it is not known here.
        mistakes: Of the last file that could not be opened, or saved.
        is_opening: Whether a file is just being started.
        recent: Files that were open before.
        recovery: Edits that a window left behind.
        death: Returns why the run is dead, and what was recorded of it; None = it is not known to be.
        begin: Starts a scene in a window of its own, None = nobody can.
        continuer: Goes on from the end of a recording in the place of what runs, None = nobody can.
        guard: Does something that unsaved changes would be lost by, perhaps after a question.
        ask_name: Asks under which name to save, None = nobody can.
    """

    def __init__(
        self,
        session: ViewerSession,
        opener: Opener | None = None,
        recent: RecentFiles | None = None,
        unsaved: Path | None = None,
    ) -> None:
        self._session, self.opener = session, opener
        # the run of others goes on without this window, with all edits: nothing is lost
        kept_in = None if opener is None else unsaved
        self._edit_log, self.recovery = EditLog(kept_in), EditRecovery(session, kept_in, self._open)
        self._has_searched = self._leaves_edits = self._goes_on = False
        self.recent = recent if recent is not None else RecentFiles(None)
        self.file, self.is_opening = "", False
        self.death: Callable[[], Mapping[str, Any] | None] = lambda: None
        self.begin: Callable[[str], None] | None = None
        self.continuer: Opener | None = None
        self.guard: Callable[[Callable[[], None]], None] = lambda act: act()
        self.ask_name: Callable[[], None] | None = None
        self.mistakes: tuple[FileMistake, ...] = ()
        self._opened: SimpleQueue[tuple[str, str | CoopsimError]] = SimpleQueue()

    @property
    def can_begin(self) -> bool:
        """Whether a run can be started in the place of one that is dead."""
        return (self.opener is not None and bool(self.file)) or self.begin is not None

    def start_again(self) -> None:
        """Start what was shown once more."""
        if self.opener is not None and self.file:
            # a dead run cannot be saved; its edits are offered again when it is there anew
            self._leaves_edits = True
            self._open(self.file)
        elif self.begin is not None:
            death = self.death() or {}
            self.begin(self.file or str(death.get("scene") or self._session.link.facts.scenario))

    def go_on(self, recording: Path) -> None:
        """Start a run that goes on from the end of a recording: in this window, if that started what died."""
        if self.continuer is not None and self.file and not self.is_opening:
            self.mistakes, self.is_opening, self._goes_on = (), True, True
            self._session.note(f"goes on with {self.file}")
            threading.Thread(target=self._continue, args=(self.continuer, str(recording)), daemon=True).start()
        elif self.continuer is None and self._session.begin_beside is not None:
            self._session.begin_beside(recording, None)

    def new(self) -> None:
        """Show an empty floor."""
        self.open(EMPTY)

    def open(self, file: str) -> None:
        """Show another file: a scenario, a world or a recording."""
        self.guard(lambda: self._open(file))

    @property
    def has_unsaved(self) -> bool:
        """Whether something was edited here since the scene was opened or saved."""
        return self._session.editor.history.has_unsaved

    def forget_changes(self) -> None:
        """Take what was edited for saved: it is to be lost."""
        self._session.editor.history.saved()

    def _open(self, file: str) -> None:
        self.mistakes = ()
        if self.opener is not None and not self.is_opening:
            self.is_opening = True
            self._session.note(f"opens {file}")
            threading.Thread(target=self._start, args=(self.opener, file), daemon=True).start()
        elif self.opener is not None:
            self._session.note(f"{file} is not opened: another file is on its way; open it again when that is there")
        elif file.lower().endswith(RECORDING):
            self._session.note("this window shows what others started; coopsim gui opens recordings")
        else:
            self._session.link.ask(
                lambda simulation: simulation.module(_WORLD).load(file),
                then=lambda _: self._is_open(file),
                failed=lambda problem: self._refuse(file, problem),
            )

    def save(self, file: str = "", *, overwrite: bool = False) -> None:
        """Write what there is; lines that did not change stay as they were.

        Args:
            file: A scenario or a world, "" = where it came from.
            overwrite: Whether another file of this name is replaced.
        """
        self.mistakes, link = (), self._session.link

        def write(simulation: "Client") -> tuple[str, ...]:
            files: tuple[str, ...] = simulation.module(_WORLD).save(file, 0, int(overwrite)).files
            link.receive_scene(simulation)  # it is called as its file from now on
            return files

        link.ask(
            write,
            then=lambda files: self._saved(files, file),
            failed=lambda problem: self._unsaved(file, problem),
        )

    def toggle_recording(self, images: str = "") -> None:
        """Begin to record the run, or end that.

        Args:
            images: "color", "depth" or "both" of what cameras take comes into the recording, too.
        """
        is_going = bool(self._session.link.facts.recording)
        command = "stop" if is_going else "start"
        values = ("", 0, images) if images and not is_going else ()
        self._session.link.ask(
            lambda simulation: str(getattr(simulation.module(_RECORDER), command)(*values).file),
            then=lambda file: self._session.note(f"{'records to' if command == 'start' else 'recorded:'} {file}"),
            failed=lambda problem: self._refuse("", problem),
        )

    def advance(self) -> None:
        """Take over what was opened, and keep what was edited; called with each picture."""
        self._adopt_opened()
        self._keep_edits()

    def close(self) -> None:
        """Leave edits that nobody saved or gave up for the next window."""
        self._keep_edits()
        self._edit_log.leave()
        self.recovery.close()

    def _keep_edits(self) -> None:
        if not self._has_searched and self._session.is_connected:
            self._has_searched = True
            self.recovery.search()
        self.recovery.advance(self.file, is_opening=self.is_opening)
        before = self._edit_log.problem
        self._edit_log.follow(self.file, self._session.editor.history.unsaved)
        if self._edit_log.problem != before:
            self._session.note(self._edit_log.problem)

    def _adopt_opened(self) -> None:
        try:
            file, document = self._opened.get_nowait()
        except Empty:
            return
        self.is_opening = False
        leaves_edits, goes_on = self._leaves_edits, self._goes_on
        self._leaves_edits = self._goes_on = False
        if isinstance(document, CoopsimError):
            self._refuse(file, document)
            return
        if leaves_edits:
            self._edit_log.leave()
        edits = self._session.editor.history.all
        self._session.link.close()
        self._session.attend(ViewerLink(document))
        if goes_on:
            self._session.editor.history.resume(edits)  # they are in what goes on, and still unsaved
        else:
            self._is_open(file)

    def _start(self, opener: Opener, file: str) -> None:
        """Look at a file and start it, in a thread of its own: what runs goes on until the file is known to be good."""
        from coopsim.recording import Recording  # here, for the first picture does not wait for them
        from coopsim.robots import load

        try:
            if file.lower().endswith(RECORDING):
                Recording.open(Path(file)).close()
            else:
                load(file)
            self._opened.put((file, opener(file)))
        except CoopsimError as problem:
            self._opened.put((file, problem))

    def _continue(self, continuer: Opener, recording: str) -> None:
        """Go on from a recording, in a thread of its own."""
        try:
            self._opened.put((self.file, continuer(recording)))
        except CoopsimError as problem:
            self._opened.put((self.file, problem))

    def _is_open(self, file: str) -> None:
        self._session.editor.history.saved()
        self.file = file
        self.recent.add(file)
        self._session.note(f"open: {file}")
        self._has_searched = False

    def _unsaved(self, file: str, problem: CoopsimError) -> None:
        """Ask for a name where what is shown has none that may be written; else say what is wrong."""
        if not file and self.ask_name is not None and isinstance(problem, ForbiddenFile | CannotSave):
            self._session.note(str(problem).partition("\n")[0])
            self.ask_name()
        else:
            self._refuse(file, problem)

    def _saved(self, files: tuple[str, ...], file: str) -> None:
        self._session.editor.history.saved()
        # a world out of a scenario is a copy; what else was saved under a name is shown from now on
        if file and (file.endswith(SCENES[0]) or self.file.endswith(SCENES[1])):
            self.file = files[-1] if files else file
            self.recent.add(self.file)
        self._session.note(f"saved: {', '.join(files)}" if files else "nothing has changed since it was saved")

    def _refuse(self, file: str, problem: CoopsimError) -> None:
        self.mistakes = mistakes_of(file, problem)
        self._session.note(str(problem).partition("\n")[0])


def mistakes_of(file: str, problem: CoopsimError) -> tuple[FileMistake, ...]:
    """Return what an error says of a file, a line each."""
    parts = list(problem.params) if isinstance(problem, BadFile) else []
    rows = [parts[start : start + 4] for start in range(0, len(parts) - 3, 4)]
    if not rows:
        return (FileMistake(file, 0, 0, str(problem)),)
    return tuple(
        FileMistake(str(a), int(line), int(column), str(text), _line_of(str(a), int(line)))
        for a, line, column, text in rows
    )


def _line_of(file: str, number: int) -> str:
    """Return a line of a file, "" where it cannot be read."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines() if number else []
    except (OSError, UnicodeDecodeError):
        return ""
    return lines[number - 1].replace("\t", " ") if 0 < number <= len(lines) else ""
