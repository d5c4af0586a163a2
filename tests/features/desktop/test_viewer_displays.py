"""What is done before Xlib ends the process because the X server is gone."""

from types import SimpleNamespace
from typing import Any

import pytest
from pyglet.libs import x11

from coopsim.features.desktop import displays


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Functions that an Xlib of this test was given to call."""
    given: list[Any] = []
    xlib = SimpleNamespace(XIOErrorHandler=lambda function: function, XSetIOErrorHandler=given.append)
    monkeypatch.setattr(x11, "xlib", xlib, raising=False)
    monkeypatch.setitem(displays.sys.modules, "pyglet.libs.x11.xlib", xlib)
    monkeypatch.setattr(displays, "_kept", [])
    return given


def test_under_linux_the_last_steps_are_done_when_xlib_says_so(
    handlers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(displays.sys, "platform", "linux")
    done: list[str] = []
    displays.on_lost_display(lambda: done.append("saved"))
    assert done == []
    (lost,) = handlers
    assert lost(None) == 0
    assert done == ["saved"]


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_elsewhere_there_is_no_xlib_to_ask(handlers: list[Any], monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(displays.sys, "platform", platform)
    displays.on_lost_display(lambda: None)
    assert handlers == []
