"""A robot's modules: readings, settings, edits, parameters. C-11…C-19, C-51."""

import json
from collections.abc import Callable

import pytest
from server_fakes import ask

from coopsim.errors import BadArgument, InternalError, MalformedMessage, NoSuchCommand, NoSuchName
from coopsim.message import Message, decode


def test_a_reading_comes_out_of_the_newest_record(bench: Callable) -> None:
    run = bench("real-time")
    run.source.tick()
    run.source.tick()
    reply = run.send(ask("/robot1/sonars", 10, number=7))
    assert (reply.id, reply.target, reply.command, reply.tick) == (7, "/robot1/sonars", 10, 2)
    assert list(reply.data) == [2.0, 2.0, 2.0]


def test_a_setting_reaches_the_command_row_with_stamp_number_and_values(bench: Callable) -> None:
    run = bench("real-time")
    run.send(ask("/robot2/motors", 10, data=(0.3, 0.1)))
    assert run.source.commands("robot2") == [1.0, 10.0, 0.3, 0.1]
    run.send(ask("/robot2/motors", 12))
    assert run.source.commands("robot2") == [2.0, 12.0, 0.0, 0.0]
    assert run.source.commands("robot1") == [0.0, 0.0, 0.0, 0.0]


def test_values_that_are_left_out_are_filled_in(bench: Callable) -> None:
    run = bench("real-time")
    run.send(ask("/robot1/motors", 10, data=(0.3,)))
    assert run.source.commands("robot1")[2:] == [0.3, 0.0]


def test_a_command_is_seen_in_the_readings_of_the_next_tick(bench: Callable) -> None:
    """C-28: the robot writes actuator values and the readings of the last update."""
    run = bench("real-time")
    run.send(ask("/robot1/motors", 10, data=(0.3, 0.1)))
    run.source.tick()
    assert list(run.send(ask("/robot1/motors", 13)).data) == [0.3, 0.1, 1.0, 10.0]


def test_names_of_targets_and_of_the_robots_in_the_slots_travel_in_params(bench: Callable) -> None:
    run = bench("real-time")
    reply = run.send(ask("/robot1/target", 11))
    assert reply.params == ("red", "blue", "plain1", *[""] * 7)
    assert list(reply.data) == [0.0, *[-1.0] * 7]
    assert len(run.send(ask("/robot1/target", 10)).data) == 6 + 24


def test_the_reply_uses_the_form_of_the_request(bench: Callable) -> None:
    run = bench("real-time")
    reply = run.send(Message("/robot1/sonars", 10, binary=True))
    assert reply.binary
    assert list(reply.data) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("request_", "error", "text"),
    [
        (ask("/robot1/motors", 10, data=(1.0, 2.0, 3.0)), BadArgument, "v m/s, w rad/s"),
        (ask("/robot1/motors", 10, 0.3), BadArgument, "takes params"),
        (ask("/robot1/sonars", 10, data=(1.0,)), BadArgument, "ranges"),
        (ask("/robot1/motors", 99), NoSuchCommand, "13 state"),
        (ask("/robot1/motors", 7), NoSuchCommand, "7"),
        (ask("/robot1", 10), NoSuchCommand, "10"),
        (ask("/robot1/moters", 10), NoSuchName, "did you mean /robot1/motors?"),
        (ask("/robot7/motors", 10), NoSuchName, "/robot"),
        (ask("robot1/motors", 10), NoSuchName, "/robot1/motors"),
        (ask("", 0), NoSuchName, "''"),
        (ask("/", 0), NoSuchName, "'/'"),
        (ask("/sim", 0), NoSuchName, "/sim"),
        (ask("/robot1/motors", 2, "gian"), NoSuchCommand, "gain"),
        (ask("/robot1/motors", 2), BadArgument, "name is missing"),
        (ask("/robot1/motors", 2, 5), BadArgument, "name must be text"),
        (ask("/robot1/motors", 3, "gain", -1.0), BadArgument, "within 1"),
        (ask("/robot1/motors", 3, "half_track", 0.2), BadArgument, "fixed"),
        (ask("/robot1/motors", 3, "gain", "much"), BadArgument, "finite number"),
    ],
)
def test_mistakes_are_refused_with_what_was_expected(
    bench: Callable, request_: Message, error: type[Exception], text: str
) -> None:
    reply = bench("real-time").send(request_)
    assert (reply.error, reply.id, reply.target) == (error.code, 1, request_.target)
    assert text in reply.text


