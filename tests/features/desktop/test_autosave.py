"""Autosave: a window is killed before anything was saved, and the next one brings the edits back."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import edited_window
import pytest
from pyglet.window import key
from test_first_user import keep
from test_viewer_managers import click, frame, press
from viewer_live import draw_until

from coopsim.features.desktop import changes
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.autosave.edit_log import EditLog, from_plain, to_plain
from coopsim.features.desktop.autosave.recovery import EditRecovery
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
from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.recent import UserFolders

SCENE = "# mine\n[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n"
EDITS = (
    Several((Changed("a", {"color": "255 0 0"}, {"color": "0 255 0"}),)),
    Several((Inserted("b", "[OBJECT_1]\nname b\n"), ParameterSet("/a/motors", "max_speed", 1.0, 2.0))),
    Several((Removed("b", "[OBJECT_1]\nname b\n"),)),
)
EACH = (
    Renamed("a", "c", "[OBJECT_1]\nname c\n", "[OBJECT_1]\nname a\n"),
    Rebuilt("t", "[ROBOT_1]\ntype team2\nname t\ncarriers 4\n", "[ROBOT_1]\ntype team2\nname t\n"),
    Pulled("a", {"position": "0 0 0"}, {"position": "1 0 0"}),
    Driven("a b", "[]", '[["wander", ["a", "b"], {"speed": 0.2}]]'),
)
"""Of the kinds of changes that `EDITS` lacks, one each."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a scene, and with what a killed window left behind."""
    folder = tmp_path_factory.mktemp("killed")
    scene = folder / "mine.scenario"
    scene.write_text(SCENE, encoding="utf-8")
    command = (sys.executable, edited_window.__file__, str(scene), str(folder / "unsaved"))
    temporary = folder / "tmp"
    temporary.mkdir()
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=paths) as window:
        assert window.stdout is not None
        try:
            words = window.stdout.readline().split()
        finally:
            window.kill()
    assert window.returncode == -signal.SIGKILL
    assert words[0] == "edited"
    with suppress(ProcessLookupError):  # where it has ended already
        _await_end(os.pidfd_open(int(words[1])))
    return folder


def _await_end(process: int) -> None:
    """Wait for the end of a run whose window was killed."""
    try:
        assert select.select([process], [], [], 30.0)[0], "the run goes on without its window"
    finally:
        os.close(process)


