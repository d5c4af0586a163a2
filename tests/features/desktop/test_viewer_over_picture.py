"""What is drawn over the picture: the hint for the mouse where there is room, and the band of a selection."""

from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.features.desktop.ui import over_picture
from coopsim.features.desktop.ui.over_picture import OverPicture

VIEW = (100.0, 50.0, 800.0, 600.0)


class Recorded:
    """A list of what is drawn, in place of that of the library."""

    def __init__(self) -> None:
        self.words: list[tuple[float, float, str]] = []
        self.rectangles: list[tuple[float, float, float, float]] = []

    def add_text(self, at: Any, _color: int, text: str) -> None:
        self.words.append((at.x, at.y, text))

    def add_rect_filled(self, low: Any, high: Any, *_: object) -> None:
        self.rectangles.append((low.x, low.y, high.x, high.y))

    def add_rect(self, low: Any, high: Any, *_: object) -> None:
        self.rectangles.append((low.x, low.y, high.x, high.y))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    recorded = Recorded()
    monkeypatch.setattr(over_picture.imgui, "get_background_draw_list", lambda: recorded)
    monkeypatch.setattr(over_picture.imgui, "calc_text_size", lambda _: SimpleNamespace(x=500.0, y=16.0))
    monkeypatch.setattr(over_picture, "draw_overlay", lambda *_, **__: None)
    monkeypatch.setattr(over_picture, "shade", lambda *_: 0)  # colours belong to a window
    return recorded


def overlays(band: Any = None, *, chosen: tuple[str, ...] = (), arrangement: str = "default") -> OverPicture:
    layer = OverPicture.__new__(OverPicture)
    nothing = SimpleNamespace(draw=lambda _: None)
    no_gizmo = SimpleNamespace(ends=lambda: None)
    layer._session = SimpleNamespace(chosen=chosen)  # type: ignore[assignment]
    layer._documents = SimpleNamespace(death=lambda: None, is_opening=False)  # type: ignore[assignment]
    layer._settings = SimpleNamespace(arrangement=arrangement, pulls=False)  # type: ignore[assignment]
    layer._mouse_tool = SimpleNamespace(band=band, pull=None, gizmo=no_gizmo)  # type: ignore[assignment]
    layer._names, layer._end_card, layer.start_page = None, nothing, nothing  # type: ignore[assignment]
    return layer


def test_the_mouse_is_explained_at_the_lower_edge_until_something_is_chosen(drawn: Recorded) -> None:
    overlays(chosen=("robot1",)).draw(VIEW, 1.0, None)
    overlays(arrangement="game").draw(VIEW, 1.0, None)
    assert drawn.words == []
    overlays().draw(VIEW, 1.0, None)
    ((x, y, text),) = drawn.words
    assert (x, y) == (116.0, 622.0)
    assert "wheel: zoom" in text


@pytest.mark.parametrize("view", [(0.0, 0.0, 547.0, 600.0), (0.0, 0.0, 800.0, 199.0)])
def test_a_small_picture_has_no_room_for_the_hint(drawn: Recorded, view: tuple[float, float, float, float]) -> None:
    overlays().draw(view, 1.0, None)
    assert drawn.words == []
    assert drawn.rectangles == []


def test_the_band_lies_between_two_corners_whichever_way_it_was_drawn(drawn: Recorded) -> None:
    for band in (((20.0, 40.0), (220.0, 140.0)), ((220.0, 140.0), (20.0, 40.0))):
        drawn.rectangles.clear()
        overlays(band, chosen=("robot1",)).draw(VIEW, 2.0, None)
        # pixels of the picture count from its lower left corner, two of them in a unit of the window
        assert drawn.rectangles == [(110.0, 580.0, 210.0, 630.0)] * 2


def test_a_layout_that_has_the_mouse_draws_its_own_band_and_itself(drawn: Recorded) -> None:
    shown: list[float] = []
    tool = SimpleNamespace(band=((0.0, 0.0), (10.0, 10.0)))
    layout = SimpleNamespace(draw=lambda _view, scale: shown.append(scale), mouse_tool=tool)
    overlays(((1.0, 1.0), (2.0, 2.0)), chosen=("a",)).draw(VIEW, 1.0, layout)  # type: ignore[arg-type]
    assert shown == [1.0]
    assert drawn.rectangles == [(100.0, 640.0, 110.0, 650.0)] * 2
