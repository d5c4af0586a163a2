"""Robots that are commanded every few ticks only."""

from collections.abc import Callable

import pytest
from server_fakes import ask
from server_steps import CLAIM, RELEASE, both_step, step

from coopsim.errors import BadArgument, Late, OwnedByAnother
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.server import Barrier
from coopsim.simulation import Simulation

PERIOD = 16


def _barrier() -> Barrier:
    """Return one of two robots, of which the second is commanded every three ticks."""
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    barrier.periods.set(("robot2",), 3)
    for robot in ("robot1", "robot2"):
        barrier.commanded(robot, tick=0, now=0.0)
    barrier.ticked(1, now=0.0)
    return barrier


def test_a_robot_is_awaited_again_after_the_last_tick_of_its_period() -> None:
    barrier = _barrier()
    assert list(barrier.awaited(now=0.0)) == ["robot1"]
    for tick in (2, 3):
        barrier.commanded("robot1", tick=0, now=0.0)
        assert barrier.complete
        barrier.ticked(tick, now=0.0)
    assert list(barrier.awaited(now=0.0)) == ["robot1", "robot2"]


def test_a_robot_that_rests_makes_others_overdue_but_is_never_overdue_itself() -> None:
    barrier = _barrier()
    assert [firing.robot for firing in barrier.fire(now=0.6)] == ["robot1"]
    barrier.ticked(2, now=0.6)
    assert barrier.complete


def test_a_command_within_a_period_does_not_lengthen_it_and_its_stamp_is_not_late() -> None:
    barrier = _barrier()
    barrier.commanded("robot2", tick=1, now=0.0)
    barrier.commanded("robot1", tick=2, now=0.0)
    barrier.ticked(2, now=0.0)
    barrier.ticked(3, now=0.0)
    assert "robot2" in barrier.awaited(now=0.0)
    with pytest.raises(Late):
        barrier.commanded("robot1", tick=1, now=0.0)


def test_a_new_owner_is_awaited_in_each_tick() -> None:
    barrier = _barrier()
    barrier.disown(("robot2",))
    barrier.own(("robot2",), now=0.0)
    for tick in (2, 3):
        for robot in ("robot1", "robot2"):
            barrier.commanded(robot, tick=0, now=0.0)
        barrier.ticked(tick, now=0.0)
        assert "robot2" in barrier.awaited(now=0.0)


def test_a_step_is_answered_after_the_last_tick_of_the_period(bench: Callable) -> None:
    run = bench()
    assert run.ask(ask("/sim/step", PERIOD, 3, "robot1")).error == 0
    assert run.send(step("robot1", data=(0.3, 0.1), tick=1)) is None
    run.pump()
    assert [reply.tick for reply in run.got()] == [3]
    run.ask(ask("/sim/step", PERIOD, 1, "robot1"))
    assert run.ask(step("robot1", data=(0.3, 0.1), tick=4)).tick == 4


def test_two_periods_are_kept_beside_each_other(bench: Callable) -> None:
    run = bench()
    both_step(run)
    run.ask(ask("/sim/step", PERIOD, 2, "robot2"), "b")
    run.send(step("robot2", data=(1, 0)), "b")
    assert run.ask(step("robot1", data=(1, 0)), "a").tick == 2
    assert run.got("b") == []
    assert run.ask(step("robot1", data=(1, 0)), "a").tick == 3
    assert [reply.tick for reply in run.got("b")] == [3]


def test_a_period_claims_and_refuses_other_peoples_robots_and_nonsense(bench: Callable) -> None:
    run = bench()
    run.ask(ask("/sim/step", CLAIM, "robot1"), "a")
    assert run.ask(ask("/sim/step", PERIOD, 2, "robot1"), "b").error == OwnedByAnother.code
    for ticks in (0, 1_000_000, "x"):
        assert run.ask(ask("/sim/step", PERIOD, ticks, "robot1"), "a").error == BadArgument.code
    assert run.ask(ask("/sim/step", RELEASE, "robot1"), "a").error == 0


def test_a_client_steps_several_ticks_at_once_beside_one_that_steps_each() -> None:
    server = LocalServer(Simulation(load("formation")))
    with server.connect() as first_client, server.connect() as second_client:
        with first_client.stepper(["robot1"]) as fast:
            assert [fast.step([(0.3, 0.0)]).tick for _ in range(2)] == [1, 2]
        with second_client.stepper(["robot2", "robot3"], every=5) as slow:
            first = slow.step([(0.3, 0.0), (0.1, 0.0)])
            second = slow.step([(0.3, 0.0), (0.1, 0.0)])
            assert (first.tick, second.tick, slow.stamp) == (7, 12, 13)
        with first_client.stepper() as fast:
            assert fast.step([(0.0, 0.0)] * 3).tick == 13


def test_what_the_server_forgot_is_said_again() -> None:
    server = LocalServer(Simulation(load("formation")))
    with server.connect() as sim, sim.stepper(["robot1"], every=4) as stepper:
        assert stepper.step([(0.3, 0.0)]).tick == 4
        sim.module("/sim/step").release("robot1")
        assert stepper.step([(0.3, 0.0)]).tick == 5
        assert stepper.step([(0.3, 0.0)]).tick == 9
