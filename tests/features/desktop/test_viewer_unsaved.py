"""Session of a first user who saves, or forgets to: the mark of change, the question, and a name that is asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyglet.window import key
from test_first_user import keep
from test_viewer_managers import click, frame, press
from viewer_simulations import SimulationLink

from coopsim.features.desktop.application import Application

SCENE = "[ROBOT_1]\ntype single\nname robot1\n"


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("unsaved")
    (folder / "a.scenario").write_text(SCENE, encoding="utf-8")
    window = Application(SimulationLink(str(folder / "a.scenario")), (1280, 800))  # type: ignore[arg-type]
    window.settings.quality = "low"
    frame(window, 6)
    yield window
    window.close()


@pytest.fixture
def closed(application: Application, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note that the window would be closed, and leave it open; all is saved."""
    ends: list[str] = []
    monkeypatch.setattr(
        application.menus,
        "_do",
        application.menus._do.__class__(
            lambda: ends.append("closed"),
            *(getattr(application.menus._do, name) for name in ("screenshot", "film", "is_filming", "view_menu")),
        ),
    )
    application.documents.forget_changes()
    frame(application)
    return ends


def change(application: Application) -> None:
    application.session.editor.update("robot1", {"color": "255 0 0"})
    frame(application, 3)


def test_a_change_is_marked_in_the_title_until_it_is_saved(application: Application, closed: list[str]) -> None:
    assert not application.documents.has_unsaved
    change(application)
    assert application._title.startswith("\N{BULLET} ")
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert not application._title.startswith("\N{BULLET}")
    change(application)
    press(application, key.S, key.MOD_CTRL)
    frame(application, 3)
    assert application.documents.mistakes == ()
    assert not application._title.startswith("\N{BULLET}"), list(application.session.notes)
    link: Any = application.session.link
    assert "color red" in " ".join(Path(link.simulation.spec.scenario.file).read_text(encoding="utf-8").split())


def test_nothing_is_asked_where_nothing_was_changed(application: Application, closed: list[str]) -> None:
    press(application, key.Q, key.MOD_CTRL)
    assert closed == ["closed"]


def test_who_closes_with_changes_is_asked_and_may_stay_save_or_lose_them(
    application: Application, closed: list[str]
) -> None:
    change(application)
    press(application, key.Q, key.MOD_CTRL)
    frame(application, 3)
    keep(application, "unsaved")
    click(application, "unsaved.cancel")
    frame(application, 3)
    assert closed == []
    assert application.documents.has_unsaved
    assert application.menus.quit()
    frame(application, 3)
    click(application, "unsaved.discard")
    assert closed == ["closed"]
    change(application)
    application.window.dispatch_event("on_close")
    frame(application, 3)
    click(application, "unsaved.save")
    frame(application, 5)
    assert closed == ["closed", "closed"]
    assert not application.documents.has_unsaved


def test_a_scene_without_a_name_of_its_own_is_given_one(
    application: Application, closed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from coopsim.errors import ForbiddenFile

    link: Any = application.session.link

    def ask(_work: Any, then: Any, failed: Any) -> None:
        failed(ForbiddenFile("empty.world is built in and stays as it is; say another name"))

    with monkeypatch.context() as patch:
        patch.setattr(link, "ask", ask)
        press(application, key.S, key.MOD_CTRL)
    frame(application, 3)
    keep(application, "name_asked")
    assert application.documents.mistakes == ()
    assert application.menus.dialog._is_saving
