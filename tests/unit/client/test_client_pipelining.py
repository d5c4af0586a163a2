"""Commands to many modules at once: nothing waits for a reply before all are sent, and each has its own answer."""

import pytest
from client_fakes import FakeServer, hasten

from coopsim.client import Client
from coopsim.client.pipelining import MOST_TOGETHER
from coopsim.errors import BadArgument, LivesElsewhere, NoReply, NoSuchCommand, NoSuchName
from coopsim.message import Message

MOTORS = "/robot1/motors", "/robot2/motors"


def speeds(*values: float) -> list[tuple[str, str, tuple[float, float]]]:
    return [(target, "set_velocity", (value, 0.0)) for target, value in zip(MOTORS, values, strict=True)]


def describe_all(sim: Client) -> None:
    for target in MOTORS:
        sim.module(target).refresh()


def test_all_are_sent_before_the_first_reply_is_there(sim: Client, server: FakeServer) -> None:
    describe_all(sim)
    held: list[bytes] = []

    def only_together(_request: Message, reply: bytes) -> list[bytes]:
        held.append(reply)
        return held[::-1] if len(held) == 2 else []

    server.manners = only_together
    assert sim.call_all(speeds(0.1, 0.2)) == [None, None]
    assert server.commands == {"robot1": [0.1, 0.0], "robot2": [0.2, 0.0]}


def test_each_gives_what_it_would_alone_in_the_order_of_the_calls(sim: Client) -> None:
    results = sim.call_all(
        [("/robot2/odometry", "pose", ()), ("/robot1/motors", "stop", ()), ("/robot1/odometry", 10, ())]
    )
    assert [results[0].x, results[1], results[2].x] == [pytest.approx(1000.53), None, pytest.approx(0.53)]
    assert sim.call_all([]) == []


def test_one_that_is_refused_keeps_no_other_from_being_done(sim: Client, server: FakeServer) -> None:
    calls = [("/robot3/motors", "stop", ()), ("/robot1/target", "fly", ()), ("/robot1/odometry", "pose", (1, 2, 3, 4))]
    describe_all(sim)
    server.refusals[MOTORS[0]] = BadArgument("too fast")
    *results, missing, unknown, wrong = sim.call_all([*speeds(0.1, 0.2), *calls])
    assert [type(result) for result in results] == [BadArgument, type(None)]
    assert "too fast" in str(results[0])
    assert [type(missing), type(unknown), type(wrong)] == [NoSuchName, NoSuchCommand, BadArgument]
    assert server.commands == {"robot2": [0.2, 0.0]}


def test_what_one_module_is_told_comes_to_it_in_this_order(sim: Client, server: FakeServer) -> None:
    count = 2 * MOST_TOGETHER + 3
    sim.call_all((MOTORS[0], "set_velocity", (number / 1000.0, 0.0)) for number in range(count))
    values = [request.data[0] for request in server.asked(MOTORS[0], "set_velocity")]
    assert values == [number / 1000.0 for number in range(count)]


def test_a_module_that_lives_elsewhere_is_asked_there(sim: Client, server: FakeServer) -> None:
    describe_all(sim)
    server.refusals[MOTORS[1]] = LivesElsewhere("it lives elsewhere").bring("", "")
    results = sim.call_all(speeds(0.1, 0.2))
    assert results[0] is None
    assert isinstance(results[1], LivesElsewhere)  # no address is told
    server.refusals.clear()
    assert sim.call_all(speeds(0.3, 0.4)) == [None, None]


def test_silence_is_an_error_of_all_and_nothing_of_it_is_taken_for_a_later_reply(
    sim: Client, server: FakeServer
) -> None:
    describe_all(sim)
    hasten(sim, 0.2)
    server.silent.add(MOTORS[1])
    with pytest.raises(NoReply, match="no reply from /robot"):
        sim.call_all(speeds(0.1, 0.2))
    server.silent.clear()
    hasten(sim, 10.0)
    assert sim.call_all(speeds(0.3, 0.4)) == [None, None]
    assert server.commands == {"robot1": [0.3, 0.0], "robot2": [0.4, 0.0]}
