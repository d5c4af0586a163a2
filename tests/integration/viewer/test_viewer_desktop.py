"""The real program on a real desktop, driven by mouse and keyboard from outside."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageGrab

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]
DEADLINE = 100.0
SIZE = (900, 600)


@contextmanager
def desktop() -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Yield a desktop that nobody sees, and its X server, which chooses its number."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "900x600x24", "-noreset", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as output:
        number = output.readline().strip()
    yield f":{number}", server
    server.terminate()
    server.wait()


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with desktop() as (name, _):
        yield name


def seen(display: str) -> np.ndarray:
    return np.asarray(ImageGrab.grab(xdisplay=display)).astype(int)


def until(holds: Callable[[np.ndarray], bool], display: str, process: "subprocess.Popen[bytes]") -> np.ndarray:
    """Look at the desktop until it is as it should be."""
    end = time.monotonic() + DEADLINE
    while not holds(picture := seen(display)):
        assert process.poll() is None, "the program has ended"
        if time.monotonic() > end:
            Image.fromarray(picture.astype(np.uint8)).save("desktop.png")
            pytest.fail(f"it never came; see {Path('desktop.png').resolve()}")
        time.sleep(0.1)
    return picture


def do(display: str, *words: str) -> None:
    subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": display}, check=True, timeout=DEADLINE)


def has_walls_and_panels(picture: np.ndarray) -> bool:
    middle, left = picture[100:500, 250:600], picture[200:500, 20:200]
    return bool(middle.mean() > 120 and middle.std() > 15 and left.mean() < 80 and left.std() > 5)


def test_a_scenario_in_a_window_is_turned_from_the_top_and_closed(display: str, tmp_path: Path) -> None:
    """D-9: a window on the desktop."""
    environment = {**os.environ, "DISPLAY": display}
    command = [sys.executable, "-m", "coopsim", "gui", "single", "--size", "900x600"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment)
    try:
        before = until(has_walls_and_panels, display, process)
        do(display, "mousemove", "420", "300", "key", "2")
        until(lambda picture: np.abs(picture - before)[100:500, 250:600].mean() > 8.0, display, process)
        do(display, "key", "p")
        until(lambda _: any(tmp_path.glob("single-*.png")), display, process)
        do(display, "key", "ctrl+q")
        assert process.wait(DEADLINE) == 0
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(DEADLINE)


@pytest.mark.usefixtures("from_nothing")
def test_a_display_that_goes_takes_the_run_of_its_window_along(tmp_path: Path) -> None:
    with desktop() as (name, server):
        command = [sys.executable, "-m", "coopsim", "gui", "single", "--size", "900x600"]
        process = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "DISPLAY": name})
        until(has_walls_and_panels, name, process)
        runs = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        server.terminate()
        assert process.wait(DEADLINE) == 1
    assert runs
    assert not any(Path("/proc", run).exists() for run in runs)


def test_a_run_opens_a_window_that_ends_with_it(display: str, tmp_path: Path) -> None:
    environment = {**os.environ, "DISPLAY": display}
    command = [sys.executable, "-m", "coopsim", "run", "lab", "--port", "0", "--no-controllers"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment)
    try:
        until(has_walls_and_panels, display, process)
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 130
        end = time.monotonic() + DEADLINE
        while seen(display).max() > 0:
            assert time.monotonic() < end, "the window is still there"
            time.sleep(0.1)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(DEADLINE)


def has_moved(before: np.ndarray, now: np.ndarray) -> bool:
    return bool(np.abs(now - before)[100:500, 250:600].max() > 60)


EPISODES = """
import gymnasium
import coopsim.features.learning.environments

env = gymnasium.make("coopsim/Target-v0", render_mode="human")
is_open, episodes = True, 0
while is_open:
    env.reset(seed=episodes)
    episodes += 1
    for _ in range(10):
        env.step([1.0, 0.0])
    is_open = env.unwrapped._rendering._window.is_open
env.reset()
env.step([1.0, 0.0])
env.close()
print(episodes)
"""


def test_a_training_shows_its_episodes_in_one_window_and_goes_on_without_it(display: str, tmp_path: Path) -> None:
    environment, command = {**os.environ, "DISPLAY": display}, [sys.executable, "-c", EPISODES]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        picture = until(has_walls_and_panels, display, process)
        for _ in range(2):  # robots move, and begin elsewhere
            before = picture
            picture = until(partial(has_moved, before), display, process)
        do(display, "mousemove", "420", "300", "key", "ctrl+q")
        episodes, _ = process.communicate(timeout=DEADLINE)
        assert process.returncode == 0
        assert int(episodes) > 0
    finally:
        process.kill()
        process.wait(DEADLINE)
