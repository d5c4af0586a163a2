"""STEPs in parts: several messages, one tick, one set of readings."""

import math
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest
from server_fakes import ask
from server_steps import CLAIM, step

from coopsim.errors import BadArgument, NoSuchName, OwnedByAnother, SimulationEnded, StaleLayout
from coopsim.interfaces import STEP
from coopsim.message import Message, decode, encode

PART, READ = STEP.command("part").number, STEP.command("read").number


def part(*robots: str, data: object, number: int, generation: int = 1) -> Message:
    return replace(step(*robots, data=data, number=number, generation=generation), command=PART)


@pytest.mark.parametrize("mode", ["lockstep", "real-time"])
def test_parts_are_carried_out_and_answered_with_the_step_that_ends_them(bench: Callable, mode: str) -> None:
    run = bench(mode)
    assert run.send(part("robot2", data=(2, 0), number=1)) is None
    if mode == "real-time":
        run.source.publish(tick=1)
    run.pump()
    # without its STEP a part commands nobody
    assert run.got() == []
    assert run.coordinator.ownership.labels(("robot2",)) == {"robot2": None}
    assert run.send(part("plain1", data=(3, 0), number=2)) is None
    assert run.send(step("robot1", data=(1, 0), number=3)) is None
    if mode == "real-time":
        run.source.publish(tick=2)
    run.pump()
    replies = run.got()
    assert [(reply.id, reply.tick, reply.error) for reply in replies] == [
        (number, 1 if mode == "lockstep" else 2, 0) for number in (1, 2, 3)
    ]
    with run.coordinator.link.writing() as (layout, rows):
        written = [rows[layout.robot[robot].command_offset + 2] for robot in ("robot1", "robot2", "plain1")]
    assert written == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (part("robot2", data=(1, 2, 3), number=1), BadArgument, "take 2 values, got 3"),
        (part("robot1", data=(1, 2), number=1), BadArgument, "two parts"),
        (part("robot2", data=(1, 2), number=1, generation=9), StaleLayout, "generation 1"),
    ],
)
def test_a_part_that_is_refused_refuses_all_and_is_forgotten(
    bench: Callable, wrong: Message, error: type[Exception], text: str
) -> None:
    run = bench()
    assert run.send(wrong) is None
    last = run.send(step("robot1", data=(1, 0), number=2))
    (first,) = run.got()
    assert (first.id, first.error, last.error) == (1, error.code, error.code)
    assert text in first.text
    assert run.coordinator.ownership.labels(("robot1", "robot2")) == {"robot1": None, "robot2": None}
    assert run.ask(step("robot1", data=(1, 0), number=3)).tick == 1


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_cannot_be_read_of_a_step_in_parts_refuses_all_of_it(bench: Callable, place: int) -> None:
    run = bench()
    said = [
        part("robot2", data=(1, 0), number=1),
        part("plain1", data=(1, 0), number=2),
        step("robot1", data=(1, 0), number=3),
    ]
    raws = [encode(request) for request in said]
    # what encodes for us refuses it itself: other clients send what they have
    raws[place] = raws[place].replace(struct.pack(">d", 1.0), struct.pack(">d", math.nan))
    replies = [run.modules.respond(raw, run.session("a")) for raw in raws]
    answered = [*(decode(raw) for raw in replies if raw is not None), *run.got()]
    assert sorted(reply.id for reply in answered) == [1, 2, 3]
    assert all(reply.error == BadArgument.code and "data[0] is nan" in reply.text for reply in answered)
    assert run.coordinator.ownership.labels(("robot1", "robot2")) == {"robot1": None, "robot2": None}
    # it refuses one step alone
    assert run.ask(step("robot1", data=(1, 0), number=4)).tick == 1


def test_a_foreign_robot_in_a_part_leaves_the_others_free(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    assert run.send(part("robot2", data=(1, 0), number=1), "a") is None
    assert run.send(step("robot1", data=(1, 0), number=2), "a").error == OwnedByAnother.code
    assert run.coordinator.ownership.labels(("robot1",)) == {"robot1": None}


def test_parts_that_come_during_a_tick_belong_to_the_next(bench: Callable) -> None:
    run = bench()
    run.send(step("robot1", data=(1, 0), number=1))
    run.send(part("robot2", data=(2, 0), number=2))
    run.send(step("robot1", data=(3, 0), number=3))
    run.pump()
    assert [(reply.id, reply.tick) for reply in run.got()] == [(1, 1), (2, 2), (3, 2)]


def test_parts_without_an_end_are_refused_some_day(bench: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.server.lockstep.sessions.MOST_WAITING", 3)
    run = bench()
    replies = [run.send(part("robot2", data=(2, 0), number=number)) for number in range(1, 5)]
    assert replies[:3] == [None] * 3
    assert replies[3].error == BadArgument.code
    assert "read the replies first" in replies[3].text


def test_parts_whose_step_does_not_come_are_refused_in_time_and_count_for_none(bench: Callable) -> None:
    run = bench()
    began = run.coordinator.clock()
    assert run.send(part("robot2", data=(2, 0), number=1)) is None
    assert run.send(part("plain1", data=(2, 0), number=2)) is None
    run.coordinator.turn(began + 4.9)
    assert run.got() == []
    run.coordinator.turn(began + 60.0)
    assert [(reply.id, reply.error) for reply in run.got()] == [(1, BadArgument.code), (2, BadArgument.code)]
    assert run.ask(step("robot1", data=(1, 0), number=3)).tick == 1
    assert run.coordinator.ownership.labels(("robot2",)) == {"robot2": None}


def test_after_the_end_nobody_waits_for_parts_that_were_refused_or_not(bench: Callable) -> None:
    run = bench()
    raw = encode(part("robot2", data=(1, 0), number=1)).replace(struct.pack(">d", 1.0), struct.pack(">d", math.nan))
    assert run.modules.respond(raw, run.session("a")) is not None
    assert run.send(part("plain1", data=(1, 0), number=2), "a") is None
    run.coordinator.pending.refuse_all(7)
    assert [(reply.id, reply.tick, reply.error) for reply in run.got("a")] == [(2, 7, SimulationEnded.code)]
    assert run.session("a").waiting == 0


def test_readings_of_many_robots_are_read_in_one_message_and_command_nobody(bench: Callable) -> None:
    run = bench()
    run.ask(step("robot1", data=(0.3, 0.1)))
    reply = run.send(ask("/sim/step", READ, 1, "robot2", "robot1"), "b")
    assert (reply.error, reply.tick, reply.params) == (0, 1, (1,))
    assert [len(reply.data), reply.data[0], reply.data[45]] == [90, 0.0, 0.3]
    assert run.coordinator.ownership.labels(("robot2",)) == {"robot2": None}
    assert run.send(ask("/sim/step", READ, 9, "robot1"), "b").error == StaleLayout.code
    assert run.send(ask("/sim/step", READ, 1, "robot9"), "b").error == NoSuchName.code
    # who is ready gets what it reads after the tick
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1", data=(1, 0)))
    assert run.send(ask("/sim/step", READ, 1, "robot1", number=7)) is None
    run.ask(step("robot2", data=(1, 0)), "b")
    assert [(late.id, late.tick) for late in run.got()] == [(1, 2), (7, 2)]
