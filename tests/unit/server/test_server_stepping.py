"""`/sim/step` in lockstep and in real time."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from server_fakes import ask
from server_steps import CLAIM, CLAIM_WITH, LAYOUT, RELEASE, SKIP, STEP, both_step, step

from coopsim.errors import (
    BadArgument,
    Evicted,
    Late,
    NoSuchName,
    OwnedByAnother,
    Released,
    StaleLayout,
)
from coopsim.message import Message


def test_layout_tells_rows_of_commands_and_readings_by_type(bench: Callable) -> None:
    layout = json.loads(bench().send(ask("/sim/step", LAYOUT)).params[0])
    assert layout["generation"] == 1
    assert layout["robots"] == [["plain1", "plain"], ["robot1", "single"], ["robot2", "single"]]
    single = layout["types"]["single"]
    assert single["takes"] == [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]]
    assert single["gives"][4] == ["sonars", "ranges", "m", 4, 3]
    assert (single["takes_length"], single["gives_length"]) == (2, 4 + 3 + 6 + 24 + 8)


def test_layout_is_paged(bench: Callable) -> None:
    page = json.loads(bench().send(ask("/sim/step", LAYOUT, 1, 1)).params[0])
    assert (page["robots"], page["total"]) == ([["robot1", "single"]], 3)


def test_a_step_of_one_robot_is_answered_after_the_tick(bench: Callable) -> None:
    """C-30: a step happens only after every robot received its command."""
    run = bench()
    assert run.send(step("robot1", data=(0.3, 0.1))) is None
    run.pump()
    (reply,) = run.got()
    assert (reply.error, reply.tick, reply.params) == (0, 1, (1,))
    assert list(reply.data[:7]) == [0.3, 0.1, 1.0, 10.0, 1.0, 1.0, 1.0]


def test_robots_of_two_types_in_one_message_keep_the_order_asked(bench: Callable) -> None:
    run = bench()
    reply = run.ask(step("robot2", "plain1", "robot1", data=(1, 2, 3, 4, 5, 6)))
    rows = np.split(np.array(reply.data), [45, 45 + 9])
    assert [list(row[:2]) for row in rows] == [[1, 2], [3, 4], [5, 6]]


def test_without_names_a_step_is_for_all_that_the_client_owns(bench: Callable) -> None:
    run = bench()
    run.ask(ask("/sim/step", CLAIM, "robot2", "robot1"))
    reply = run.ask(step(data=(1, 2, 3, 4)))
    assert [reply.data[0], reply.data[45]] == [1.0, 3.0]
    assert run.send(step(data=()), "b").error == BadArgument.code


def test_a_tick_waits_for_the_robots_of_every_owner(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot1"), "a")
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    assert run.send(step("robot1", data=(1, 0)), "a") is None
    run.pump()
    assert run.source.permits == 0
    assert run.send(step("robot2", data=(2, 0)), "b") is None
    run.pump()
    assert run.source.permits == 1
    assert [run.got("a")[0].tick, run.got("b")[0].tick] == [1, 1]


def test_a_second_step_before_the_tick_overwrites_and_both_are_answered(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1", data=(1, 0), number=1))
    run.send(step("robot1", data=(2, 0), number=2))
    run.ask(step("robot2", data=(0, 0)), "b")
    assert [(reply.id, reply.data[0]) for reply in run.got()] == [(1, 2.0), (2, 2.0)]


def test_stamps_name_the_step(bench: Callable) -> None:
    run = bench()
    assert run.ask(step("robot1", data=(0, 0), tick=1)).tick == 1
    assert run.send(step("robot1", data=(0, 0), tick=1)).error == Late.code
    assert run.send(step("robot1", data=(0, 0), tick=3)).error == BadArgument.code
    assert run.ask(step("robot1", data=(0, 0), tick=2)).tick == 2


def test_a_command_that_comes_during_a_tick_belongs_to_the_next(bench: Callable) -> None:
    run = bench()
    run.send(step("robot1", data=(1, 0), number=1))
    run.send(step("robot1", data=(2, 0), number=2))  # sent ahead: the first has been permitted already
    run.pump()
    assert [(reply.id, reply.tick, reply.data[0]) for reply in run.got()] == [(1, 1, 1.0), (2, 2, 2.0)]


def test_the_naive_loop_of_read_read_set_is_correct(bench: Callable) -> None:
    """C-30: readings of a robot that has its command are those after the step."""
    run = bench()
    for tick in range(3):
        for module in ("sonars", "target"):
            assert run.ask(ask(f"/robot1/{module}", 10)).tick == tick
        assert run.send(ask("/robot1/motors", 10, data=(tick, 0), tick=tick + 1)).error == 0
    run.pump()
    assert run.source.header.tick == 3


def test_a_reading_after_the_command_waits_for_the_step_of_a_slower_client(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(ask("/robot1/motors", 10, data=(1, 0)))
    assert run.send(ask("/robot1/motors", 13)) is None
    assert run.send(ask("/robot1/motors", 13), "onlooker").tick == 0
    run.send(ask("/robot2/motors", 10), "b")
    run.pump()
    assert [(reply.tick, reply.data[0]) for reply in run.got()] == [(1, 1.0)]


def test_a_module_that_does_not_pace_makes_nobody_ready(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot1"))
    run.send(ask("/robot1/sonars", 10))
    run.pump()
    assert run.source.permits == 0


def test_skip_holds_the_last_command(bench: Callable) -> None:
    run = bench()
    run.ask(step("robot1", data=(0.3, 0)))
    assert run.send(ask("/sim/step", SKIP)).error == 0
    run.pump()
    assert run.source.header.tick == 2
    assert run.source.commands("robot1") == [1.0, 10.0, 0.3, 0.0]


def test_commands_of_others_are_refused_with_the_owner_and_reading_is_free(bench: Callable) -> None:
    run = bench()
    run.ask(step("robot1", data=(0, 0)), "alice")
    for request in (step("robot1", data=(0, 0)), ask("/robot1/motors", 10), ask("/sim/step", SKIP, "robot1")):
        reply = run.send(request, "bob")
        assert (reply.error, reply.text) == (OwnedByAnother.code, "robot1 is controlled by alice")
    assert run.send(ask("/plain1/odometry", 12), "bob") is None
    run.send(ask("/sim/step", CLAIM, "plain1"), "alice")
    assert run.send(ask("/plain1/odometry", 12), "bob").error == OwnedByAnother.code
    assert run.send(ask("/robot1/motors", 13), "bob").error == 0


def test_a_step_for_a_foreign_robot_changes_nothing(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    assert run.send(step("robot1", "robot2", data=(1, 1, 1, 1))).error == OwnedByAnother.code
    assert run.source.commands("robot1") == [0.0] * 4
    assert run.coordinator.ownership.owner("robot1") is None


@pytest.mark.parametrize(
    ("request_", "error", "text"),
    [
        (step("robot1", data=(1,)), BadArgument, "take 2 values, got 1"),
        (step("robot1", "robot1", data=(1, 2, 3, 4)), BadArgument, "twice"),
        (step("robot8", data=(1, 2)), NoSuchName, "robot8"),
        (step("/", data=(1, 2)), NoSuchName, "'/'"),
        (step("robot1", data=(1, 2), generation=9), StaleLayout, "generation 1"),
        (ask("/sim/step", STEP, data=(1, 2)), StaleLayout, "none"),
        (ask("/sim/step", STEP, 1, 5, data=(1, 2)), BadArgument, "names"),
        (ask("/sim/step", CLAIM), BadArgument, "names"),
        (ask("/sim/step", CLAIM, "robot1", "nobody"), NoSuchName, "nobody"),
        (ask("/sim/step", CLAIM_WITH, "guess"), BadArgument, "token"),
        (ask("/sim/step", CLAIM_WITH), BadArgument, "token"),
        (ask("/sim/step", LAYOUT, -1), BadArgument, "first"),
        (ask("/sim/step", LAYOUT, 0.5), BadArgument, "whole"),
    ],
)
def test_mistakes_are_refused_and_leave_no_trace(
    bench: Callable, request_: Message, error: type[Exception], text: str
) -> None:
    run = bench()
    reply = run.send(request_)
    assert reply.error == error.code
    assert text in reply.text
    assert run.coordinator.ownership.labels(("robot1", "robot2")) == {"robot1": None, "robot2": None}


def test_a_token_joins_a_second_connection_to_the_owner(bench: Callable) -> None:
    run = bench()
    (token,) = run.send(ask("/sim/step", CLAIM, "robot1", "robot2"), "a").params
    assert run.send(ask("/sim/step", CLAIM_WITH, token), "a2").params == ("robot1", "robot2")
    assert run.send(ask("/robot1/motors", 10), "a2").error == 0


def test_release_gives_back_and_lets_the_others_go_on(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1", data=(1, 0)))
    run.send(ask("/sim/step", RELEASE), "b")
    run.pump()
    assert run.got()[0].tick == 1
    assert run.send(ask("/sim/step", RELEASE), "nobody").error == 0


def test_a_step_of_a_robot_that_is_released_before_the_tick_is_answered(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1", data=(1, 0)))
    run.send(ask("/sim/step", RELEASE))
    assert [reply.error for reply in run.got()] == [Released.code]


def test_a_lost_client_frees_its_robots_at_once_and_its_last_command_stays(bench: Callable) -> None:
    run = bench()
    run.ask(step("robot1", data=(0.3, 0)), "a")
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot2", data=(0, 0)), "b")
    run.modules.lost(run.session("a"))
    run.pump()
    assert run.got("b")[0].tick == 2
    assert run.source.commands("robot1")[1:] == [10.0, 0.3, 0.0]


def test_patience_stops_a_silent_robot_notes_it_and_goes_on(bench: Callable) -> None:
    run = bench(patience=0.5)
    both_step(run)
    run.send(step("robot2", data=(2, 0)), "b")
    run.now = 0.6
    run.modules.turn(run.now)
    run.pump()
    assert [reply.error for reply in run.got("b")] == [0]
    assert run.source.commands("robot1")[1:] == [0.0, 0.0, 0.0]
    notes = [(edit["what"], edit["robot"]) for edit in run.source.edits if edit["edit"] == "note"]
    assert notes == [("patience is over: stop", "robot1")]
    assert run.coordinator.barrier.fired == 1
    reply = run.send(ask("/robot1/motors", 10, data=(1, 0)), "a")
    assert (reply.error, "had been stopped" in reply.text) == (0, True)


def test_an_evicted_owner_is_told_once(bench: Callable) -> None:
    run = bench(patience=0.5, policy="evict")
    both_step(run)
    run.send(step("robot2", data=(0, 0)), "b")
    run.now = 1.0
    run.modules.turn(run.now)
    run.pump()
    assert run.send(ask("/robot1/motors", 10), "a").error == Evicted.code
    assert run.send(ask("/robot1/motors", 10), "a").error == 0


@pytest.mark.parametrize("mode", ["real-time", "free"])
def test_out_of_lockstep_no_command_waits_for_the_end_of_a_tick(bench: Callable, mode: str) -> None:
    run = bench(mode)
    run.coordinator.is_running = True
    assert not run.coordinator.must_hold_command(run.session("a"))


def test_in_lockstep_a_command_waits_while_a_tick_is_under_way_and_not_after_the_end(bench: Callable) -> None:
    run = bench()
    assert not run.coordinator.must_hold_command(run.session("a"))
    run.coordinator.is_running = True
    assert run.coordinator.must_hold_command(run.session("a"))
    run.coordinator.is_ended = True
    assert not run.coordinator.must_hold_command(run.session("a"))
