"""`/sim/step` while modes, layouts and edits change, and at the end."""

from collections.abc import Callable

import pytest
from server_fakes import ask
from server_steps import CLAIM, step

from coopsim.errors import (
    Late,
    NoSuchName,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
)
from coopsim.message import Message


def test_while_paused_nothing_ticks_and_everything_goes_on_afterwards(bench: Callable) -> None:
    run = bench()
    run.ask(ask("/sim/clock", 14))
    assert run.send(step("robot1", data=(1, 0))) is None
    run.pump()
    assert (run.source.permits, run.got()) == (0, [])
    run.send(ask("/sim/clock", 15, number=2))
    run.pump()
    assert sorted((reply.id, reply.error) for reply in run.got()) == [(1, 0), (2, 0)]


def test_single_steps_of_a_paused_run_need_no_permission(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot1"))
    run.ask(ask("/sim/clock", 14))
    run.ask(ask("/sim/clock", 16, 3))
    assert (run.source.header.tick, run.source.permits) == (3, 0)
    assert run.coordinator.barrier.next == 4


def test_in_real_time_a_step_is_answered_after_the_next_tick_whatever_its_stamp(bench: Callable) -> None:
    """C-29: the simulation does not depend on the control applications."""
    run = bench("real-time")
    assert run.send(step("robot1", data=(0.3, 0), tick=99)) is None
    run.pump()
    assert run.got() == []
    run.source.tick()
    run.pump()
    assert [(reply.tick, reply.data[0]) for reply in run.got()] == [(1, 0.3)]
    assert run.source.permits == 0


def test_in_real_time_the_newest_command_wins_unless_claimed(bench: Callable) -> None:
    run = bench("real-time")
    for client in ("a", "b"):
        assert run.send(ask("/robot1/motors", 10), client).error == 0
    run.send(ask("/sim/step", CLAIM, "robot1"), "b")
    assert run.send(ask("/robot1/motors", 10), "a").error == OwnedByAnother.code


def test_the_mode_changes_with_clients_connected(bench: Callable) -> None:
    run = bench("real-time")
    run.send(step("robot1", data=(1, 0), number=5))
    run.send(ask("/sim/clock", 11, "lockstep", number=6), "operator")
    run.pump()
    assert [reply.id for reply in run.got()] == [5]  # the waiting STEP counts for the first lockstep step
    assert run.source.permits == 1
    run.send(step("robot1", data=(2, 0), number=7))
    run.pump()
    assert [(reply.id, reply.tick) for reply in run.got()] == [(7, 2)]
    run.got("operator")
    run.ask(ask("/sim/clock", 11, "real-time"), "operator")
    assert run.send(step("robot1", data=(3, 0), number=8)) is None
    run.pump()
    assert (run.got(), run.source.permits) == ([], 2)
    run.source.tick()
    run.pump()
    assert [reply.id for reply in run.got()] == [8]


def test_after_a_clock_reset_stamps_go_on(bench: Callable) -> None:
    run = bench()
    for _ in range(3):
        run.ask(step("robot1", data=(0, 0)))
    run.ask(ask("/sim/clock", 17))
    assert run.ask(step("robot1", data=(0, 0), tick=1)).error == Late.code
    assert run.ask(step("robot1", data=(0, 0), tick=4)).tick == 4


def test_at_the_end_everything_that_waits_is_answered(bench: Callable) -> None:
    run = bench()
    run.source.silent_edits = True
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1", data=(0, 0), number=1))
    run.send(ask("/robot1/sonars", 10, number=2))
    run.send(ask("/plain1/odometry", 2, "slip", number=3))
    run.source.publish(ended=True)
    run.pump()
    run.modules.refuse_all()
    assert sorted((reply.id, reply.error) for reply in run.got()) == [(n, SimulationEnded.code) for n in (1, 2, 3)]
    assert run.send(step("robot1", data=(0, 0))).error == SimulationEnded.code
    assert run.send(ask("/robot1/sonars", 10)).error == 0


def test_the_death_of_the_source_answers_its_edits(bench: Callable) -> None:
    run = bench()
    run.source.silent_edits = True
    run.send(ask("/plain1/odometry", 2, "slip"))
    run.source.serve()
    run.source.channel.close()
    run.source.link.poll()
    assert [reply.error for reply in run.got()] == [SimulationEnded.code]
    assert run.send(ask("/plain1/odometry", 2, "slip")) is None
    assert [reply.error for reply in run.got()] == [SimulationEnded.code]


def test_a_robot_that_comes_makes_the_old_layout_stale(bench: Callable) -> None:
    run = bench()
    run.ask(step("robot1", data=(1, 0)))
    assert run.ask(ask("/sim/world", 11, "[ROBOT_1]"), "operator").params == ("robot9",)
    assert run.send(step("robot1", data=(1, 0))).error == StaleLayout.code
    reply = run.ask(step("robot1", data=(2, 0), generation=2))
    assert (reply.params, reply.data[0]) == ((2,), 2.0)
    assert run.send(ask("/robot9/sonars", 10), "operator").error == 0


def test_a_robot_that_goes_is_not_awaited_and_its_step_is_stale(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot1"), "a")
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1", data=(1, 0), number=3), "a")
    run.ask(ask("/sim/world", 13, "robot2"), "operator")
    assert [(reply.id, reply.error, reply.params) for reply in run.got("a")] == [(3, 0, (2,))]
    assert run.send(ask("/robot2/motors", 10), "b").error == NoSuchName.code


def test_the_command_of_a_robot_survives_a_new_layout(bench: Callable) -> None:
    run = bench("real-time")
    run.send(ask("/robot1/motors", 10, data=(0.3, 0.1)))
    run.ask(ask("/sim/world", 11, "[ROBOT_1]"))
    assert run.source.commands("robot1")[1:] == [10.0, 0.3, 0.1]


def test_the_first_step_waits_for_those_it_was_told_to_wait_for(bench: Callable) -> None:
    run = bench(wait_for=("robot1", "robot2"))
    run.send(step("robot1", data=(0, 0)), "a")
    run.pump()
    assert run.source.permits == 0
    assert list(run.coordinator.awaited(1.0)) == ["robot2"]
    run.send(step("robot2", data=(0, 0)), "b")
    run.pump()
    assert run.source.permits == 1


@pytest.mark.parametrize("count", [1e30, 2**63, 1_000_001, 0, -1, 0.5, "many"])
def test_a_refused_step_of_the_clock_ends_no_lockstep(bench: Callable, count: float | str) -> None:
    run = bench("lockstep")
    run.send(ask("/sim/clock", 14))
    run.pump()
    reply = run.ask(ask("/sim/clock", 16, count))
    assert reply.error in {101, 203}
    run.send(ask("/sim/clock", 15))
    run.pump()
    run.got()
    assert run.coordinator.manual == 0
    assert run.ask(step("robot1", data=(0, 0))).tick == 1


def test_an_edit_that_cannot_be_sent_is_answered_and_time_goes_on(bench: Callable) -> None:
    run = bench("lockstep")
    reply = run.ask(Message("/robot1/sonars", command=3, params=("reach", 2.0)))
    assert reply.error == 0
    send = run.source.link.edit
    run.source.link.edit = lambda *_: (_ for _ in ()).throw(OverflowError("too large"))
    assert run.ask(Message("/robot1/sonars", command=3, params=("reach", 2.0))).error == 503
    run.source.link.edit = send
    assert run.ask(step("robot1", data=(0, 0))).tick == 1


def test_a_step_never_overtakes_the_edits_that_its_client_sent_before(bench: Callable) -> None:
    run = bench("lockstep")
    for reach in (1.0, 1.5, 2.0, 2.5):
        assert run.send(Message("/robot1/sonars", command=3, params=("reach", reach))) is None
    assert run.send(step("robot1", data=(0, 0))) is None
    assert len(run.source.edits) == 0
    for _ in range(6):
        run.pump()
    assert [edit["value"] for edit in run.source.edits] == [1.0, 1.5, 2.0, 2.5]
    assert [reply.tick for reply in run.got()] == [0, 0, 0, 0, 1]


def test_many_edits_of_one_client_let_time_go_on_and_others_in_between(bench: Callable) -> None:
    run = bench("lockstep")
    for _ in range(100):
        run.send(Message("/robot1/sonars", command=3, params=("reach", 1.0)), "flood")
    assert run.ask(step("robot2", data=(0, 0)), "calm").tick == 1
    assert run.ask(Message("/robot2/sonars", command=3, params=("reach", 2.0)), "calm").error == 0
    assert len(run.source.edits) < 20


def test_a_manual_step_ends_when_its_client_is_gone(bench: Callable) -> None:
    run = bench("lockstep")
    run.send(ask("/sim/clock", 14))
    run.pump()
    run.source.silent_edits = True
    run.send(ask("/sim/clock", 16, 3))
    run.modules.lost(run.session("a"))
    run.source.serve()
    assert [edit["edit"] for edit in run.source.edits] == ["pause", "step", "pause"]
