"""STEPs that come again and again are answered as if each were the first, byte for byte. C-13, C-72."""

import itertools
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_fakes import ask
from server_steps import CLAIM, RELEASE, SKIP, step

from coopsim.message import encode
from coopsim.server.lockstep.repeated import RepeatedStep
from coopsim.server.modules.step import StepModule

SET_PERIOD = 16
BOTH = ("robot1", "robot2")
NAN = struct.pack("<d", float("nan"))

STEPS = ("step", "a", BOTH, None, 0.5, 3)
BEGIN = [(CLAIM, "a", BOTH), STEPS]

clients = st.sampled_from(["a", "b"])
steps = st.tuples(
    st.just("step"),
    clients,
    st.sampled_from([(), ("robot1",), ("robot2",), BOTH]),
    st.sampled_from([None, None, 1, 0, 2]),
    st.sampled_from([0.5, 0.25, None]),
    st.integers(1, 3),
)
others = st.tuples(
    st.sampled_from([CLAIM, RELEASE, SKIP, SET_PERIOD, "ping", "advance"]),
    clients,
    st.sampled_from([("robot1",), BOTH]),
)


class Talk:
    """Requests to a bench, and whatever was answered."""

    def __init__(self, bench: Any) -> None:
        self.bench, self.number = bench, 0
        self.heard: list[Any] = []
        tokens = map(str, itertools.count())
        bench.coordinator.ownership._make_token = lambda: next(tokens)

    def do(self, action: tuple[Any, ...]) -> None:
        kind, client, names, *rest = action
        if kind == "step":
            ahead, value, times = rest
            for _ in range(times):
                self._step(client, names, ahead, value)
        elif kind == "twice":
            self._step(client, names, None, 0.5, is_quiet=True)
            self._step(client, names, None, 0.25)
        elif kind in ("edit", "insert"):
            raw = encode(ask("/sim/world", 12, "box_9", "box", data=[0.3] * 3 + [2.0] * 3, number=self.number))
            self._tell(client, raw, is_quiet=kind == "edit")
        elif kind == "end":
            self.bench.modules.refuse_all()
        elif kind == "advance":
            self.bench.now += 0.3
            self.bench.modules.turn(self.bench.now)
        elif kind == "ping":
            self._tell(client, encode(replace(ask("/robot1/motors", 0), id=self.number)))
        else:
            params = (2, *names) if kind == SET_PERIOD else names
            self._tell(client, encode(ask("/sim/step", kind, *params, number=self.number)))

    def _step(
        self, client: str, names: tuple[str, ...], ahead: int | None, value: float | None, *, is_quiet: bool = False
    ) -> None:
        claimant = self.bench.session(client).claimant
        count = len({*(names or (claimant.robots if claimant is not None else ()))} - {"plain1"})  # it takes nothing
        tick = 0 if ahead is None else self.bench.coordinator.barrier.next - 1 + ahead
        data = np.full(2 * count, 0.5 if value is None else value)
        raw = encode(replace(step(*names, data=data, tick=tick, number=self.number), binary=True))
        if value is None:
            raw = raw.replace(struct.pack("<d", 0.5), NAN)
        self._tell(client, raw, is_quiet=is_quiet)

    def _tell(self, client: str, raw: bytes, *, is_quiet: bool = False) -> None:
        self.number += 1
        self.heard.append(self.bench.modules.respond(raw, self.bench.session(client)))
        if not is_quiet:
            self.bench.pump()
        self.heard.append({name: list(reply) for name, reply in self.bench.mail.replies.items()})
        self.bench.mail.replies.clear()


def commands(bench: Any) -> list[float]:
    with bench.source.link.writing() as (layout, rows):
        return [float(row) for row in rows[: layout.command_size]]


def check_same(bench: Callable, monkeypatch: pytest.MonkeyPatch, policy: str, actions: list[tuple[Any, ...]]) -> None:
    short, general = (Talk(bench("lockstep", patience=0.2, policy=policy)) for _ in range(2))
    for action in actions:
        short.do(action)
        with monkeypatch.context() as patch:
            patch.setattr(StepModule, "_learn", lambda *_: None)
            general.do(action)
        assert short.heard == general.heard
        assert commands(short.bench) == commands(general.bench)


@pytest.mark.parametrize(
    "then",
    [
        [("step", "a", BOTH, 0, 0.5, 1)],  # late
        [("step", "a", BOTH, 2, 0.5, 1)],  # too early
        [("step", "a", BOTH, 1, 0.5, 2)],
        [("step", "a", BOTH, None, None, 1)],  # no number
        [("step", "a", BOTH, None, 0.25, 1), STEPS],
        [("step", "b", BOTH, None, 0.5, 3)],
        [(RELEASE, "a", ("robot1",)), (CLAIM, "b", ("robot1",)), STEPS, ("step", "b", ("robot1",), None, 0.5, 1)],
        [(SET_PERIOD, "a", BOTH), STEPS],
        [("twice", "a", BOTH, None, 0.5, 1), STEPS],
        [(CLAIM, "b", ("plain1",)), ("edit", "a", BOTH), ("twice", "a", BOTH, None, 0.5, 1), STEPS],
        [("insert", "b", BOTH), STEPS],
        [("end", "b", BOTH), STEPS],
    ],
)
def test_what_differs_is_answered_as_ever(
    bench: Callable, monkeypatch: pytest.MonkeyPatch, then: list[tuple[Any, ...]]
) -> None:
    check_same(bench, monkeypatch, "stop", BEGIN + then)


@pytest.mark.parametrize("policy", ["stop", "evict", "hold"])
def test_a_robot_that_was_late_comes_back_as_ever(
    bench: Callable, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    one, other = (("step", client, (robot,), None, 0.5, 1) for client, robot in zip("ab", BOTH, strict=True))
    claims = [(CLAIM, "a", ("robot1",)), (CLAIM, "b", ("robot2",))]
    late = [("advance", "a", BOTH)] * 20
    check_same(
        bench, monkeypatch, policy, [*claims, *[one, other] * 4, one, *late, one, *late, other, other, one, other]
    )


def test_all_that_a_client_owns_are_meant_when_it_owns_more(bench: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    own = ("step", "a", (), None, 0.5, 3)
    check_same(
        bench,
        monkeypatch,
        "stop",
        [(CLAIM, "a", ("robot1",)), own, (CLAIM, "a", ("plain1",)), own, (CLAIM, "a", ("robot2",)), own],
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(st.one_of(steps, others), max_size=8), policy=st.sampled_from(["stop", "evict"]))
def test_the_short_way_answers_and_writes_what_the_general_one_does(
    bench: Callable, monkeypatch: pytest.MonkeyPatch, actions: list[tuple[Any, ...]], policy: str
) -> None:
    check_same(bench, monkeypatch, policy, BEGIN + actions)


def test_the_third_step_of_a_form_takes_the_short_way_and_is_counted(bench: Callable) -> None:
    it = bench("lockstep")
    talk = Talk(it)
    talk.do((CLAIM, "a", BOTH))
    for times in (1, 2):
        talk.do(("step", "a", BOTH, None, 0.5, times))
    raw = encode(replace(step(*BOTH, data=np.full(4, 0.5), number=9), binary=True))
    assert it.modules.respond(raw, it.session("a")) is None
    waiting = it.coordinator.pending.steps
    assert [type(each) for each in waiting] == [RepeatedStep]
    it.pump()
    (answer,) = it.got("a")
    assert (answer.id, answer.tick) == (9, 4)
    statistics = it.ask(ask("/sim/step", 4), "b")
    assert '"requests": 6' in statistics.params[0]
