"""Plain data of strangers: what annotations let through, and where a misfit is said to be."""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

import msgpack
import pytest

from coopsim.state.plain import AnyFloat, Count, Misfit, check, check_members, unpack
from coopsim.state.plain_entities import check_visuals, entities_from_plain, entities_to_plain
from coopsim.state.visuals import MOST_VISUALS, Visual

NAN = float("nan")


class Row(TypedDict):
    """A row with a member that may be left out."""

    name: str
    size: NotRequired[tuple[float, float]]


@dataclass
class Spec:
    """A dataclass with members of their own kinds."""

    name: str
    counts: list[Count]
    row: Row


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, float),
        (0.5, float),
        (NAN, AnyFloat),
        (-(2**63), int),
        ("", str),
        (b"x", bytes),
        (None, int | None),
        ([1, 2], tuple[int, ...]),
        ((1, "a"), tuple[int, str]),
        ({"a": 1.0}, dict[str, float]),
        ({"name": "a"}, Row),
        ({"name": "a", "size": [1.0, 2.0], "newer": 3}, Row),
        ({"a": [1, None, {"b": "c"}]}, Any),
        (object(), object),
        (3, Annotated[int, 0, 3]),
    ],
)
def test_what_fits_is_let_through(value: Any, kind: Any) -> None:
    check(value, kind)


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (NAN, float, "expected a finite number, found nan"),
        (True, float, "expected a finite number, found True"),
        ("1", AnyFloat, "expected a number, found '1'"),
        (2**63, int, "expected a whole number, found 9223372036854775808"),
        (2**80, int, "expected a whole number, found a huge number"),
        (True, int, "expected a whole number, found True"),
        (-1, Count, "expected a whole number from 0, found -1"),
        (4, Annotated[int, 0, 3], "expected a whole number from 0 to 3, found 4"),
        (1, str, "expected text, found 1"),
        (1, bool, "expected yes or no, found 1"),
        ("x", bytes, "expected bytes, found 'x'"),
        ("x", list[int], "expected a list, found 'x'"),
        ([1, "x"], list[int], "[1]: expected a whole number, found 'x'"),
        ([1], tuple[int, int], "expected a list of 2, found list of 1"),
        ([1, "x"], tuple[int, int], "[1]: expected a whole number, found 'x'"),
        ([], dict[str, int], "expected a map, found list of 0"),
        ({"a": "x"}, dict[str, int], "'a': expected a whole number, found 'x'"),
        ({}, Row, "name: expected a value, found None"),
        ({"name": "a", "size": [1.0, "x"]}, Row, "size[1]: expected a finite number, found 'x'"),
        ([], Row, "expected a map, found list of 0"),
        ("x", int | None, "expected int or NoneType, found 'x'"),
        ({"a": [{1}]}, Any, "a[0]: expected a number, text, or a list or map of such, found {1}"),
        ({"a": float("inf")}, Any, "a: expected a number, text, or a list or map of such, found inf"),
        ("x" * 99, int, f"expected a whole number, found '{'x' * 39}..."),
        (b"123", str, "expected text, found bytes of 3"),
    ],
)
def test_a_misfit_says_where_what_was_expected_and_what_is_there(value: Any, kind: Any, words: str) -> None:
    with pytest.raises(Misfit) as refusal:
        check(value, kind)
    assert str(refusal.value) == words


def test_members_of_a_dataclass_are_named_with_their_way() -> None:
    check_members(Spec("a", [1, 2], {"name": "b"}))
    with pytest.raises(Misfit, match=r"^counts\[1\]: expected a whole number from 0, found -2$"):
        check_members(Spec("a", [1, -2], {"name": "b"}))
    with pytest.raises(Misfit, match=r"^spec\.row\.name: expected text, found 3$"):
        check(Spec("a", [], {"name": 3}), Spec, "spec")  # type: ignore[typeddict-item]
    with pytest.raises(Misfit, match=r"^expected a Spec, found dict of 0$"):
        check({}, Spec)


def test_nested_lists_of_a_stranger_end_in_a_misfit_and_not_in_the_stack() -> None:
    nested: Any = []
    for _ in range(100):
        nested = [nested]
    with pytest.raises(Misfit, match="a list or map of such"):
        check(nested, Any)


def test_a_text_that_is_no_msgpack_is_no_data() -> None:
    assert unpack(msgpack.packb({"a": [1, 2]})) == {"a": [1, 2]}
    with pytest.raises(ValueError, match="cannot be unpacked"):
        unpack(b"\xc1")


def test_values_are_counted_while_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.state.plain.MOST_ITEMS", 10)
    assert unpack(msgpack.packb([1, [2, 3]])) == [1, [2, 3]]
    with pytest.raises(ValueError, match="it holds more than 10 values"):
        unpack(msgpack.packb([[1, 2, 3]] * 4))


def test_a_long_text_may_hold_one_value_in_eight_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.state.plain.MOST_ITEMS", 10)
    floats = [0.5] * 40  # nine bytes each
    assert unpack(msgpack.packb([floats, floats])) == [floats, floats]
    with pytest.raises(ValueError, match="it holds more than 51 values"):
        unpack(msgpack.packb([floats, [None] * 20, [None] * 20]))


def test_looks_that_rows_share_are_written_once() -> None:
    rows = entities_from_plain(
        {
            "looks": [[{"shape": "box"}, {"shape": "sphere", "parent": 0}]],
            "entities": [_entity(name="a", visuals=0), _entity(name="b", visuals=0), _entity(name="c")],
        }
    )
    plain = entities_to_plain(rows)
    assert plain["looks"] == [[{"shape": "box"}, {"shape": "sphere", "parent": 0}]]
    assert [entity.get("visuals") for entity in plain["entities"]] == [0, 0, None]
    assert entities_from_plain(plain) == rows


def _entity(**changes: Any) -> dict[str, Any]:
    usual = {
        "name": "a",
        "kind": "object",
        "type": "box",
        "body": -1,
        "pose": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        "size": [1.0, 1.0, 1.0],
        "mass": 1.0,
        "color": [0.0, 0.0, 0.0],
        "friction": 0.5,
    }
    return {**usual, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "ghost"}, "entities[0].kind: expected floor, object, target, robot, area, found 'ghost'"),
        ({"visuals": 2}, "entities[0].visuals: expected one of 0 looks, found 2"),
        ({"whole": "cloth"}, "entities[0].cell: expected a name and two or three numbers of a node, found None"),
        ({"whole": "cloth", "cell": [1]}, "entities[0].cell: expected a name and two or three numbers"),
    ],
)
def test_an_entity_that_cannot_be_drawn_is_refused_with_its_place(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Misfit) as refusal:
        entities_from_plain({"entities": [_entity(**changes)]})
    assert str(refusal.value).startswith(words)


@pytest.mark.parametrize(
    ("visuals", "words"),
    [
        ([Visual("box")] * (MOST_VISUALS + 1), "looks: expected at most"),
        ([Visual("pyramid")], "looks[0].shape: expected "),
        ([Visual("box"), Visual("box", parent=1)], "looks[1].parent: expected an earlier visual, found 1"),
        ([Visual("box", points=(0.0,) * 6)], "looks[0].shape: expected points of a polygon alone"),
        ([Visual("polygon", points=(0.0,) * 4)], "looks[0].points: expected x and y of 3 to 200 corners, found 4"),
    ],
)
def test_visuals_that_are_no_tree_of_known_shapes_are_refused(visuals: list[Visual], words: str) -> None:
    with pytest.raises(Misfit) as refusal:
        check_visuals(visuals, "looks")
    assert str(refusal.value).startswith(words)
