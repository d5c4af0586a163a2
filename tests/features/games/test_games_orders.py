"""Orders of players as text: every order is read as it was written, and what is none is refused with its cure."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.games.logic.orders import ORDER_FORMS, VERBS, SquadOrder, read_order
from coopsim.features.laws.planning import FORMATIONS

NAME = st.from_regex(r"[a-z][a-z0-9_/]{0,8}", fullmatch=True).filter(lambda name: name not in FORMATIONS)
COORDINATE = st.integers(-10_000, 10_000).map(lambda number: number / 100.0)
POINT = st.tuples(COORDINATE, COORDINATE)
FORMATION = st.sampled_from(["", *FORMATIONS])
ORDERS = st.one_of(
    st.builds(SquadOrder, NAME, st.sampled_from(["attack", "defend", "capture", "bring"]), NAME),
    st.builds(SquadOrder, NAME, st.just("stop")),
    st.builds(lambda squad, point, formation: SquadOrder(squad, "go_to", "", point, formation), NAME, POINT, FORMATION),
    st.builds(
        lambda squad, point, formation: SquadOrder(squad, "gather", "", point, formation),
        NAME,
        st.none() | POINT,
        FORMATION,
    ),
)


@given(ORDERS)
def test_an_order_is_read_as_it_was_written(order: SquadOrder) -> None:
    assert read_order(str(order)) == order
    assert read_order(f"  {str(order).replace(' ', '   ')} ") == order


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "an order is SQUAD and one of"),
        ("a", "an order is SQUAD and one of"),
        ("a atack b1", "squads do not know 'atack'; did you mean 'attack'?"),
        ("a attack", "attack takes one name, got 0 words"),
        ("a attack b1 b2", "attack takes one name, got 2 words"),
        ("a stop now", "stop takes nothing, got 1 words"),
        ("a go_to", "go_to takes x and y"),
        ("a go_to wedge", "go_to takes x and y"),
        ("a go_to 1", "expected x and y, then perhaps a formation; got '1'"),
        ("a go_to 1 2 3", "expected x and y, then perhaps a formation; got '1 2 3'"),
        ("a gather north", "expected x and y, then perhaps a formation; got 'north'"),
        ("a go_to 1 two", "expected x and y"),
        ("a go_to nan 0", "x and y must be finite"),
        ("a go_to inf -inf", "x and y must be finite"),
    ],
)
def test_what_is_no_order_is_refused_with_what_is_missing(line: str, says: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        read_order(line)
    assert says in str(refusal.value)


@given(st.text(max_size=300))
def test_no_text_does_anything_but_be_read_or_refused(line: str) -> None:
    try:
        order = read_order(line)
    except BadArgument:
        return
    assert order.verb in VERBS
    assert order.point is None or all(map(math.isfinite, order.point))


def test_a_long_line_is_not_repeated_whole_in_a_refusal() -> None:
    for line in ("x" * 100_000, f"a go_to {'1 ' * 100_000}"):
        with pytest.raises(BadArgument) as refusal:
            read_order(line)
        assert len(str(refusal.value)) < 500


def test_squads_have_verbs_of_their_own() -> None:
    own = {"a": {"patrol": "maybe_point", "salute": "nothing", "hunt": "name"}}
    assert read_order("a patrol 1 2 circle", own) == SquadOrder("a", "patrol", "", (1.0, 2.0), "circle")
    assert read_order("a salute", own) == SquadOrder("a", "salute")
    assert read_order("a hunt b1", own) == SquadOrder("a", "hunt", "b1")
    with pytest.raises(BadArgument, match="squads do not know 'patrol'"):
        read_order("b patrol", own)


def test_the_form_that_people_are_shown_has_every_verb_with_its_words() -> None:
    assert all(verb in ORDER_FORMS for verb in VERBS)
    assert "go_to X Y [FORMATION]" in ORDER_FORMS
    assert "gather [X Y] [FORMATION]" in ORDER_FORMS
