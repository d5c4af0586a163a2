"""Renderers that a message or a scene asks for: in cameras, windows and pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from camera_scenes import Ticking, box, scene
from PIL import Image

from coopsim.app.main import run
from coopsim.errors import BadArgument, CannotDraw
from coopsim.features.desktop.cameras import LocalImages
from coopsim.features.desktop.cameras.service import ImageService
from coopsim.features.desktop.renderer_choice import RendererChoice
from coopsim.features.desktop.rendering import VARIABLE, wanted_name
from coopsim.features.desktop.screen import ScreenSettings
from coopsim.features.presentation import presentation_of
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.transport import Channel
from coopsim.transport.control import CameraImage, CameraOrder, CameraRefusal, RendererChanged, RendererOrder

SCENE = """\
[VIEW]
renderer {renderer}

[ROBOT_1]
type observer
name robot1

[TARGET]
red 2 0 0

[SIMULATION]
duration 1
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[[str], Path]:
    def write(renderer: str) -> Path:
        path = tmp_path / "drawn.scenario"
        path.write_text(SCENE.format(renderer=renderer))
        return path

    return write


def test_a_message_counts_more_than_the_environment_and_that_more_than_the_scene() -> None:
    assert wanted_name("", "", {}) == "opengl"
    assert wanted_name("", "mujoco", {}) == "mujoco"
    assert wanted_name("", "mujoco", {VARIABLE: "opengl"}) == "opengl"
    assert wanted_name("mujoco", "opengl", {VARIABLE: "opengl"}) == "mujoco"
    with pytest.raises(BadArgument, match="no renderer 'opngl'"):
        wanted_name("", "opngl", {})


def test_a_scene_names_its_renderer(scenario: Callable[[str], Path]) -> None:
    """S-8: what draws is said with the scene."""
    spec = load(str(scenario("mujoco")))
    assert presentation_of(spec).renderer == "mujoco"
    with LocalServer(Simulation(spec)).connect() as sim:
        assert sim.info()["renderer"] == "mujoco"
        status = sim.module("/sim/renderer").status()
        assert status.scene == "mujoco"
        assert wanted_name(status.asked, status.scene, {}) == "mujoco"


def test_a_world_names_a_renderer_for_scenarios_that_say_nothing(tmp_path: Path) -> None:
    world, path = tmp_path / "dark.world", tmp_path / "dark.scenario"
    world.write_text("[VIEW]\nrenderer mujoco\n")
    path.write_text("[WORLD]\nfile dark.world\n")
    assert presentation_of(load(str(world))).renderer == presentation_of(load(str(path))).renderer == "mujoco"
    path.write_text("[WORLD]\nfile dark.world\n\n[VIEW]\nrenderer opengl\n")
    assert presentation_of(load(str(path))).renderer == "opengl"
    world.write_text("[VIEW]\nrenderer mujcoo\n")
    assert run(["check", str(world)]) == 1


@pytest.mark.parametrize(
    ("renderer", "text"),
    [
        ("mujcoo", "2:10: no renderer 'mujcoo' (mujcoo → mujoco?); known: mujoco, opengl"),
        ("opengl mujoco", "2:1: renderer takes one name, got 'opengl mujoco'"),
    ],
)
def test_check_names_a_renderer_that_is_none(
    scenario: Callable[[str], Path], capsys: pytest.CaptureFixture[str], renderer: str, text: str
) -> None:
    assert run(["check", str(scenario(renderer))]) == 1
    assert text in capsys.readouterr().out


