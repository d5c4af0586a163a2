"""When the next lockstep tick may begin: every case by clock argument. C-30."""

import pytest

from coopsim.errors import BadArgument, Late
from coopsim.server import Barrier, RobotTimeout


def test_a_step_needs_a_command_for_every_owned_robot() -> None:
    barrier = Barrier(owned=("robot1", "robot2"))
    barrier.commanded("robot1", tick=1, now=0.0)
    assert not barrier.complete
    barrier.commanded("robot2", tick=1, now=0.0)
    assert barrier.complete


def test_barrier_names_the_robot_it_waits_for_and_stops_it_in_the_end() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    spoke(barrier, "robot1", "robot2")
    barrier.commanded("robot1", tick=2, now=0.0)
    assert barrier.awaited(now=0.1) == {"robot2": 0.1}
    assert barrier.awaited(now=0.1, least=0.25) == {}
    assert barrier.awaited(now=0.3, least=0.25) == {"robot2": 0.3}
    assert barrier.fire(now=0.4) == []
    assert barrier.fire(now=0.6) == [RobotTimeout("robot2", "stop", 0.6)]
    assert barrier.complete


def test_nothing_ticks_without_an_owner() -> None:
    barrier = Barrier()
    assert not barrier.complete
    assert barrier.awaited(now=2.0) == {"": 2.0}


def test_nothing_ticks_when_the_last_owner_leaves_in_the_midst_of_a_step() -> None:
    barrier = Barrier(owned=("robot1",))
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.disown(("robot1",))
    assert not barrier.complete


def test_a_robot_without_owner_never_blocks() -> None:
    barrier = Barrier(owned=("robot1", "robot2"))
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.disown(("robot2",))
    assert barrier.complete


def test_a_second_command_before_the_step_overwrites_and_changes_nothing_else() -> None:
    barrier = Barrier(owned=("robot1", "robot2"))
    barrier.commanded("robot1", tick=1, now=0.0)
    barrier.commanded("robot1", tick=1, now=0.1)
    assert list(barrier.awaited(now=0.2)) == ["robot2"]


def test_an_old_stamp_is_late_and_a_stamp_beyond_the_next_step_is_refused() -> None:
    barrier = Barrier(owned=("robot1",))
    barrier.ticked(4, now=0.0)
    with pytest.raises(Late, match="step 4; the next one is 5"):
        barrier.commanded("robot1", tick=4, now=0.0)
    with pytest.raises(BadArgument, match="step 6, beyond the next one, 5"):
        barrier.commanded("robot1", tick=6, now=0.0)
    assert not barrier.complete


def test_the_first_stamp_is_one_and_zero_means_next() -> None:
    barrier = Barrier(owned=("robot1",))
    barrier.check(1)
    barrier.check(0)


def test_a_stopped_robot_is_not_awaited_until_it_speaks_again() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    spoke(barrier, "robot1", "robot2")
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.fire(now=0.6)
    barrier.ticked(2, now=0.6)
    barrier.commanded("robot1", tick=0, now=0.7)
    assert barrier.complete
    assert barrier.commanded("robot2", tick=0, now=0.7) == ["robot2"]
    barrier.ticked(3, now=0.8)
    assert set(barrier.awaited(now=0.8)) == {"robot1", "robot2"}


def test_patience_counts_from_when_somebody_began_to_wait() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    spoke(barrier, "robot1", "robot2")
    assert barrier.fire(now=60.0) == []
    barrier.commanded("robot1", tick=0, now=60.0)
    assert barrier.due == 60.5
    assert [firing.robot for firing in barrier.fire(now=60.5)] == ["robot2"]


def test_an_owner_that_never_commanded_gets_time_to_start() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    barrier.commanded("robot1", tick=0, now=0.0)
    assert barrier.fire(now=9.9) == []
    assert [firing.robot for firing in barrier.fire(now=10.0)] == ["robot2"]


def test_no_patience_means_waiting_for_ever() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.0)
    spoke(barrier, "robot1", "robot2")
    barrier.commanded("robot1", tick=0, now=0.0)
    assert barrier.fire(now=1e6) == []


def test_controllers_of_the_launcher_have_a_patience_of_their_own() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    spoke(barrier, "robot1", "robot2")
    barrier.allow(("robot2",), 10.0)
    barrier.commanded("robot1", tick=0, now=0.0)
    assert barrier.fire(now=9.0) == []
    assert len(barrier.fire(now=10.0)) == 1


