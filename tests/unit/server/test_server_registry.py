"""Names of modules that live elsewhere: leases, limits, and what cannot be taken."""

import contextlib
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server_fakes import ask

from coopsim.errors import BadArgument, LivesElsewhere, NoSuchName, OwnedByAnother
from coopsim.server import registry as server_registry
from coopsim.server.registry import LEASE, LONGEST_NAME, MOST_NAMES, MOST_OF_ONE, Registry

HERE = ("tcp://127.0.0.1:9000", "tcp://127.0.0.1:9001")
THERE = ("tcp://127.0.0.1:9100", "")
LIST, LOOKUP, REGISTER, UNREGISTER = 10, 11, 12, 13
PING = 0


def test_a_name_is_known_until_its_lease_is_over() -> None:
    registry = Registry()
    assert registry.register("/arm/gripper", HERE, "anna", 0.0) == LEASE
    assert registry.find("/arm/gripper", LEASE - 0.1) == HERE
    assert registry.find("/arm/gripper", LEASE) is None
    assert registry.names(LEASE) == []


def test_registering_again_and_a_ping_renew_a_lease() -> None:
    registry = Registry()
    registry.register("/a", HERE, "anna", 0.0)
    registry.register("/b", HERE, "ben", 0.0)
    registry.register("/a", HERE, "anna", 4.0)
    assert registry.names(6.0) == ["/a"]
    registry.renew("anna", 8.0)
    assert registry.names(12.0) == ["/a"]
    registry.renew("ben", 12.5)
    assert registry.names(13.0) == []


def test_only_who_registered_a_name_gives_it_up_or_moves_it() -> None:
    registry = Registry()
    registry.register("/a", HERE, "anna", 0.0)
    with pytest.raises(OwnedByAnother, match="9000"):
        registry.register("/a", THERE, "ben", 1.0)
    with pytest.raises(OwnedByAnother):
        registry.unregister("/a", "ben", 1.0)
    registry.register("/a", THERE, "anna", 1.0)
    registry.unregister("/a", "anna", 1.0)
    with pytest.raises(NoSuchName):
        registry.unregister("/a", "anna", 1.0)


def test_a_module_that_was_started_again_takes_its_name_over_at_once() -> None:
    registry = Registry(lambda owner: owner == "before")
    registry.register("/a", HERE, "before", 0.0)
    registry.register("/a", HERE, "after", 1.0)
    registry.unregister("/a", "after", 1.0)
    assert registry.names(1.0) == []


def test_nobody_takes_the_name_of_a_living_module_by_registering_its_own_address() -> None:
    registry = Registry()
    registry.register("/a", HERE, "driver", 0.0)
    registry.register("/a", HERE, "thief", 1.0)
    with pytest.raises(OwnedByAnother):
        registry.unregister("/a", "thief", 1.0)
    with pytest.raises(OwnedByAnother):
        registry.register("/a", THERE, "thief", 1.0)
    registry.register("/a", HERE, "driver", 2.0)
    assert registry.find("/a", 6.9) == HERE


@pytest.mark.parametrize(
    "name",
    [
        "",
        "arm",
        "/",
        "//arm",
        "/arm/",
        "/1arm",
        "/arm hand",
        "/ärm",
        "/a/b/c/d/e",
        "/sim",
        "/sim/clock",
        "/" + "a" * 128,
    ],
)
def test_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(BadArgument):
        Registry().register(name, HERE, "anna", 0.0)
    assert len(name) < LONGEST_NAME + 2


@pytest.mark.parametrize(
    "endpoint",
    [
        "127.0.0.1:80",
        "tcp://*:80",
        "tcp://host",
        "tcp://host:0",
        "tcp://host:70000",
        "udp://h:1",
        "tcp://h:1/x",
        "x" * 500,
    ],
)
def test_endpoints_that_cannot_be_are_refused(endpoint: str) -> None:
    with pytest.raises(BadArgument, match="endpoint"):
        Registry().register("/a", (endpoint, ""), "anna", 0.0)


def test_a_module_without_any_endpoint_is_refused() -> None:
    with pytest.raises(BadArgument, match="at least one"):
        Registry().register("/a", ("", ""), "anna", 0.0)


def test_there_is_an_end_to_names_and_leases_make_room_again() -> None:
    registry = Registry()
    for number in range(MOST_NAMES):
        registry.register(f"/a{number}", HERE, number, 0.0)
    with pytest.raises(BadArgument, match="registered already"):
        registry.register("/b", HERE, "anna", 1.0)
    registry.register("/a0", HERE, 0, 1.0)
    registry.register("/b", HERE, "anna", LEASE + 0.5)


def test_one_client_leaves_names_for_others_however_long_it_renews_its_own() -> None:
    registry = Registry()
    for number in range(MOST_OF_ONE):
        registry.register(f"/a{number}", HERE, "anna", 0.0)
    with pytest.raises(BadArgument, match="250 names are registered by this connection"):
        registry.register("/b", HERE, "anna", 1.0)
    registry.renew("anna", 1.0)
    registry.register("/b", HERE, "berta", 2.0)
    registry.unregister("/a0", "anna", 2.0)
    registry.register("/c", HERE, "anna", 2.0)


