"""A camera in a real run: its own process, its death, and the recording that shows the same images."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.client import Client, Image, connect
from coopsim.errors import BadArgument, NoImage
from coopsim.features.asking.status import status
from coopsim.features.desktop.cameras.service import pixels_of
from coopsim.recording import CameraStream, Recording
from coopsim.testkit import Run

pytestmark = pytest.mark.integration
SCENE = """
[TARGET]
red         2 0 0

[ROBOT_1]
type        observer
name        robot1
position    0 0 0

[SIMULATION]
mode        lockstep
"""
_DEADLINE = 60.0


def image_after(sim: Client, problem: type[Exception]) -> Image:
    """Ask until there is an image; whatever else comes is `problem`."""
    deadline = time.monotonic() + _DEADLINE
    while True:
        try:
            return sim.robot("robot1").camera.image()
        except problem:
            assert time.monotonic() < deadline


def test_images_of_a_run_its_recording_and_the_death_of_what_draws(tmp_path: Path) -> None:
    file = tmp_path / "seen.mcap"
    with Run(SCENE, "--record", str(file)) as run:
        with connect(run.endpoint) as sim, sim.stepper("robot1") as stepper:
            for step in range(25):
                stepper.step([(0.3, 0.01 * step)])
            seen = sim.robot("robot1").camera.image()
            assert (seen.tick, seen.time) == (20, pytest.approx(0.2))
            os.kill(run.cameras, signal.SIGKILL)
            assert np.array_equal(image_after(sim, NoImage), seen)
        code = run.stop()
    assert "the camera process was killed by SIGKILL; another one is started" in run.printed
    assert code == 130
    with Run(str(file), "--paused", command="replay") as replay, connect(replay.endpoint) as sim:
        sim.module("/sim/playback").seek(0.23)
        again = sim.robot("robot1").camera.image()
        assert again.tick == 20
        assert np.array_equal(again, seen)


def test_what_draws_is_given_up_after_three_ends_says_so_and_is_started_again_by_a_message() -> None:
    with Run(SCENE) as run, connect(run.endpoint) as sim:
        for _ in range(3):
            assert image_after(sim, NoImage).shape == (240, 320, 3)
            os.kill(run.cameras, signal.SIGKILL)
        while "cameras" not in sim.info():
            pass
        with pytest.raises(NoImage, match="ended 3 times and is not started again by itself"):
            sim.robot("robot1").camera.image()
        said = CliRunner().invoke(status, ["--endpoint", run.endpoint]).output
        assert "cameras  the camera process has ended 3 times" in said
        while "no other is started until a renderer is asked for" not in run.printed:
            sim.info()  # the host sees the end of a channel before the launcher sees that of the process
        assert sim.module("/sim/renderer").set("opengl").renderer == "opengl"
        assert image_after(sim, NoImage).shape == (240, 320, 3)
        assert "cameras" not in sim.info()


def test_a_message_changes_what_draws_a_camera_while_the_run_goes_on(tmp_path: Path) -> None:
    """S-76: the process that draws for cameras opens another renderer; a replay takes that of the file."""
    file = tmp_path / "seen.mcap"
    with Run(f"[VIEW]\nrenderer mujoco\n{SCENE}", "--record", str(file)) as run:
        with connect(run.endpoint) as sim, sim.stepper("robot1") as stepper:
            for _ in range(5):
                stepper.step([(0.0, 0.0)])
            module, camera = sim.module("/sim/renderer"), sim.robot("robot1").camera
            assert module.status()[:2] == ("", "mujoco")
            of_scene = np.asarray(camera.image()).astype(int)
            assert module.set("opengl").renderer == "opengl"
            asked = np.asarray(camera.image()).astype(int)
            with pytest.raises(BadArgument, match="did you mean 'opengl'"):
                module.set("opngl")
            module.set("")
            assert np.array_equal(camera.image(), of_scene)
        run.stop()
    assert "/sim/renderer set opengl" in run.printed
    assert np.abs(asked - of_scene).max() > 5
    with Run(str(file), "--paused", command="replay") as replay, connect(replay.endpoint) as sim:
        sim.module("/sim/playback").seek(0.05)
        assert sim.module("/sim/renderer").status().scene == "mujoco"
        assert np.array_equal(sim.robot("robot1").camera.image(), of_scene)


def test_a_recording_carries_the_images_that_it_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "seen.mcap"
    with Run(SCENE, "--record", str(file), "--images", "both", "--images-rate", "5") as run:
        with connect(run.endpoint) as sim, sim.stepper("robot1") as stepper:
            for step in range(45):
                stepper.step([(0.3, 0.01 * step)])
            color, depth = sim.robot("robot1").camera.image(), sim.robot("robot1").camera.depth()
        run.stop()
    assert "images" in run.printed
    with Recording.open(file) as recording:
        ticks = {stream.topic: [*places] for stream, places in recording.images.places.items()}
        assert ticks == {key: [0, 20, 40] for key in ["/robot1/camera", "/robot1/camera/depth"]}
        image = recording.image(CameraStream("robot1", "camera", "color"), 40)
    assert image is not None
    assert np.array_equal(pixels_of(image), color)
    with Run(str(file), "--paused", command="replay") as replay, connect(replay.endpoint) as sim:
        sim.module("/sim/playback").seek(0.41)
        assert np.array_equal(sim.robot("robot1").camera.image(), color)
        assert np.array_equal(sim.robot("robot1").camera.depth(), depth)
