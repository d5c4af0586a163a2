"""What follows a run for a window, and what becomes of it when the scene changes or the run ends."""

import threading
import time
from collections.abc import Callable

import pytest
from viewer_live import DEADLINE, live

from coopsim.client import Client
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


def test_the_scene_is_asked_for_once_as_long_as_it_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, scene = [], Client.scene
    monkeypatch.setattr(Client, "scene", lambda client: asked.append(client) or scene(client))
    with live("single") as (client, link):
        wait_until(lambda: "robot1" in names(link))
        for _ in range(5):
            client.robot("robot1").motors.set_velocity(0.1, 0.0)
        wait_until(lambda: bool(link.samples) and link.samples[-1].state.tick >= 4)
        assert len(asked) == 1
