"""What happens when patience is over, for all robots and for one. C-30."""

from collections.abc import Callable
from typing import Any

import pytest
from server_fakes import ask

from coopsim.errors import BadArgument, Evicted, NoSuchName

STATUS, ROBOT_POLICY, STEP, CLAIM = 10, 18, 11, 13
GET, SET = 2, 3


def driven(bench: Callable, **options: Any) -> Any:
    """Return a bench where `a` drives robot1 and `b` robot2, both past their first step."""
    run = bench("lockstep", patience=0.5, **options)
    for client, robot in (("a", "robot1"), ("b", "robot2")):
        run.send(ask("/sim/step", CLAIM, robot), client)
    for client, robot in (("a", "robot1"), ("b", "robot2")):
        run.send(ask("/sim/step", STEP, 1, robot, data=(0.3, 0.1)), client)
    run.pump()
    assert [len(run.got(client)) for client in "ab"] == [1, 1]
    return run


def leave_out_robot2(run: Any) -> None:
    """Let `a` step, and time pass until patience with robot2 is over."""
    run.send(ask("/sim/step", STEP, 1, "robot1", data=(0.2, 0.0)), "a")
    run.now += 1.0
    run.modules.turn(run.now)
    run.pump()


def test_the_policy_of_one_robot_may_differ_from_that_of_the_run(bench: Callable) -> None:
    run = driven(bench, policy="stop")
    assert run.ask(ask("/sim/clock", ROBOT_POLICY, "robot2", "hold")).params == ("hold",)
    assert run.ask(ask("/sim/clock", ROBOT_POLICY, "/robot1")).params == ("stop",)
    leave_out_robot2(run)
    assert run.got("a")[0].tick == 2
    assert run.source.commands("robot2")[2:4] == [0.3, 0.1]  # held, not stopped


def test_a_stopped_robot_stands_and_a_held_one_goes_on(bench: Callable) -> None:
    run = driven(bench, policy="stop")
    leave_out_robot2(run)
    assert run.source.commands("robot2")[1:4] == [0.0, 0.0, 0.0]


def test_an_evicted_client_is_told_once_and_may_claim_again(bench: Callable) -> None:
    run = driven(bench)
    run.ask(ask("/sim/clock", ROBOT_POLICY, "robot2", "evict"))
    leave_out_robot2(run)
    request = ask("/sim/step", STEP, 1, "robot2", data=(0.1, 0.0))
    assert run.send(request, "b").error == Evicted.code
    assert run.send(ask("/sim/step", CLAIM, "robot2"), "b").error == 0


def test_a_robot_that_is_waited_for_has_no_end_of_patience(bench: Callable) -> None:
    run = driven(bench)
    run.ask(ask("/sim/clock", ROBOT_POLICY, "robot2", "wait"))
    leave_out_robot2(run)
    assert run.got("a") == []
    assert '"robot2": 1.0' in run.ask(ask("/sim/clock", STATUS)).params[2]
    run.ask(ask("/sim/clock", ROBOT_POLICY, "robot2", "default"))
    run.modules.turn(run.now)
    run.pump()
    assert run.got("a")[0].tick == 2


def test_the_policy_of_the_run_is_a_parameter(bench: Callable) -> None:
    run = driven(bench, policy="wait")
    assert run.ask(ask("/sim/clock", GET, "policy")).params == ("wait",)
    assert run.ask(ask("/sim/clock", SET, "policy", "hold")).params == ("hold",)
    leave_out_robot2(run)
    assert run.got("a")[0].tick == 2
    assert run.ask(ask("/sim/clock", GET, "patience")).params == (0.5,)


def test_changes_of_policies_and_their_firings_are_written_into_the_record(bench: Callable) -> None:
    run = driven(bench)
    run.ask(ask("/sim/clock", SET, "policy", "hold"))
    run.ask(ask("/sim/clock", ROBOT_POLICY, "robot2", "stop"))
    leave_out_robot2(run)
    notes = [(edit["what"], edit.get("robot", "")) for edit in run.source.edits if edit["edit"] == "note"]
    assert notes == [("policy hold", ""), ("policy stop", "robot2"), ("patience is over: stop", "robot2")]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (ask("/sim/clock", SET, "policy", "shout"), BadArgument),
        (ask("/sim/clock", SET, "policy", 3), BadArgument),
        (ask("/sim/clock", ROBOT_POLICY, "robot1", "shout"), BadArgument),
        (ask("/sim/clock", ROBOT_POLICY, "robot7", "stop"), NoSuchName),
        (ask("/sim/clock", ROBOT_POLICY), BadArgument),
        (ask("/sim/clock", ROBOT_POLICY, 1), BadArgument),
    ],
)
def test_what_is_no_policy_or_no_robot_is_refused(bench: Callable, request_: Any, error: type) -> None:
    assert bench("lockstep").ask(request_).error == error.code
