"""One rule for all modules: what a command does not take is refused, what lies beyond its limits too."""

import json
from collections.abc import Callable

import pytest
from server_fakes import ask

from coopsim.errors import BadArgument
from coopsim.interfaces import CLOCK, INFO, MOTORS, NAMES, RECORDER, SONARS, STEP, WORLD, Common

MODULES = {
    "/robot1/motors": MOTORS,
    "/robot1/sonars": SONARS,
    "/robot1": None,
    "/sim/clock": CLOCK,
    "/sim/info": INFO,
    "/sim/names": NAMES,
    "/sim/recorder": RECORDER,
    "/sim/step": STEP,
    "/sim/world": WORLD,
}
PLAIN = [
    (target, command.number)
    for target, interface in MODULES.items()
    if interface is not None
    for command in interface.commands
    if not command.takes_data
]


@pytest.mark.parametrize(("target", "number"), [*PLAIN, *((target, common) for target in MODULES for common in Common)])
def test_data_that_no_command_takes_are_refused(bench: Callable, target: str, number: int) -> None:
    run = bench("real-time")
    reply = run.send(ask(target, number, data=(1.0,)))
    assert reply.error == BadArgument.code
    assert reply.text.endswith("takes no data, got 1 values")


@pytest.mark.parametrize("target", MODULES)
@pytest.mark.parametrize("number", [Common.PING, Common.DESCRIBE, Common.STATISTICS])
def test_params_that_no_command_takes_are_refused(bench: Callable, target: str, number: int) -> None:
    assert bench("real-time").send(ask(target, number, "much")).error == BadArgument.code


@pytest.mark.parametrize(
    ("request_", "params"),
    [
        (ask("/sim/clock", 11, "fast"), ("mode", "real-time", "lockstep", "free")),
        (ask("/sim/clock", 12, data=(0.0,)), ("speed", 0.1, 100.0)),
        (ask("/sim/clock", 13, data=(2.0,)), ("step", 1e-4, 1.0)),
        (ask("/sim/clock", 18, "robot1", "kill"), ("policy", "stop", "hold", "wait", "evict", "default")),
        (ask("/sim/clock", 3, "policy", "kill"), ("policy", "stop", "hold", "wait", "evict")),
        (ask("/sim/clock", 3, "patience", -1.0), ("patience", 0.0, 3600.0)),
        (ask("/sim/clock", 16, 0), ("count", 1, 1_000_000)),
        (ask("/sim/world", 10, -1), ("first", 0)),
    ],
)
def test_what_lies_beyond_a_limit_is_refused_with_name_and_limits(
    bench: Callable, request_: object, params: tuple[object, ...]
) -> None:
    reply = bench("real-time").send(request_)
    assert (reply.error, reply.params) == (BadArgument.code, params)


def test_describe_tells_limits_and_choices_as_fields(bench: Callable) -> None:
    description = json.loads(bench("real-time").send(ask("/sim/clock", Common.DESCRIBE)).params[0])
    takes = {
        command["name"]: {field["name"]: field for field in command["takes"]} for command in description["commands"]
    }
    assert takes["set_mode"]["mode"]["choices"] == ["real-time", "lockstep", "free"]
    assert (takes["set_speed"]["speed"]["low"], takes["set_speed"]["speed"]["high"]) == (0.1, 100.0)
    parameters = {parameter["name"]: parameter for parameter in description["parameters"]}
    assert parameters["policy"]["choices"] == ["stop", "hold", "wait", "evict"]
    assert (parameters["patience"]["low"], parameters["patience"]["high"]) == (0.0, 3600.0)
