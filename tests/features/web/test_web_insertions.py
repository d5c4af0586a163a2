"""Insertions by a page: sections as the window inserts them, and nothing that is not offered."""

import math

import pytest

from coopsim.errors import BadArgument
from coopsim.features.beginnings import templates
from coopsim.features.web.insertions import offered, section_of
from coopsim.robots import type_names


def test_a_page_offers_what_the_window_offers() -> None:
    assert offered() == {
        "object": [*templates.SHAPES, "polygon", *templates.COMPOSED],
        "artifact": ["lamp", "conveyor", "door"],
        "target": list(templates.TARGET_COLORS),
        "robot": list(type_names()),
    }


@pytest.mark.parametrize(
    ("kind", "name", "taken", "begin"),
    [
        ("object", "box", (), "[OBJECT_1]\ntype box\nname box1\nsize 0.5 0.5 0.5\nposition 1 2 0\n"),
        ("object", "box", ("box1",), "[OBJECT_1]\ntype box\nname box2\n"),
        ("object", "tee", (), "[OBJECT_1]\ntype box\nname tee1\n"),
        ("object", "polygon", ("polygon1",), "[OBJECT_1]\ntype polygon\nname polygon2\npoints "),
        ("artifact", "lamp", ("lamp1",), "[ARTIFACT_1]\ntype lamp\nname lamp2\nposition 1 2 0\n"),
        ("target", "blue", ("blue",), "[TARGET]\nblue_2 1 2 0\n"),
        ("robot", "scout", ("robot1", "robot2"), "[ROBOT_1]\ntype scout\nname robot3\nposition 1 2 0\n"),
    ],
)
def test_what_is_inserted_has_a_name_of_its_own(kind: str, name: str, taken: tuple[str, ...], begin: str) -> None:
    assert section_of(kind, name, taken, [1, 2, 0]).startswith(begin)


@pytest.mark.parametrize(
    ("kind", "name"), [("robot", "box"), ("robot", "nobody"), ("floor", "box"), ("object", "x\n[Y]")]
)
def test_what_is_not_offered_is_refused(kind: str, name: str) -> None:
    with pytest.raises(BadArgument, match="what is offered"):
        section_of(kind, name, (), [0, 0, 0])


@pytest.mark.parametrize("place", [None, "", [1, 2], [1, 2, "z"], [math.nan, 0, 0], [0, 0, math.inf], [2e6, 0, 0], {}])
def test_a_place_is_three_numbers(place: object) -> None:
    with pytest.raises(BadArgument, match="a place"):
        section_of("object", "box", (), place)
