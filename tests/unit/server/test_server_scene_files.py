"""Worlds and scenarios on disk, as clients reach them by message."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from coopsim.errors import BadFile, CannotSave, ForbiddenFile, NoSuchFile
from coopsim.robots import load
from coopsim.scene import Object, Scenario
from coopsim.server.modules import scene_files
from coopsim.server.modules.scene_files import SceneFiles

WORLD = "# yard\n[FLOOR]\nsize 10 10 0.1\n"
SCENARIO = "# all of it\n[WORLD]\nfile yard.world\n[ROBOT_1]\ntype single\nname ann\n"
CRATE = Object("crate", "box", (1.0, 1.0, 1.0), (1.0, 2.0, 0.0))


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    """The folder of a scenario, beside the working folder."""
    for folder in ("yard", "work", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "yard" / "yard.world").write_text(WORLD)
    (tmp_path / "yard" / "yard.scenario").write_text(SCENARIO)
    (tmp_path / "elsewhere" / "secret.scenario").write_text(SCENARIO)
    return tmp_path / "yard"


@pytest.fixture
def files(yard: Path) -> SceneFiles:
    return SceneFiles(str(yard / "yard.scenario"), str(yard / "yard.world"), yard.parent / "work")


@pytest.fixture
def scene(yard: Path) -> Scenario:
    return load(yard / "yard.scenario").scenario


def painted(scene: Scenario, red: float = 1.0) -> Scenario:
    return replace(scene, robots=tuple(replace(robot, color=(red, 0.0, 0.0)) for robot in scene.robots))


def furnished(scene: Scenario) -> Scenario:
    return replace(scene, world=replace(scene.world, objects=(CRATE,)))


def test_files_are_found_in_the_working_folder_beside_the_scenario_and_built_in(files: SceneFiles, yard: Path) -> None:
    assert files.find("yard.scenario") == yard / "yard.scenario"
    (yard.parent / "work" / "yard.scenario").write_text(SCENARIO)
    assert files.find("yard.scenario") == yard.parent / "work" / "yard.scenario"
    assert files.find("formation").name == "formation.scenario"
    assert files.find(str(yard / "yard.world")) == yard / "yard.world"


@pytest.mark.parametrize(
    "name", ["../elsewhere/secret.scenario", "/etc/passwd", "../yard/../elsewhere/secret.scenario"]
)
def test_a_name_that_leads_out_of_the_folders_is_refused(files: SceneFiles, name: str) -> None:
    with pytest.raises(ForbiddenFile, match="lies outside of"):
        files.read(name)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 300, "a\nb", "x/" * 700])
def test_what_is_no_name_is_refused(files: SceneFiles, name: str) -> None:
    with pytest.raises(ForbiddenFile, match="no name of a file"):
        files.read(name)


def test_a_link_that_leads_out_is_refused(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    (yard / "link.scenario").symlink_to(yard.parent / "elsewhere" / "secret.scenario")
    with pytest.raises(ForbiddenFile):
        files.read("link.scenario")
    with pytest.raises(ForbiddenFile):
        files.write(scene, str(yard / "link.scenario"))


def test_a_file_that_is_not_there_is_said_so(files: SceneFiles) -> None:
    with pytest.raises(NoSuchFile, match="there is no such file"):
        files.read("sub/nothing.scenario")
    with pytest.raises(NoSuchFile, match="built-in: "):
        files.read("nothing")


@pytest.mark.parametrize("text", [SCENARIO, "[WALL]\n"])
def test_a_world_outside_the_folders_is_not_read_for_strangers(files: SceneFiles, yard: Path, text: str) -> None:
    (yard.parent / "elsewhere" / "far.world").write_text(WORLD if text == SCENARIO else text)
    (yard / "sly.scenario").write_text(SCENARIO.replace("yard.world", "../elsewhere/far.world"))
    with pytest.raises(ForbiddenFile, match=r"it names .*far\.world") as caught:
        files.read("sly.scenario")
    assert "[WALL]" not in str(caught.value)


def test_mistakes_are_said_with_their_places(files: SceneFiles, yard: Path) -> None:
    (yard / "bad.scenario").write_text("[ROBOT_1]\ntyp single\n")
    with pytest.raises(BadFile, match=r"bad\.scenario:2:1: .*type"):
        files.read("bad.scenario")


def test_what_is_read_comes_with_the_texts_of_its_files(files: SceneFiles, yard: Path) -> None:
    loaded = files.read("yard.scenario")
    assert loaded.files[str(yard / "yard.scenario")] == SCENARIO
    assert loaded.files[str(yard / "yard.world")] == WORLD
    assert loaded.spec.scenario.robots[0].name == "ann"


def test_a_scene_is_written_where_it_came_from(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    assert files.write(scene) == ()
    assert files.write(painted(furnished(scene))) == (str(yard / "yard.world"), str(yard / "yard.scenario"))
    assert (yard / "yard.scenario").read_text() == SCENARIO + "color red\n"
    assert (yard / "yard.world").read_text().startswith(WORLD)
    assert sorted(path.name for path in yard.iterdir()) == ["yard.scenario", "yard.world"]


def test_a_new_name_is_in_the_working_folder_and_is_gone_on_with(
    files: SceneFiles, yard: Path, scene: Scenario
) -> None:
    saved_file = yard.parent / "work" / "mine.scenario"
    assert files.write(painted(scene), "mine.scenario") == (str(saved_file),)
    assert files.write(painted(furnished(scene))) == (str(saved_file.with_suffix(".world")), str(saved_file))
    assert files.write(painted(scene)) == (str(saved_file.with_suffix(".world")),)
    assert (yard / "yard.world").read_text() == WORLD
    assert (yard / "yard.scenario").read_text() == SCENARIO


def test_a_world_that_is_written_by_itself_is_a_copy(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    files.write(furnished(scene), "copy.world")
    assert files.write(furnished(scene)) == (str(yard / "yard.world"),)


def test_what_somebody_else_changed_is_not_overwritten_unless_told(
    files: SceneFiles, yard: Path, scene: Scenario
) -> None:
    (yard / "yard.scenario").write_text(SCENARIO + "# my note\n")
    with pytest.raises(CannotSave, match="was changed by somebody else since"):
        files.write(painted(scene))
    assert (yard / "yard.scenario").read_text() == SCENARIO + "# my note\n"
    files.write(painted(scene), overwrite=True)
    assert "# my note" not in (yard / "yard.scenario").read_text()
    files.write(painted(scene, 0.5))


def test_what_others_wrote_is_not_overwritten_unless_told(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    (yard.parent / "work" / "there.scenario").write_text("mine\n")
    with pytest.raises(CannotSave, match="exists already"):
        files.write(scene, "there.scenario")
    files.write(scene, "there.scenario", overwrite=True)


def test_of_two_files_none_is_written_when_one_must_not_be(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    (yard / "yard.scenario").write_text("mine\n")
    with pytest.raises(CannotSave):
        files.write(painted(furnished(scene)))
    assert (yard / "yard.world").read_text() == WORLD


def test_a_continued_run_does_not_know_what_changed_since(yard: Path, scene: Scenario) -> None:
    files = SceneFiles(str(yard / "yard.scenario"), str(yard / "yard.world"), yard, is_read=False)
    with pytest.raises(CannotSave, match="exists already"):
        files.write(painted(scene))


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("x.txt", CannotSave, "ends with .scenario or .world"),
        ("../elsewhere/x.scenario", ForbiddenFile, "lies outside of"),
        ("no/such/folder.scenario", CannotSave, "No such file"),
    ],
)
def test_a_place_that_cannot_be_is_refused(
    files: SceneFiles, scene: Scenario, name: str, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        files.write(painted(scene), name)


def test_what_is_built_in_stays_as_it_is(tmp_path: Path) -> None:
    spec = load("formation")
    files = SceneFiles(spec.scenario.file, spec.scenario.world.file, tmp_path)
    with pytest.raises(ForbiddenFile, match="built in"):
        files.write(painted(spec.scenario))
    assert files.write(furnished(spec.scenario), "mine.scenario") == (
        str(tmp_path / "mine.world"),
        str(tmp_path / "mine.scenario"),
    )
    assert load(tmp_path / "mine.scenario").scenario.world.objects == (CRATE,)


def test_a_run_without_a_file_asks_for_a_name(tmp_path: Path) -> None:
    with pytest.raises(CannotSave, match="say a name"):
        SceneFiles("", "", tmp_path).write(Scenario())


def test_after_loading_another_scene_that_is_where_it_came_from(files: SceneFiles, yard: Path) -> None:
    (yard / "second.scenario").write_text(SCENARIO.replace("ann", "ben"))
    loaded = files.read("second.scenario")
    files.adopt(loaded)
    assert files.write(painted(loaded.spec.scenario)) == (str(yard / "second.scenario"),)


def test_a_pipe_of_that_name_is_refused_and_never_waited_for(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    os.mkfifo(yard.parent / "work" / "fifo.world")
    os.mkfifo(yard.parent / "work" / "fifo.scenario")
    with pytest.raises(CannotSave, match="no file"):
        files.write(scene, "fifo.world", overwrite=True)
    for name in ("fifo.world", "fifo.scenario"):
        with pytest.raises(NoSuchFile):
            files.read(name)


def test_a_pipe_that_takes_the_place_of_a_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no file"):
        scene_files._read(tmp_path / "pipe")


def test_a_circle_of_links_is_refused(files: SceneFiles, yard: Path, scene: Scenario) -> None:
    (yard.parent / "work" / "loop.world").symlink_to("loop.world")
    with pytest.raises(ForbiddenFile, match="links lead nowhere"):
        files.read("loop.world")
    with pytest.raises(ForbiddenFile, match="links lead nowhere"):
        files.write(scene, "loop.world")


def test_a_world_may_name_pictures_of_its_folders_alone(files: SceneFiles, yard: Path) -> None:
    for place in (yard, yard.parent / "elsewhere"):
        Image.new("L", (2, 2)).save(place / "plan.png")
    for name in ("plan.png", "../elsewhere/plan.png"):
        (yard / "plan.world").write_text(f"[MAP]\nimage {name}\nresolution 1\n")
        if name == "plan.png":
            assert len(files.read("plan.world").spec.scenario.world.objects) == 1
        else:
            with pytest.raises(ForbiddenFile):
                files.read("plan.world")
