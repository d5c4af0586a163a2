"""Places of entities as keys of their sections: written, read again, and compared with what there is."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from viewer_scenes import row

from coopsim.features.desktop.placing import (
    differing,
    entries_in,
    entries_of,
    position_entries,
    rounded,
    text_of,
    texture_of,
)
from coopsim.geometry import quaternion
from coopsim.state import Visual

ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
PLACES = st.floats(-99.0, 99.0)
TURNS = st.floats(-179.0, 179.0)


@given(PLACES, PLACES, PLACES, TURNS, st.floats(-89.0, 89.0), TURNS)
def test_what_is_written_of_a_pose_is_that_pose(
    x: float, y: float, z: float, phi: float, psi: float, theta: float
) -> None:
    pose = (x, y, z, *quaternion(*map(math.radians, (phi, psi, theta))))
    entries = entries_in("[OBJECT_1]\n" + text_of(entries_of(pose)))
    assert differing(entries, replace(row(), pose=pose), ORIGIN) == ""


def test_entries_are_those_of_the_first_section_alone() -> None:
    text = "[OBJECT_1]\nName crate\nmass   3 \n\nempty \n[OBJECT_2]\nname other\n"
    assert entries_in(text) == {"name": "crate", "mass": "3"}


@pytest.mark.parametrize(("metres", "differs"), [(0.0, ""), (0.015, ""), (0.03, "position")])
def test_places_two_centimetres_apart_count_as_the_same(metres: float, differs: str) -> None:
    assert differing({"position": f"{metres} 0 0"}, row(), ORIGIN) == differs


@pytest.mark.parametrize(("degrees", "differs"), [(0.0, ""), (0.9, ""), (1.2, "orientation"), (360.0, "")])
def test_headings_a_degree_apart_count_as_the_same(degrees: float, differs: str) -> None:
    assert differing({"orientation": f"0 0 {degrees}"}, row(), ORIGIN) == differs


def test_what_moved_by_itself_counts_as_where_it_was_put() -> None:
    moved = (3.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert differing({"position": "0 0 0"}, row(), moved) == ""
    assert differing({"position": "3 1 0"}, row(), moved) == ""
    assert differing({"position": "1 1 0"}, row(), moved) == "position"


@pytest.mark.parametrize(
    ("key", "value", "differing_value"),
    [
        ("color", "255 0 0", "250 0 0"),
        ("size", "1 1 1", "1 1 1.03"),
        ("mass", "1", "1.001"),
        ("friction", "0.5", "0.501"),
        ("texture", "none", "bricks.png"),
    ],
)
def test_each_key_is_compared_as_what_it_says(key: str, value: str, differing_value: str) -> None:
    assert differing({key: value}, row(), ORIGIN) == ""
    assert differing({key: differing_value}, row(), ORIGIN) == key


def test_the_first_key_that_differs_is_named_and_unknown_ones_are_not_compared() -> None:
    entries = {"note": "anything", "mass": "2", "size": "9 9 9"}
    assert differing(entries, row(), ORIGIN) == "mass"


def test_a_pattern_is_the_texture_of_what_is_drawn_with_it() -> None:
    entity = replace(row(), visuals=(Visual("box"), Visual("box", texture="checker")))
    assert texture_of(entity) == "checker"
    assert differing({"texture": "checker"}, entity, ORIGIN) == ""


def test_what_is_put_where_it_was_put_last_is_put_a_micrometre_beside() -> None:
    assert position_entries({"position": "0 0 0", "mass": "1"}, row()) == {"position": "1e-06 0 0", "mass": "1"}
    assert position_entries({"position": "1 0 0"}, row()) == {"position": "1 0 0"}
    assert position_entries({"mass": "1"}, row()) == {"mass": "1"}


@pytest.mark.parametrize(("value", "text"), [(0.1 + 0.2, "0.3"), (-0.0000001, "0"), (12.0, "12"), (1 / 3, "0.333333")])
def test_numbers_are_written_as_people_write_them(value: float, text: str) -> None:
    assert rounded(value) == text
