"""What is dragged over a window of X11; the window and its events are made up."""

from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.features.desktop.gl import context

URIS, TEXT, SOURCE = 77, 78, 9
VERSION = 5 << 24


class Window:
    def __init__(self) -> None:
        self._xdnd_atoms = {"text/uri-list": URIS}
        self._xdnd_source = self._xdnd_version = self._xdnd_format = 0
        self.listed = list[Any]()

    def _event_drag_enter(self, event: Any) -> None:
        self.listed.append(event)

    def dispatch_events(self) -> None: ...


def entered(*words: int) -> tuple[Window, Any]:
    window, event = Window(), SimpleNamespace(xclient=SimpleNamespace(data=SimpleNamespace(l=words)))
    context.mend(window)
    window._event_drag_enter(event)
    return window, event


@pytest.mark.parametrize(("types", "taken"), [((URIS, 0, 0), URIS), ((TEXT, 0, URIS), URIS), ((TEXT, 0, 0), None)])
def test_what_is_dragged_with_few_types_is_taken_if_one_is_a_list_of_files(types: tuple[int, ...], taken: Any) -> None:
    window, _ = entered(SOURCE, VERSION, *types)
    assert (window._xdnd_source, window._xdnd_version, window._xdnd_format) == (SOURCE, 5, taken)
    assert not window.listed


def test_what_is_dragged_with_many_types_is_left_to_pyglet() -> None:
    window, event = entered(SOURCE, VERSION | 1, 0, 0, 0)
    assert window.listed == [event]


def test_windows_of_other_systems_are_left_as_they_are() -> None:
    simple_namespace = SimpleNamespace(dispatch_events=None)
    context.mend(simple_namespace)
    assert vars(simple_namespace) == {"dispatch_events": None}