def test_a_screenshot_is_drawn_by_the_renderer_of_the_scene_unless_one_is_chosen(
    scenario: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    pictures = {}
    for renderer, options in (("mujoco", []), ("opengl", []), ("mujoco", ["--renderer", "opengl"])):
        out = tmp_path / f"{renderer}{len(options)}.png"
        monkeypatch.setenv(VARIABLE, "")
        assert run(["screenshot", str(scenario(renderer)), str(out), "--size", "160x100", *options]) == 0
        pictures[renderer, len(options)] = np.asarray(Image.open(out)).astype(int)
    assert np.array_equal(pictures["mujoco", 2], pictures["opengl", 0])
    assert np.abs(pictures["mujoco", 0] - pictures["opengl", 0]).max() > 5


def test_a_client_changes_what_draws_the_cameras_of_a_run_in_this_process(scenario: Callable[[str], Path]) -> None:
    """S-76: what draws is exchanged while a run goes on."""
    with LocalImages() as images:
        server = LocalServer(Simulation(load(str(scenario("opengl")))), images=images)
        with server.connect() as sim, sim.stepper("robot1") as stepper:
            stepper.step([(0.0, 0.0)])
            seen = {}
            for name in ("opengl", "mujoco", ""):
                assert sim.module("/sim/renderer").set(name).renderer == name
                seen[name] = np.asarray(sim.robot("robot1").camera.image()).astype(int)
            with pytest.raises(BadArgument, match="did you mean 'opengl'"):
                sim.module("/sim/renderer").set("opngl")
    assert np.abs(seen["opengl"] - seen["mujoco"]).max() > 5
    assert np.array_equal(seen["opengl"], seen[""])


class Painted:
    """Draws nothing, and says what it would draw with."""

    def __init__(self) -> None:
        self.names = ["opengl"]

    def exchange(self, name: str) -> None:
        if name == "mujoco":
            raise CannotDraw("EGL is missing")
        self.names.append(name)

    def begin(self, *_: object) -> Callable[[], np.ndarray]:
        name = self.names[-1]
        return lambda: np.full((1, 1), len(name), np.uint32)


def served(painter: Painted, *orders: CameraOrder | RendererOrder, notes: list[str]) -> list[object]:
    """Return the answers of a service to orders that came at once."""
    state = Ticking(scene(box())).go()

    class States:
        def at(self, _tick: int) -> object:
            return state

    host, process = Channel.pair()
    for order in orders:
        host.send(order)
    answers: list[object] = []
    ended = False

    class Ending:
        """The channel to a host that is gone once it has sent everything."""

        @property
        def closed(self) -> bool:
            return ended

        def wait(self, seconds: float | None) -> list[object]:
            nonlocal ended
            ended = True
            return process.receive()

        def send(self, answer: object) -> None:
            answers.append(answer)

    ImageService(States(), painter, tell=notes.append).serve(Ending())  # type: ignore[arg-type]
    host.close()
    process.close()
    return answers


def test_an_image_that_is_under_way_is_read_before_what_draws_it_is_exchanged() -> None:
    image = CameraOrder(1, "robot1", "camera", 0, "depth16")
    painter = Painted()
    answers = served(painter, image, RendererOrder(2, "", "opengl"), image, notes=[])
    assert [type(answer) for answer in answers] == [CameraImage, RendererChanged, CameraImage]
    assert painter.names == ["opengl", "opengl"]


def test_a_renderer_that_cannot_be_used_is_refused_and_images_go_on() -> None:
    notes: list[str] = []
    image = CameraOrder(3, "robot1", "camera", 0, "depth16")
    refusal, drawn = served(Painted(), RendererOrder(2, "mujoco", ""), image, notes=notes)
    assert isinstance(refusal, CameraRefusal)
    assert (refusal.id, refusal.error) == (2, CannotDraw.code)
    assert isinstance(drawn, CameraImage)
    assert notes == ["what cameras see is not drawn by another renderer: EGL is missing"]


def test_a_window_follows_what_a_run_asks_for_and_a_person_may_choose_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    notes: list[str] = []
    settings = ScreenSettings()
    choice = RendererChoice(settings, notes.append)
    choice.follow(("", "mujoco"))
    assert settings.renderer == "mujoco"
    settings.renderer = "opengl"  # in the menu
    choice.follow(("", "mujoco"))
    assert settings.renderer == "opengl"
    choice.follow(("mujoco", "mujoco"))
    assert settings.renderer == "mujoco"
    choice.follow(("", ""))
    assert settings.renderer == "opengl"
    choice.follow(("night", ""))  # of a package that the run's machine has
    assert settings.renderer == "opengl"
    assert "no renderer 'night'" in notes[0]
