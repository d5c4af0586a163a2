"""What follows a run for a window: the scene that is shown is that of the newest layout, asked for once."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from viewer_live import live

from coopsim.client.scene import SceneView
from coopsim.errors import NoReply
from coopsim.features.desktop import link as viewer_link


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


@pytest.mark.parametrize(("granted", "expected"), [("", 1.0), ("0.2", 1.0), ("30", 30.0)])
def test_a_window_waits_for_replies_as_long_as_the_environment_grants(
    granted: str, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run on a busy machine is not lost, and with it the edits that wait, because of one late reply."""
    timeouts: list[float] = []
    is_asked = threading.Event()

    def refuse(*_: object, timeout: float, **__: Any) -> Any:
        timeouts.append(timeout)
        is_asked.set()
        raise NoReply("nobody is there")

    monkeypatch.setenv("COOPSIM_TIMEOUT", granted)
    monkeypatch.setattr(viewer_link, "connect", refuse)
    link = viewer_link.ViewerLink("127.0.0.1:1")
    assert is_asked.wait(60.0)
    link.close()
    assert set(timeouts) == {expected}