def test_bytes_that_are_no_message_get_an_error_reply(bench: Callable) -> None:
    run = bench("real-time")
    for raw in (b"", b"\xc1", b"hello", b"\x93\x01\x02\x03"):
        reply = decode(run.modules.respond(raw, run.session("a")))
        assert (reply.error, reply.id, reply.target) == (MalformedMessage.code, 0, "")


def test_a_bug_in_a_module_is_a_reply_and_a_line_in_the_log(bench: Callable, caplog: pytest.LogCaptureFixture) -> None:
    run = bench("real-time")
    run.modules.table.fixed["/sim/info"].answer = lambda *_: 1 / 0
    reply = run.send(ask("/sim/info", 10))
    assert reply.error == InternalError.code
    assert "ZeroDivisionError" in reply.text
    assert ["Traceback" in record.getMessage() for record in caplog.records] == [True]
    assert run.send(ask("/sim/info", 10)).error == InternalError.code
    assert len(caplog.records) == 1, "a kind of fault is logged once"
    assert [*run.modules.faults.counts.values()] == [2]
    assert run.send(ask("/robot1/sonars", 10)).error == 0


def test_ping_tells_kind_tick_and_time(bench: Callable) -> None:
    run = bench("real-time", run=77)
    run.source.tick()
    reply = run.send(ask("/robot1/motors", 0))
    assert reply.params == ("differential_drive", 77)
    assert list(reply.data) == [1.0, 0.01]


def test_describe_tells_counts_of_this_robot(bench: Callable) -> None:
    described = json.loads(bench("real-time").send(ask("/robot1/sonars", 1)).params[0])
    assert described["kind"] == "sonars"
    assert described["commands"][0]["gives"][0]["count"] == 3


def test_a_robot_itself_tells_its_type_and_modules(bench: Callable) -> None:
    run = bench("real-time")
    assert run.send(ask("/robot1", 0)).params == ("single", 0)
    assert "/robot1/sonars" in json.loads(run.send(ask("/robot1", 1)).params[0])["summary"]
    assert run.send(ask("/robot1", 2, "mass")).error == NoSuchCommand.code


def test_parameters_are_read_and_changed_by_edits(bench: Callable) -> None:
    run = bench("real-time")
    assert run.ask(ask("/robot1/sonars", 2, "noise")).params == (0.25,)
    assert run.ask(ask("/robot1/sonars", 3, "noise", 0.5)).params == (0.5,)
    assert run.ask(ask("/robot1/sonars", 2, "noise")).params == (0.5,)
    assert [edit["edit"] for edit in run.source.edits] == ["get_parameter", "set_parameter", "get_parameter"]


def test_an_edit_command_goes_to_the_device_once_and_is_answered_when_done(bench: Callable) -> None:
    run = bench("real-time")
    assert run.send(ask("/plain1/odometry", 12, data=(1.0, 2.0))) is None
    run.pump()
    assert [reply.error for reply in run.got()] == [0]
    (edit,) = run.source.edits
    assert edit == {
        "id": 1,
        "edit": "device",
        "robot": "plain1",
        "module": "odometry",
        "command": 12,
        "data": (1.0, 2.0, 0.0),
    }


def test_statistics_count_requests_and_errors(bench: Callable) -> None:
    run = bench("real-time")
    run.send(ask("/robot1/motors", 13))
    run.send(ask("/robot1/motors", 99))
    statistics = {"requests": 3, "errors": 1, "commands": 0}
    assert json.loads(run.send(ask("/robot1/motors", 4)).params[0]) == statistics


def test_a_client_cannot_pile_up_requests_without_end(bench: Callable) -> None:
    run = bench("real-time")
    run.source.silent_edits = True
    replies = [run.send(ask("/robot1/sonars", 2, "noise")) for _ in range(1001)]
    assert replies[:1000] == [None] * 1000
    assert replies[1000].error == BadArgument.code


def test_module_names_may_hold_a_team(bench: Callable) -> None:
    """C-51: names are robot and module; members of a team are `team/member`."""
    run = bench("real-time")
    run.source.robots["team1/leader"] = run.source.robots["robot1"]
    run.source.lay_out()
    run.source.publish()
    run.pump()
    assert run.send(ask("/team1/leader/sonars", 10)).error == 0