def test_who_opens_many_connections_keeps_nobody_from_a_share() -> None:
    registry = Registry()
    for number in range(MOST_NAMES):
        registry.register(f"/a{number}", HERE, number // MOST_OF_ONE, 0.0)
    for number in range(100):
        registry.register(f"/b{number}", HERE, "berta", 1.0)
    names = registry.names(1.0)
    assert len(names) == MOST_NAMES
    assert {f"/b{number}" for number in range(100)} < {*names}
    assert {f"/a{first}" for first in range(0, MOST_NAMES, MOST_OF_ONE)} < {*names}  # the oldest stay
    with pytest.raises(BadArgument, match=r"the most for one|are its share"):
        registry.register("/c", HERE, 0, 1.0)
    registry.register("/b0", HERE, "berta", 1.0)  # a lease is renewed in any crowd


@given(wanted=st.lists(st.integers(0, 60), min_size=1, max_size=9), order=st.randoms(use_true_random=False))
def test_a_full_table_is_shared_max_min_fairly_whoever_comes_first(wanted: list[int], order: Random) -> None:
    room = 40
    asks = [holder for holder, count in enumerate(wanted) for _ in range(count)]
    order.shuffle(asks)
    registry = Registry()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_registry, "MOST_NAMES", room)
        for turn in range(room):  # who lost a name asks again, until nobody gains
            for number, holder in enumerate(asks):
                with contextlib.suppress(BadArgument):
                    registry.register(f"/a{number}", HERE, holder, turn * 1e-3)
    held = Counter(asks[int(name.removeprefix("/a"))] for name in registry.names(1.0))
    assert sum(held.values()) == min(room, len(asks))
    for holder, count in enumerate(wanted):
        if held[holder] < count:  # nobody has more than one name more than whoever lacks some
            assert held[holder] >= max(held.values()) - 1


def test_connections_of_a_key_have_one_share_between_them() -> None:
    registry = Registry()
    for number in range(MOST_OF_ONE):
        registry.register(f"/a{number}", HERE, f"connection {number % 7}", 0.0, holder="key")
    with pytest.raises(BadArgument, match="or by its key"):
        registry.register("/b", HERE, "another connection", 0.0, holder="key")
    registry.register("/a0", HERE, "another key's connection", 0.0, holder="berta")  # the same address renews alone
    with pytest.raises(BadArgument, match="or by its key"):
        registry.register("/b", HERE, "another connection", 0.0, holder="key")
    registry.register("/b", HERE, "connection of berta", 0.0, holder="berta")


# behind /sim/names


def test_a_foreign_name_is_listed_looked_up_and_answered_with_207(bench: Callable) -> None:
    run = bench("real-time")
    reply = run.ask(ask("/sim/names", REGISTER, "/arm/gripper", *HERE))
    assert (reply.error, list(reply.data)) == (0, [LEASE])
    assert "/arm/gripper" in run.ask(ask("/sim/names", LIST)).params
    assert run.ask(ask("/sim/names", LOOKUP, "/arm/gripper")).params == HERE
    moved = run.ask(ask("/arm/gripper", 10))
    assert (moved.error, moved.params) == (LivesElsewhere.code, HERE)
    assert run.ask(ask("/arm/gripper", PING)).error == LivesElsewhere.code


def test_a_foreign_name_ends_with_its_lease_or_when_it_is_given_up(bench: Callable) -> None:
    run = bench("real-time")
    run.ask(ask("/sim/names", REGISTER, "/arm", *HERE))
    run.now = 4.0
    run.ask(ask("/sim/names", PING))
    run.now = 8.0
    assert "/arm" in run.ask(ask("/sim/names", LIST, "/a")).params
    run.ask(ask("/sim/names", PING), client="somebody else")
    run.now = 9.5
    assert run.ask(ask("/sim/names", LIST, "/a")).params == ()
    assert run.ask(ask("/arm", 10)).error == NoSuchName.code
    run.ask(ask("/sim/names", REGISTER, "/arm", *HERE))
    assert run.ask(ask("/sim/names", UNREGISTER, "/arm"), client="somebody else").error == OwnedByAnother.code
    assert run.ask(ask("/sim/names", UNREGISTER, "/arm")).error == 0
    assert run.ask(ask("/sim/names", LOOKUP, "/arm")).error == NoSuchName.code


@pytest.mark.parametrize("name", ["/robot1", "/robot1/motors", "/sim/clock", "/sim/mine"])
def test_nobody_takes_the_name_of_a_simulated_module(bench: Callable, name: str) -> None:
    run = bench("real-time")
    assert run.ask(ask("/sim/names", REGISTER, name, *HERE)).error == BadArgument.code
    assert run.ask(ask(name, PING)).error in {0, NoSuchName.code}


def test_a_robot_that_comes_hides_the_foreign_modules_of_its_names(bench: Callable) -> None:
    run = bench("real-time")
    run.ask(ask("/sim/names", REGISTER, "/robot9/motors", *HERE))
    run.ask(ask("/sim/names", REGISTER, "/robot9/camera", *HERE))
    run.ask(ask("/sim/world", 11, "[ROBOT_1]"))
    assert run.ask(ask("/robot9/motors", 13)).error == 0
    assert run.ask(ask("/robot9/camera", 13)).error == LivesElsewhere.code
    assert run.ask(ask("/sim/names", REGISTER, "/robot9/motors", *HERE)).error == BadArgument.code
    names = run.ask(ask("/sim/names", LIST, "/robot9")).params
    assert list(names).count("/robot9/motors") == 1


def test_one_endpoint_is_enough(bench: Callable) -> None:
    run = bench("real-time")
    assert run.ask(ask("/sim/names", REGISTER, "/arm", "tcp://127.0.0.1:1")).error == 0
    assert run.ask(ask("/sim/names", LOOKUP, "/arm")).params == ("tcp://127.0.0.1:1", "")
    assert run.ask(ask("/sim/names", REGISTER, "/leg", "", "tcp://127.0.0.1:1")).error == 0
    assert run.ask(ask("/sim/names", REGISTER, "/eye", "")).error == BadArgument.code
