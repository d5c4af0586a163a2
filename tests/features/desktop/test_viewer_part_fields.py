"""Fields of the parts of an object: what each of them changes, and nothing else."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.features.desktop.ui import part_fields
from coopsim.features.desktop.ui.part_fields import PartFields
from coopsim.scene.object_part import ObjectPart

PART = ObjectPart("box", (0.4, 0.2, 0.6), (0.5, 0.0, 0.1), 2, 1.0, color=(0.9, 0.8, 0.7))
ROW: Any = SimpleNamespace(name="crate", mass=4.0, color=(0.1, 0.2, 0.3))


class Fields(PartFields):
    """Fields into which a test writes; what they change is noted."""

    def __init__(self, **written: list[float]) -> None:
        self.put: list[ObjectPart] = []
        self.list = SimpleNamespace(put=lambda _number, part: self.put.append(part))  # type: ignore[assignment]
        self._written = written
        self.shown: dict[str, tuple[float, ...]] = {}

    def _numbers(self, name: str, _label: str, now: Any, *_limits: Any, **_more: Any) -> list[float] | None:
        field = name.rpartition(".")[2]
        self.shown[field] = tuple(now)
        return self._written.get(field)

    def change(self) -> ObjectPart:
        self._draw_part(ROW, 2, PART)
        (part,) = self.put
        return part


@pytest.fixture(autouse=True)
def _no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what draws."""
    silent = SimpleNamespace(
        tree_node_ex=lambda *_: True,
        TreeNodeFlags_=SimpleNamespace(default_open=0),
        push_item_width=lambda _: None,
        pop_item_width=lambda: None,
        tree_pop=lambda: None,
    )
    monkeypatch.setattr(part_fields, "imgui", silent)
    monkeypatch.setattr(part_fields, "remember", lambda _: None)
    monkeypatch.setattr(part_fields, "button", lambda *_: False)
    monkeypatch.setattr(part_fields, "choice", lambda _name, _label, shape, _shapes: shape)


@pytest.mark.parametrize(
    ("field", "numbers", "attribute", "expected"),
    [
        ("size", [0.1, 0.2, 0.3], "size", (0.1, 0.2, 0.3)),
        ("position", [1.0, 2.0, 3.0], "position", (1.0, 2.0, 3.0)),
        ("color", [0.1, 0.5, 0.9], "color", (0.1, 0.5, 0.9)),
        ("orientation", [90.0, 0.0, -45.0], "orientation", (math.pi / 2, 0.0, -math.pi / 4)),
        ("mass", [2.5], "mass", 2.5),
        ("mass", [0.0], "mass", None),
    ],
)
def test_each_field_changes_what_it_is_called_after(
    field: str, numbers: list[float], attribute: str, expected: Any
) -> None:
    part = Fields(**{field: numbers}).change()
    assert getattr(part, attribute) == pytest.approx(expected)
    rest = {"size", "position", "color", "orientation", "mass", "shape", "number"} - {attribute}
    assert {name: getattr(part, name) for name in rest} == {name: getattr(PART, name) for name in rest}


def test_fields_show_what_the_part_is_and_the_colour_of_the_whole_where_it_has_none() -> None:
    fields = Fields()
    fields._draw_part(ROW, 2, PART)
    assert fields.put == []
    assert fields.shown["size"] == PART.size
    assert fields.shown["color"] == PART.color
    plain = ObjectPart("box", (0.4, 0.2, 0.6), (0.5, 0.0, 0.1), 2)
    fields._draw_part(ROW, 2, plain)
    assert fields.shown["color"] == ROW.color
    assert fields.shown["mass"] == (0.0,)


def test_another_shape_is_chosen_and_a_part_is_deleted_by_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = Fields()
    removed: list[int] = []
    fields.list.remove = removed.append  # type: ignore[method-assign]
    monkeypatch.setattr(part_fields, "choice", lambda *_: "cylinder")
    monkeypatch.setattr(part_fields, "button", lambda *_: True)
    fields._draw_part(ROW, 2, PART)
    assert [part.shape for part in fields.put] == ["cylinder"]
    assert removed == [2]