def test_policies_are_data() -> None:
    barrier = Barrier(owned=("a", "b", "c", "d"), patience=0.5, policy="stop")
    barrier.policies = {"b": "hold", "c": "wait"}
    spoke(barrier, "a", "b", "c", "d")
    barrier.commanded("a", tick=0, now=0.0)
    assert [(firing.robot, firing.policy) for firing in barrier.fire(now=1.0)] == [("b", "hold"), ("d", "stop")]
    assert list(barrier.awaited(now=1.0)) == ["c"]
    barrier.ticked(2, now=1.0)
    assert list(barrier.awaited(now=1.0)) == ["a", "b", "c"]  # held robots are awaited again, stopped ones are not


def test_a_pause_does_not_use_up_patience() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    spoke(barrier, "robot1", "robot2")
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.resume(now=30.0)
    assert barrier.fire(now=30.4) == []
    assert len(barrier.fire(now=30.5)) == 1


def test_the_first_step_waits_for_the_robots_that_were_named() -> None:
    barrier = Barrier(wait_for=("robot1", "robot2"), now=0.0)
    barrier.own(("robot1",), now=0.0)
    barrier.commanded("robot1", tick=0, now=0.0)
    assert not barrier.complete
    assert barrier.awaited(now=3.0) == {"robot2": 3.0}
    barrier.own(("robot2",), now=3.0)
    barrier.commanded("robot2", tick=0, now=3.0)
    assert barrier.complete


def test_the_first_step_waits_for_a_number_of_robots() -> None:
    barrier = Barrier(wait_for=2)
    barrier.own(("robot1",), now=0.0)
    barrier.commanded("robot1", tick=0, now=0.0)
    assert barrier.awaited(now=1.0) == {"": 1.0}
    barrier.own(("robot2",), now=1.0)
    barrier.commanded("robot2", tick=0, now=1.0)
    assert barrier.complete


def test_nobody_is_stopped_while_the_start_is_awaited() -> None:
    barrier = Barrier(wait_for=3, patience=0.5)
    barrier.own(("robot1", "robot2"), now=0.0)
    barrier.commanded("robot1", tick=0, now=0.0)
    assert barrier.fire(now=100.0) == []


def test_a_new_owner_in_the_midst_of_a_step_is_awaited_from_then_on() -> None:
    barrier = Barrier(owned=("robot1",), patience=0.5)
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.own(("robot2",), now=4.0)
    assert not barrier.complete
    assert barrier.awaited(now=5.0) == {"robot2": 1.0}


def test_the_death_of_the_one_that_waited_stops_the_clock_of_the_other() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.5)
    spoke(barrier, "robot1", "robot2")
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.disown(("robot1",))
    assert barrier.fire(now=5.0) == []


def test_changing_the_patience_counts_at_once() -> None:
    barrier = Barrier(owned=("robot1", "robot2"), patience=0.0)
    spoke(barrier, "robot1", "robot2")
    barrier.commanded("robot1", tick=0, now=0.0)
    barrier.set_patience(1.0)
    assert barrier.due == 1.0


def spoke(barrier: Barrier, *robots: str) -> None:
    """Let every owner have made its first step."""
    barrier.commanded(robots, tick=0, now=0.0)
    barrier.ticked(1, now=0.0)


def test_a_set_that_once_had_all_robots_does_not_stand_for_those_that_came_later() -> None:
    robots = frozenset({"robot1", "robot2"})
    barrier = Barrier(owned=robots)
    for tick in (1, 2, 3):
        barrier.commanded(robots, tick=tick, now=0.0)
        assert barrier.complete
        barrier.ticked(tick, 0.0)
        assert barrier.awaited_robots == robots
    barrier.own(("robot3",), 0.0)
    barrier.commanded(robots, tick=4, now=0.0)
    assert not barrier.complete
    assert barrier.awaited_robots == {"robot3"}
    barrier.disown(("robot3",))
    assert not barrier.awaited_robots


def test_a_set_of_some_robots_stands_for_no_others() -> None:
    some = frozenset({"robot1", "robot2"})
    barrier = Barrier(owned=(*some, "robot3"))
    for tick in (1, 2, 3):
        barrier.commanded(some, tick=tick, now=0.0)
        assert barrier.awaited_robots == {"robot3"}
        barrier.commanded("robot3", tick=tick, now=0.0)
        barrier.ticked(tick, 0.0)
