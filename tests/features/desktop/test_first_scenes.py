"""Session of a first user who looks for a scene: the first page, File > Scenes, its search, what was open before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyglet.window import key
from test_first_user import keep
from test_viewer_managers import click, frame, press, send
from viewer_live import draw_until

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.commands.gui import OwnRun, _pace
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.recent import UserFolders
from coopsim.features.desktop.scenes.pictures import ScenePictures, picture_name
from coopsim.features.desktop.ui.widgets import PLACES
from coopsim.features.presentation.scene_listing import scene_entry, scene_groups

pytestmark = pytest.mark.integration
OWN = "[VIEW]\ncaption mine alone\n[ROBOT_1]\ntype single\nname robot1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenes")
    (folder / "mine.scenario").write_text(OWN, encoding="utf-8")
    (folder / "broken.scenario").write_text("[ROBOT_1]\ntype nothing\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def application(folder: Path) -> Iterator[Application]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with OwnRun() as own:
            own.begin("empty.world")
            folders = UserFolders(folder / "state" / "recent.json", folder / "pictures")
            window = Application(ViewerLink(own.locate()), (1280, 800), own.exchange, folders)
            window.settings.quality, window.documents.file = "low", "empty.world"
            draw_until(window, lambda: bool(window.session.names))
            yield window
            window.close()


def typed(application: Application, text: str) -> None:
    send(application, "on_key_press", key.A, 0)  # as with real keys: no Ctrl is held any more
    send(application, "on_text", text)
    send(application, "on_key_release", key.A, 0)
    frame(application, 2)


def scenario(application: Application) -> str:
    return application.session.link.facts.scenario


def has_picture(application: Application, file: str) -> bool:
    entry = scene_entry(file)
    assert entry is not None
    return application.pictures.texture(entry) is not None


def test_a_first_user_begins_with_one_of_three_pictures(application: Application, folder: Path) -> None:
    page = application._over.start_page
    frame(application, 3)
    assert page.is_shown
    shown = ("formation", "transport", "death_match")
    draw_until(application, lambda: all(has_picture(application, f"{name}.scenario") for name in shown))
    keep(application, "start_page")
    assert len(list((folder / "pictures").glob("*.png"))) >= 3
    press(application, key.ENTER, 0)  # the first one has the keys at once
    draw_until(application, lambda: scenario(application) == "formation" and not application.documents.is_opening)
    draw_until(application, lambda: len(application.session.model.robot_colors) == 3)
    frame(application, 2)
    assert not page.is_shown


def test_scenes_are_found_by_words_and_opened_by_return(application: Application) -> None:
    browser = application.menus.scenes
    press(application, key.L, key.MOD_CTRL)
    frame(application, 4)
    assert browser.is_open
    assert "scene.Opened before.formation" in PLACES
    typed(application, "mine alone")
    assert browser.search == "mine alone"
    application.session.link.call("/sim/clock", "pause")  # the picture that is kept shows no more than the list
    keep(application, "scenes_found")
    press(application, key.ENTER, 0)
    draw_until(application, lambda: scenario(application) == "mine" and not application.documents.is_opening)
    assert not browser.is_open


def test_a_tile_opens_its_scene_and_a_scene_with_mistakes_says_so(application: Application, folder: Path) -> None:
    browser = application.menus.scenes
    click(application, "menu.File")
    click(application, "menu.Scenes...")
    typed(application, "broken")
    broken = scene_entry(str(folder / "broken.scenario"))
    assert broken is not None
    draw_until(application, lambda: bool(application.pictures.problem(broken)))
    assert "broken.scenario:2" in application.pictures.problem(broken)
    press(application, key.ESCAPE, 0)
    frame(application, 3)
    assert not browser.is_open
    press(application, key.L, key.MOD_CTRL)
    frame(application, 4)
    draw_until(application, lambda: has_picture(application, "circle.scenario"))
    keep(application, "scenes")
    typed(application, "gap formation")
    click(application, "scene.Scenarios.gap")
    draw_until(application, lambda: scenario(application) == "gap" and not application.documents.is_opening)
    assert application.documents.recent.files[0] == "gap.scenario"


def test_groups_have_titles_captions_and_what_is_in_them(folder: Path) -> None:
    (folder / "raw.world").write_bytes(b"\xff\xfe")
    groups = {group.title: group for group in scene_groups(("gap.scenario", "gone.scenario"), folder)}
    assert [entry.title for entry in groups["Opened before"].entries] == ["gap"]
    folder_group = groups[f"In {folder}"]
    assert [entry.title for entry in folder_group.entries] == ["broken", "mine", "raw"]
    (mine,) = folder_group.matching("MINE single")
    assert mine.caption == "mine alone"
    assert mine.tags == ("single",)
    assert not folder_group.matching("mine quadrotor")
    assert {entry.title for entry in groups["Scenarios"].matching("mujoco arm")} >= {"surgery"}
    assert scene_groups((), folder / "nothing")[0].title == "Scenarios"


def test_a_picture_belongs_to_a_file_as_it_is_and_a_dead_drawer_is_told(folder: Path) -> None:
    file = folder / "changing.scenario"
    file.write_text(OWN, encoding="utf-8")
    first = picture_name(file)
    file.write_text(OWN + "position 1 0 0\n", encoding="utf-8")
    assert picture_name(file) != first
    entry: Any = scene_entry(str(file))
    assert ScenePictures(None).texture(entry) is None
    pictures = ScenePictures(folder / "none")
    process = pictures._start()
    process.kill()
    process.wait()
    assert pictures.texture(entry) is None
    assert "has ended" in pictures.problem(entry)
    pictures.close()


def test_a_match_that_is_opened_by_its_file_goes_in_real_time() -> None:
    assert _pace("death_match") == _pace("death_match.scenario") == ("--mode", "real-time")
    assert _pace("formation.scenario") == _pace("nowhere") == ()
