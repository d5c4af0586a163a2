"""Hostile values in requests: a refusal, and nothing that waits for ever."""

from collections.abc import Callable

import pytest
from server_fakes import ask

from coopsim.errors import BadArgument
from coopsim.interfaces import Parameter
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.requests import MOST_WHOLE, whole
from coopsim.state.edits import Step

STEP, SET_PARAMETER = 16, 3


@pytest.mark.parametrize("value", [1e30, -1, 2**64 - 1, 1.5, MOST_WHOLE + 1, "1", float("nan"), float("inf")])
def test_what_is_no_whole_number_within_bounds_is_refused(value: float | str) -> None:
    with pytest.raises(BadArgument, match="count must be a whole number from 1 to"):
        whole(value, "count", 1)


def test_long_texts_are_cut_in_refusals() -> None:
    with pytest.raises(BadArgument) as caught:
        whole("x" * 100_000, "count")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("value", [1e30, -1e30, 2**63, 2**64 - 1])
def test_a_whole_parameter_without_a_range_fits_64_bits(value: float) -> None:
    with pytest.raises(BadArgument, match="must fit 64 bits"):
        Parameter("n", int, 0).check(value)
    assert Parameter("n", int, 0).check(-(2**63)) == -(2**63)


@pytest.mark.parametrize("count", [1e30, 2**64 - 1, 0, -1, 1e-9, "many"])
def test_lockstep_goes_on_after_a_hostile_number_of_steps(bench: Callable, count: float | str) -> None:
    host = bench("lockstep")
    assert host.ask(ask("/sim/clock", STEP, count)).error == 203
    assert host.ask(ask("/sim/step", 11, 1, "robot1", data=(0.3, 0.0)), "b").tick == 1


def test_an_edit_that_cannot_travel_is_refused_and_nothing_waits_for_it(bench: Callable) -> None:
    host = bench("lockstep")
    session = Session(host.mail, None, "a")
    edits = EditForwarder(host.source.link)
    before = host.source.ring.edits
    edits.ask(Step(10**30), ask("/sim/clock", STEP), session)
    assert (session.waiting, host.source.ring.edits) == (0, before)
    edits.refuse_all()
    (reply,) = host.got()
    assert reply.error == BadArgument.code
    assert "no edit can carry this" in reply.text
