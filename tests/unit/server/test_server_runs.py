"""A run has an identity: requests for another one are refused, and nothing is done for them."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from server_fakes import ask

from coopsim.errors import WrongRun
from coopsim.launch.config import LARGEST_RUN, LaunchConfig, new_run
from coopsim.launch.options import RunOptions
from coopsim.message import Message
from coopsim.robots import RunSpec
from coopsim.scene import Scenario

HERE, GONE = 77, 76
DRIVE = ask("/robot1/motors", 10, data=(0.5, 0.0))


def of(run: int, request: Message) -> Message:
    """Return a request for that run alone."""
    return replace(request, run=run)


@pytest.mark.parametrize("mode", ["real-time", "lockstep"])
def test_a_command_for_a_run_that_died_never_drives_the_next_one(bench: Callable, mode: str) -> None:
    run = bench(mode, run=HERE)
    before = run.source.commands("robot1")
    reply = run.send(of(GONE, DRIVE))
    assert (reply.error, reply.params) == (WrongRun.code, (HERE,))
    assert run.source.commands("robot1") == before
    assert run.coordinator.ownership.owner("robot1") is None


def test_a_command_for_this_run_or_for_any_is_carried_out(bench: Callable) -> None:
    run = bench("real-time", run=HERE)
    assert [run.send(request).error for request in (of(HERE, DRIVE), DRIVE)] == [0, 0]


@pytest.mark.parametrize("target", ["/robot1/sonars", "/sim/step", "/sim/clock", "/sim/nothing", "/robot1"])
def test_every_module_refuses_what_is_for_another_run(bench: Callable, target: str) -> None:
    run = bench("real-time", run=HERE)
    for command in (0, 1, 10, 11, 99):
        assert run.ask(of(GONE, ask(target, command))).error == WrongRun.code


def test_a_server_without_an_identity_serves_no_run_by_name(bench: Callable) -> None:
    assert bench("real-time").send(of(GONE, DRIVE)).error == WrongRun.code


def test_ping_info_and_layout_tell_the_run(bench: Callable) -> None:
    run = bench("real-time", run=HERE)
    assert run.send(ask("/sim/clock", 0)).params == ("clock", HERE)
    assert json.loads(run.send(ask("/sim/info", 10)).params[0])["run"] == HERE
    layout = run.send(ask("/sim/step", 10))
    assert json.loads(layout.params[0])["run"] == HERE
    assert layout.params[2] == HERE


def test_every_order_is_a_run_of_its_own_with_a_number_that_any_json_keeps() -> None:
    spec = RunSpec(Scenario())
    runs = {LaunchConfig(spec, RunOptions()).run, LaunchConfig(spec, RunOptions()).run, *(new_run() for _ in range(98))}
    assert len(runs) == 100
    assert all(0 < run <= LARGEST_RUN < 2**53 for run in runs)
