"""`coopsim screenshot` and `coopsim video`, in this process."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from coopsim.app.main import run
from coopsim.features.desktop.shown import open_shown
from coopsim.interpreter import extra_command
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

SMALL = ["--size", "320x240"]
DRIVEN = "[ROBOT_1]\ntype single\nname robot1\n\n[CONTROLLER_1]\nrun cruise\nrobots robot1\n"


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot that drives for two seconds."""
    path, spec = tmp_path_factory.mktemp("film") / "a.mcap", load("single")
    with RecordedRun(Simulation(spec), path, attachments={RUN: spec_to_json(spec)}) as recorded:
        recorded.simulation.command("robot1", "motors", 10, (0.5, 0.0))
        recorded.tick(200)
    return path


def picture(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_a_scenario_is_drawn_as_it_begins(tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    assert run(["screenshot", "formation", str(out), "--size", "640x400"]) == 0
    pixels = picture(out)
    assert pixels.shape == (400, 640, 3)
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    assert ((blue > 1.5 * red) & (blue > 1.2 * green) & (blue > 90)).sum() > 100
    assert ((red > 1.5 * green) & (green > 1.5 * blue) & (red > 120)).sum() > 100


def test_a_world_alone_is_drawn(tmp_path: Path) -> None:
    assert run(["screenshot", "lab.world", str(tmp_path / "a.png"), *SMALL, "--camera", "top"]) == 0
    assert picture(tmp_path / "a.png").std() > 10.0


def test_a_recording_is_drawn_at_any_time(recording: Path, tmp_path: Path) -> None:
    eye = ["--camera", "0,-0.1,9,0,0,0", *SMALL]
    for seconds in ("0", "1", "2"):
        assert run(["screenshot", str(recording), str(tmp_path / f"{seconds}.png"), "--at", seconds, *eye]) == 0
    assert run(["screenshot", str(recording), str(tmp_path / "end.png"), *eye]) == 0
    first, middle, last, end = (picture(tmp_path / f"{name}.png") for name in ("0", "1", "2", "end"))
    assert np.abs(first - middle).max() > 60
    assert np.abs(middle - last).max() > 60
    assert np.abs(last - end).max() < 10


def test_trails_and_labels_are_added(recording: Path, tmp_path: Path) -> None:
    eye = ["--camera", "top", *SMALL]
    assert run(["screenshot", str(recording), str(tmp_path / "a.png"), *eye]) == 0
    assert run(["screenshot", str(recording), str(tmp_path / "b.png"), *eye, "--trails", "5"]) == 0
    assert run(["screenshot", str(recording), str(tmp_path / "c.png"), *eye, "--labels"]) == 0
    plain, trails, labels = (picture(tmp_path / f"{name}.png") for name in "abc")
    assert (np.abs(plain - trails).max(axis=2) > 40).sum() > 15
    assert (np.abs(plain - labels).max(axis=2) > 100).sum() > 200


def test_a_scenario_is_run_with_its_control_laws_to_the_time_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.scenario").write_text(DRIVEN, encoding="utf-8")
    eye = ["--camera", "top", *SMALL]
    for seconds in ("0", "2"):
        assert (
            run(["screenshot", str(tmp_path / "a.scenario"), str(tmp_path / f"{seconds}.png"), "--at", seconds, *eye])
            == 0
        )
    assert np.abs(picture(tmp_path / "0.png") - picture(tmp_path / "2.png")).max() > 60
    out = tmp_path / "a.gif"
    assert run(["video", str(tmp_path / "a.scenario"), str(out), "--to", "1", "--fps", "4", *eye]) == 0
    with Image.open(out) as film:
        assert film.n_frames == 5


def test_what_sensors_of_a_recording_measured_is_drawn_and_the_grid_left_out(recording: Path, tmp_path: Path) -> None:
    for name, layers in (("plain", "grid"), ("rays", "grid,rays"), ("bare", "none")):
        words = ["screenshot", str(recording), str(tmp_path / f"{name}.png"), "--camera", "top", "--layers", layers]
        assert run([*words, *SMALL]) == 0
    plain, rays, bare = (picture(tmp_path / f"{name}.png") for name in ("plain", "rays", "bare"))
    assert (np.abs(plain - rays).max(axis=2) > 10).sum() > 50
    assert (np.abs(plain - bare).max(axis=2) > 3).sum() > 500


def test_a_gif_shows_the_robot_drive(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.gif"
    assert run(["video", str(recording), str(out), "--from", "0.5", "--to", "1.5", "--fps", "4", *SMALL]) == 0
    with Image.open(out) as film:
        assert film.n_frames == 5
        assert film.size == (320, 240)
        assert film.info["duration"] == 250
        first = np.asarray(film.convert("RGB")).astype(int)
        film.seek(4)
        assert np.abs(first - np.asarray(film.convert("RGB"))).max() > 60


def test_an_mp4_has_the_pictures_asked_for(recording: Path, tmp_path: Path) -> None:
    import av

    out = tmp_path / "a.mp4"
    assert run(["video", str(recording), str(out), "--to", "1", "--fps", "5", "--camera", "robot1", *SMALL]) == 0
    with av.open(str(out)) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(frames) == 6
    assert frames[0].shape == (240, 320, 3)
    assert frames[0].std() > 10.0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["screenshot", "formation", "a.png", "--layers", "ray"], 2, "no layer 'ray'"),
        (["screenshot", "nowhere.scenario", "a.png"], 1, "nowhere.scenario"),
        (["screenshot", "formation", "a.jpg"], 2, "call it a.png"),
        (["screenshot", "formation", "a.png", "--size", "12"], 2, "WIDTHxHEIGHT"),
        (["screenshot", "formation", "a.png", "--size", "9x9"], 2, "from 16 to 8192"),
        (["screenshot", "formation", "a.png", "--camera", "moon"], 1, "iso, top, front, side"),
        (["video", "lab.world", "a.gif"], 2, "say with --to when the film ends"),
        (["video", "lab.world", "a.gif", "--from", "1", "--to", "1"], 2, "there is nothing between"),
        (["video", "formation", "a.mp4", "--size", "31x20"], 2, "even"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(
    words: list[str], code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: object
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(words) == code
    assert said in capfd.readouterr().err  # type: ignore[attr-defined]
    assert not list(tmp_path.iterdir())


def test_times_outside_of_a_recording_are_refused(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["screenshot", str(recording), str(tmp_path / "a.png"), "--at", "99"]) == 2
    assert "from 0 to 2 s" in capsys.readouterr().err


def test_a_window_without_a_display_is_refused_with_what_can_be_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert run(["view"]) == 1
    complaint = capsys.readouterr().err
    assert "no display" in complaint
    assert "coopsim screenshot FILE" in complaint


def test_a_window_without_its_widgets_is_refused_with_the_command_that_brings_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "imgui_bundle", None)
    assert run(["view"]) == 1
    assert extra_command("gui") in capsys.readouterr().err


def test_links_of_a_robot_are_drawn_where_they_begin(tmp_path: Path) -> None:
    (tmp_path / "arm.scenario").write_text("[ROBOT_1]\ntype reacher\nname arm\nposition 2 1 0\n")
    shown = open_shown(str(tmp_path / "arm.scenario"))
    model = shown.at(0.0)
    places = {tuple(row) for row in np.round(model.poses[:, :3], 3).tolist()}
    assert len(places) > 2


def test_a_colour_keeps_its_hue_in_bright_light(tmp_path: Path) -> None:
    slab = "[OBJECT_1]\ntype box\nname slab\nsize 3 3 0.5\nposition 0 0 0.25\ncolor orange\n"
    (tmp_path / "a.world").write_text(f"[FLOOR]\nsize 8 8 0.1\n\n{slab}", encoding="utf-8")
    assert run(["screenshot", str(tmp_path / "a.world"), str(tmp_path / "a.png"), *SMALL, "--camera", "top"]) == 0
    seen = picture(tmp_path / "a.png")
    red, green, blue = seen[seen.shape[0] // 2, seen.shape[1] // 2]
    assert red > 240
    assert green / red == pytest.approx(165 / 255, abs=0.07)  # gloss adds a little white
    assert blue < 20