@pytest.fixture
def application(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    temporary = folder / "tmp"
    (left,) = temporary.glob("coopsim-gui-*")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with OwnRun() as neighbour, OwnRun() as own:
        assert not left.exists(), "the folder of the killed window is removed"
        assert {neighbour.ready.parent, own.ready.parent} == set(temporary.glob("coopsim-gui-*")), (
            "those of living ones stay"
        )
        own.begin("empty.world")
        folders = UserFolders(unsaved=folder / "unsaved")
        window = Application(ViewerLink(own.locate()), (1280, 800), own.exchange, folders)
        window.settings.quality, window.documents.file = "low", "empty.world"
        draw_until(window, lambda: window.documents.recovery.offered is not None)
        yield window
        window.close()


@pytest.mark.integration
def test_edits_of_a_killed_window_are_recovered_and_saved(application: Application, folder: Path) -> None:
    scene, documents = folder / "mine.scenario", application.documents
    assert scene.read_text(encoding="utf-8") == SCENE, "nothing was saved yet"
    frame(application, 3)
    keep(application, "recovery")
    click(application, "recovery.accept")
    draw_until(application, lambda: not documents.recovery.is_going and documents.file == str(scene))
    draw_until(application, lambda: "robot2" in application.session.names)
    assert "recovered 3 of 3 edits of mine.scenario" in application.session.notes
    assert "box1" not in application.session.names, "it was undone"
    assert documents.has_unsaved, "recovered is not saved"
    history = application.session.editor.history
    assert history.next_undo == "move robot2"
    keep(application, "recovered")
    (log,) = (folder / "unsaved").iterdir()
    assert len(log.read_text(encoding="utf-8").splitlines()) == 4, "this window keeps them now"
    press(application, key.S, key.MOD_CTRL)
    draw_until(application, lambda: not documents.has_unsaved)
    text = " ".join(scene.read_text(encoding="utf-8").split())
    assert text.startswith("# mine [ROBOT_1] type single name robot1")
    assert "color red" in text
    assert "name robot2 position 1 2.5 0" in text
    frame(application, 2)
    assert not list((folder / "unsaved").iterdir()), "saved edits need no recovery"


def test_the_file_says_what_is_left_to_save_and_lives_as_long_as_that(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.follow("a.scenario", ())
    assert not list(tmp_path.iterdir())
    log.follow("a.scenario", EDITS[:1])
    log.follow("a.scenario", EDITS)
    log.follow("a.scenario", EDITS[:2])
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [json.loads(line).keys() for line in file.read_text("utf-8").splitlines()] == [
        {"coopsim", "file"},
        {"did"},
        {"did"},
        {"did"},
        {"back"},
    ]
    log.follow("a.scenario", ())
    assert not list(tmp_path.iterdir())


def test_edits_come_back_as_they_were() -> None:
    edits = [*EDITS, Several(EACH)]
    assert [from_plain(json.loads(json.dumps(to_plain(edit)))) for edit in edits] == edits
    tried = {type(change) for edit in edits for change in edit.changes}
    kinds = {kind for kind in vars(changes).values() if isinstance(kind, type) and hasattr(kind, "requests")}
    assert kinds - {changes.Change} == tried, "whatever a window can do is kept, and read again"
    with pytest.raises(ValueError, match="expected an edit"):
        from_plain([{"kind": "Nothing"}])


def test_only_files_of_dead_windows_are_offered_and_a_torn_line_does_not_count(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.follow("a.scenario", EDITS)
    opened: list[str] = []
    recovery = EditRecovery(None, tmp_path, opened.append)  # type: ignore[arg-type]
    recovery.search()
    assert recovery.offered is None, "its window lives"
    log.leave()
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    (tmp_path / "other.edits").write_text("no such file\n", encoding="utf-8")
    (tmp_path / "newer.edits").write_text('{"coopsim": 99, "file": "b", "x": 1}\n{"did": []}\n', encoding="utf-8")
    recovery.search()
    assert recovery.offered is not None
    assert recovery.offered.edits == EDITS[:2]
    beside = EditRecovery(None, tmp_path, opened.append)  # type: ignore[arg-type]
    beside.search()
    assert beside.offered is None, "one window offers it"
    recovery.decline(forever=False)
    recovery.search()
    assert recovery.offered is None, "it was declined here"
    beside.search()
    assert beside.offered is not None
    beside.decline(forever=True)
    assert not file.exists()
    assert (tmp_path / "other.edits").exists()
    assert opened == []


def test_a_removal_waits_for_what_was_inserted_however_late_that_is_answered(tmp_path: Path) -> None:
    scene, seen, now, done = str(tmp_path / "a.scenario"), set[str](), [0.0], list[object]()
    history = SimpleNamespace(
        do=lambda *changes: done.append(changes[0]), is_waiting=False, has_unsaved=False, unsaved=()
    )
    session = SimpleNamespace(
        editor=SimpleNamespace(history=history),
        obstacle="",
        names=(),
        note=done.append,
        entity=lambda name: name if name in seen else None,
    )
    log = EditLog(tmp_path)
    log.follow(scene, EDITS[1:])
    log.leave()
    recovery = EditRecovery(session, tmp_path, done.append, lambda: now[0])  # type: ignore[arg-type]
    recovery.search()
    recovery.accept(scene)
    for second in range(60):
        now[0], history.is_waiting = float(second), 0 < second < 57
        if second == 59:
            seen.add("b")
        recovery.advance(scene, is_opening=False)
        assert [type(change) for change in done] == ([Inserted] if second < 59 else [Inserted, Removed])
    recovery.close()


def test_a_folder_that_cannot_be_written_is_told_once_and_editing_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    log = EditLog(tmp_path / "file")
    log.follow("a.scenario", EDITS[:1])
    assert "edits are not kept for recovery" in log.problem
    (tmp_path / "file").unlink()  # a part of the edits would be no recovery
    log.follow("a.scenario", EDITS[:2])
    log.leave()
    assert not (tmp_path / "file").exists()
