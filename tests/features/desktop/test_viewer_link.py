"""What follows a run for a window, and what becomes of it when the scene changes or the run ends."""

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

from viewer_live import DEADLINE, live

from coopsim.client.scene import SceneView
from coopsim.features.desktop.link import ViewerLink

CRATE = "[OBJECT_1]\ntype box\nname crate\nsize 1 0.5 0.4\nposition 2 1 0\nmass 4\n"


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < end
        threading.Event().wait(0.005)


def names(link: ViewerLink) -> set[str]:
    return {row.name for row in link.scene.entities} if link.scene is not None else set()


def test_the_scene_is_that_of_the_newest_layout() -> None:
    with live("single") as (client, link):
        wait_until(lambda: "robot1" in names(link))
        client.world.insert(CRATE)
        wait_until(lambda: "crate" in names(link))
        client.world.remove("crate")
        wait_until(lambda: "crate" not in names(link))
        assert "robot1" in names(link)


def test_the_scene_is_asked_for_once_as_long_as_its_generation_stays_the_same() -> None:
    with live("single") as (_, link):
        link.close()
    asked: list[int] = []

    def show(generation: int) -> None:
        """Let a state of a generation come in."""

        def scene() -> SceneView:
            asked.append(generation)
            return SceneView(generation, 0, ())

        link._described = generation  # sensors and types are known
        simulation, state = SimpleNamespace(scene=scene), SimpleNamespace(raw=SimpleNamespace(generation=generation))
        link._receive_state(simulation, state)  # type: ignore[arg-type]

    link.scene = None
    for generation in (7, 7, 8, 8, 8, 9):
        show(generation)
    assert asked == [7, 8, 9]
