"""Renderers of loose plugins: a file beside a scene draws cameras, windows and pictures; its mistakes end nothing."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim import plugins
from coopsim.app.main import run
from coopsim.client import Client, connect
from coopsim.errors import BadArgument, NoImage, PluginFailed
from coopsim.features.desktop.cameras import process
from coopsim.features.desktop.commands import window_beside
from coopsim.testkit import Run

SCENE = "[VIEW]\nrenderer dim\n[ROBOT_1]\ntype observer\nname robot1\n[TARGET]\nred 2 0 0\n"
FILE = '''"""Renderers with and without mistakes."""
import os
from coopsim.features.desktop.rendering.opengl import OpenGlRenderer

class Dim(OpenGlRenderer):
    def begin(self, rows, camera, order):
        read = super().begin(rows, camera, order)
        return (lambda: (read() >> 1) & 0x7F7F7F7F) if order.kind == "colors" else read

class Raising(OpenGlRenderer):
    def begin(self, rows, camera, order):
        return 1 / 0

class Late(OpenGlRenderer):
    def begin(self, rows, camera, order):
        def read():
            raise ValueError("no pixels")
        return read

class Short(OpenGlRenderer):
    def begin(self, rows, camera, order):
        read = super().begin(rows, camera, order)
        return lambda: read()[:5]

class Exiting(OpenGlRenderer):
    def begin(self, rows, camera, order):
        os._exit(3)

class Unborn(OpenGlRenderer):
    def __init__(self, tell, source):
        raise RuntimeError("no card")

PLUGINS = {"renderers": {kind.__name__.lower(): kind for kind in (Dim, Raising, Late, Short, Exiting, Unborn)}}
'''
MISTAKES = {
    "raising": "mine.py:12: renderer Raising: ZeroDivisionError: division by zero",
    "late": "mine.py:17: renderer Late: ValueError: no pixels",
    "short": r"mine.py:21: renderer Short: expected pixels of .* \(height, width\) = \(\d+, \d+\), got \(5, \d+\)",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.py").write_text(FILE)
    (folder / "dim.scenario").write_text(SCENE)
    return folder


@pytest.fixture(scope="module")
def live(files: Path) -> Iterator[Run]:
    with Run(str(files / "dim.scenario"), "--plugin", str(files / "mine.py"), "--duration", "900") as started:
        yield started


@pytest.fixture
def sim(live: Run) -> Iterator[Client]:
    with connect(live.endpoint) as client:
        yield client


def image(sim: Client) -> np.ndarray[Any, Any]:
    return np.asarray(sim.robot("robot1").camera.image()).astype(int)


def drawn_by(sim: Client, renderer: str) -> np.ndarray[Any, Any]:
    assert sim.module("/sim/renderer").set(renderer).renderer == renderer
    return image(sim)


def camera_process(file: Path) -> int:
    """Return the number of the process that draws with a loose plugin."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if process.__name__.encode() in words and str(file).encode() in words:
            return int(folder.name)
    raise AssertionError("no process draws")


def test_s_76_a_file_draws_the_cameras_of_a_run_by_its_scene_and_by_message(sim: Client) -> None:
    status = sim.module("/sim/renderer").status()
    assert status.scene == "dim"
    assert "dim" in status.names
    by_scene, usual = image(sim), drawn_by(sim, "opengl")
    assert np.array_equal(by_scene, usual // 2)
    assert np.array_equal(drawn_by(sim, "dim"), by_scene)
    with pytest.raises(BadArgument, match="did you mean 'dim'"):
        sim.module("/sim/renderer").set("dmi")
    assert np.array_equal(drawn_by(sim, ""), by_scene)


@pytest.mark.parametrize("renderer", MISTAKES)
def test_a_mistake_of_a_renderer_is_told_with_its_line_and_another_one_draws_on(renderer: str, sim: Client) -> None:
    sim.module("/sim/renderer").set(renderer)
    with pytest.raises(PluginFailed, match=MISTAKES[renderer]):
        image(sim)
    assert drawn_by(sim, "dim").any()


def test_a_renderer_that_cannot_begin_leaves_the_one_before(sim: Client) -> None:
    before = drawn_by(sim, "dim")
    with pytest.raises(PluginFailed, match=r"mine\.py:31: renderer unborn: RuntimeError: no card"):
        sim.module("/sim/renderer").set("unborn")
    assert np.array_equal(image(sim), before)


def test_a_renderer_that_ends_its_process_twice_gives_its_place_to_the_usual_one(files: Path, sim: Client) -> None:
    usual, before = drawn_by(sim, "opengl"), sim.clock.status().tick
    sim.module("/sim/renderer").set("exiting")
    with pytest.raises(NoImage, match="ended before it had drawn the image\n"):
        image(sim)
    with pytest.raises(NoImage, match="2 times with the renderer exiting, so that the usual one draws now"):
        image(sim)
    assert np.array_equal(image(sim), usual)
    assert sim.clock.status().tick > before  # the run went on
    os.kill(camera_process(files / "mine.py"), signal.SIGKILL)
    with pytest.raises(NoImage, match=r"the camera process (ended before|has ended 3 times)"):
        image(sim)
    assert sim.module("/sim/renderer").status().asked == "exiting"


@pytest.mark.parametrize("renderer", [*MISTAKES, "unborn"])
def test_a_picture_names_the_line_of_a_renderers_mistake(
    renderer: str, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOPSIM_RENDERER", "")
    words = ["screenshot", "lab", str(tmp_path / "a.png"), "--size", "64x48", "--plugin", str(files / "mine.py")]
    try:
        assert run([*words, "--renderer", renderer]) == 1
    finally:
        plugins.forget(files / "mine.py")
    printed = capsys.readouterr().err
    assert "mine.py:" in printed
    assert f"renderer {renderer}" in printed.lower()
    assert "damaged" not in printed
    assert not (tmp_path / "a.png").exists()


def test_a_window_beside_a_run_loads_the_file_too(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []
    ended = SimpleNamespace(wait=lambda: 0, kill=lambda: None, poll=lambda: 0)
    monkeypatch.setattr(window_beside, "_can_open", lambda: True)
    monkeypatch.setattr(window_beside.subprocess, "Popen", lambda command, **_: begun.append(list(command)) or ended)
    plugins.add(files / "mine.py")
    try:
        with window_beside.window_beside(None):
            pass
    finally:
        plugins.forget(files / "mine.py")
    assert begun[0][-2:] == ["--plugin", str(files / "mine.py")]
