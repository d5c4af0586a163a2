"""Who may command which robot."""

import pytest

from coopsim.errors import BadArgument, OwnedByAnother
from coopsim.server.lockstep.ownership import GRACE, Owner, Ownership


@pytest.fixture
def ownership() -> Ownership:
    tokens = iter(f"token{number}" for number in range(1, 9))
    return Ownership(lambda: next(tokens))


def parties() -> tuple[Owner, Owner]:
    return Owner("client A", "a"), Owner("client B", "b")


def test_in_lockstep_a_command_claims_a_free_robot_and_keeps_others_out(ownership: Ownership) -> None:
    a, b = parties()
    assert ownership.command(a, ("robot1",), lockstep=True) == ["robot1"]
    with pytest.raises(OwnedByAnother, match="robot1 is controlled by client A"):
        ownership.command(b, ("robot1",), lockstep=True)


def test_in_real_time_the_newest_command_wins(ownership: Ownership) -> None:
    a, b = parties()
    ownership.command(a, ("robot1",), lockstep=False)
    ownership.command(b, ("robot1",), lockstep=False)
    assert ownership.owner("robot1") is b
    assert a.robots == set()


def test_in_real_time_a_claim_keeps_others_out(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot1",), lockstep=False)
    with pytest.raises(OwnedByAnother):
        ownership.command(b, ("robot1",), lockstep=False)


def test_a_claim_of_several_robots_is_all_or_none(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot2",), lockstep=True)
    with pytest.raises(OwnedByAnother):
        ownership.claim(b, ("robot1", "robot2"), lockstep=True)
    assert ownership.owner("robot1") is None


def test_a_token_lets_another_connection_join(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot1",), lockstep=True)
    assert ownership.join(b, "b", a.token) is a
    assert a.members == {"a", "b"}


def test_what_the_joining_connection_owned_comes_along(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot1",), lockstep=True)
    ownership.command(b, ("robot2",), lockstep=True)
    ownership.join(b, "b", a.token)
    assert a.robots == {"robot1", "robot2"}


def test_an_unknown_token_is_refused(ownership: Ownership) -> None:
    a, _ = parties()
    with pytest.raises(BadArgument, match="no owner"):
        ownership.join(a, "a", "guessed")


def test_a_token_ends_with_the_release_of_the_last_robot(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot1",), lockstep=True)
    token = a.token
    ownership.release(a, ("robot1",))
    with pytest.raises(BadArgument):
        ownership.join(b, "b", token)


def test_a_stranger_cannot_release(ownership: Ownership) -> None:
    a, b = parties()
    ownership.command(a, ("robot1",), lockstep=True)
    with pytest.raises(OwnedByAnother):
        ownership.release(b, ("robot1",))
    assert ownership.release(b, ("robot2",)) == []


def test_in_lockstep_a_lost_connection_frees_its_robots_at_once(ownership: Ownership) -> None:
    a, _ = parties()
    ownership.claim(a, ("robot2", "robot1"), lockstep=True)
    assert ownership.lost(a, "a", 0.0, lockstep=True) == ["robot1", "robot2"]


def test_in_real_time_a_claim_outlives_its_connections_for_its_token_only(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot1",), lockstep=False)
    ownership.command(a, ("robot2",), lockstep=False)
    assert ownership.lost(a, "a", 0.0, lockstep=False) == ["robot2"]
    with pytest.raises(OwnedByAnother):
        ownership.command(b, ("robot1",), lockstep=False)
    assert ownership.expire(GRACE - 0.1, lockstep=False) == []
    assert ownership.expire(GRACE, lockstep=False) == ["robot1"]
    ownership.command(b, ("robot1",), lockstep=False)


def test_who_comes_back_with_its_token_in_time_keeps_its_robots(ownership: Ownership) -> None:
    a, again = parties()
    ownership.claim(a, ("robot1",), lockstep=False)
    ownership.lost(a, "a", 0.0, lockstep=False)
    ownership.join(again, "b", a.token)
    assert ownership.expire(GRACE + 1.0, lockstep=False) == []
    assert ownership.owner("robot1") is a


def test_with_two_connections_one_may_be_lost(ownership: Ownership) -> None:
    a, b = parties()
    ownership.claim(a, ("robot1",), lockstep=True)
    ownership.join(b, "b", a.token)
    assert ownership.lost(a, "a", 0.0, lockstep=True) == []
    assert ownership.owner("robot1") is a


def test_a_removed_robot_has_no_owner_any_more(ownership: Ownership) -> None:
    a, _ = parties()
    ownership.claim(a, ("robot1", "robot2"), lockstep=True)
    assert ownership.keep({"robot1"}) == ["robot2"]
    assert ownership.labels(("robot1", "robot2")) == {"robot1": "client A", "robot2": None}


@pytest.mark.parametrize("lockstep", [True, False])
def test_who_lost_a_robot_of_a_known_set_has_to_get_it_anew(ownership: Ownership, *, lockstep: bool) -> None:
    a, b = parties()
    robots = frozenset({"robot1", "robot2"})
    assert sorted(ownership.command(a, robots, lockstep=lockstep)) == ["robot1", "robot2"]
    for _ in range(2):
        assert ownership.command(a, robots, lockstep=lockstep) == []
    if lockstep:
        ownership.release(a, ("robot2",))
    ownership.command(b, ("robot2",), lockstep=lockstep)
    if lockstep:
        with pytest.raises(OwnedByAnother, match="robot2 is controlled by client B"):
            ownership.command(a, robots, lockstep=lockstep)
    else:
        assert ownership.command(a, robots, lockstep=lockstep) == ["robot2"]
    assert ownership.command(b, frozenset({"robot3"}), lockstep=lockstep) == ["robot3"]
