import gc
import os
import threading
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from coopsim.errors import BadArgument, SimulationEnded
from coopsim.launch import physics_process
from coopsim.launch.config import LaunchConfig, receive_config
from coopsim.launch.host_process import host_options
from coopsim.launch.options import RunOptions, overlay
from coopsim.launch.physics_process import physics_options
from coopsim.robots import load
from coopsim.transport import Channel
from coopsim.transport.control import Stop


def order(**choices: object) -> LaunchConfig:
    options = RunOptions(**choices)
    return LaunchConfig(overlay(load("formation"), options), options, ("robot1",))


def test_an_order_arrives_as_it_was_sent() -> None:
    ours, theirs = Channel.pair()
    sent = order(seed=5)
    sender = threading.Thread(target=ours.send, args=(sent.message(),))
    sender.start()
    assert receive_config(theirs) == sent
    sender.join()
    ours.close()
    theirs.close()


def test_a_run_that_was_stopped_before_it_began_never_begins() -> None:
    ours, theirs = Channel.pair()
    ours.send(order().message())
    ours.send(Stop("changed my mind"))
    with pytest.raises(SimulationEnded):
        receive_config(theirs)
    ours.close()
    theirs.close()


def test_the_end_of_the_launcher_is_the_end_of_waiting() -> None:
    ours, theirs = Channel.pair()
    ours.close()
    with pytest.raises(SimulationEnded):
        receive_config(theirs)
    assert theirs.closed
    theirs.close()


def test_physics_is_paced_as_file_and_command_line_say() -> None:
    options = physics_options(order(mode="free", seed=3, step=0.002, allow_small_step=True))
    assert (options.mode, options.seed, options.step, options.small_steps) == ("free", 3, 0.002, True)
    assert (options.duration, options.engine) == (60.0, "pymunk")


def test_steps_below_10_ms_need_permission_while_a_run_goes_on_too() -> None:
    """C-32: the least step is 10 ms."""
    for step in (0.0099, 1.5):
        with pytest.raises(BadArgument, match=f"step must lie within 0.01 and 1 s, got {step:g}"):
            physics_options(order()).check_step(step)
    physics_options(order()).check_step(0.01)
    physics_options(order(allow_small_step=True)).check_step(0.002)


def test_the_host_knows_whose_controllers_were_started_and_what_is_run() -> None:
    options = host_options(order(port=7000, seed=3))
    assert options.controllers == ("robot1", "robot2", "robot3")
    assert (options.port, options.wait_for, options.patience) == (7000, ("robot1",), 0.0)
    facts = {"scenario": "formation", "seed": 3, "engine": "pymunk", "process": os.getppid()}
    assert options.info.items() > facts.items()
    assert options.info.keys() - facts.keys() == {"started", "caption", "camera", "teams"}
    assert host_options(order(controllers=False)).controllers == ()


def test_the_physics_process_collects_no_garbage_while_it_reads_and_builds_a_scene(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = SimpleNamespace(launcher=-1, peer=-1, ring="", wake=-1, permit=-1, recorder=-1)
    seen: list[tuple[str, bool]] = []
    config, channel = order(), SimpleNamespace(send=seen.append, closed=False)

    def run_physics(*_: object) -> int:
        seen.append(("built", gc.isenabled()))
        return 7

    def receive(_: object) -> LaunchConfig:
        seen.append(("read", gc.isenabled()))
        return config

    standins = {
        "ChildDescriptors": SimpleNamespace(parse=lambda _: ends),
        "Channel": SimpleNamespace(from_descriptor=lambda _: channel),
        "Ring": SimpleNamespace(attach=lambda _: None),
        "Notifier": lambda **_: None,
        "Watchdog": lambda _: nullcontext(),
        "keep_last_words": lambda: None,
        "listen": lambda _: None,
        "signal": SimpleNamespace(signal=lambda *_: None, SIGINT=0, SIG_IGN=0),
        "receive_config": receive,
        "run_physics": run_physics,
    }
    for name, standin in standins.items():
        monkeypatch.setattr(physics_process, name, standin)

    assert physics_process.main([]) == 7
    assert [entry for entry in seen if isinstance(entry, tuple)] == [("read", False), ("built", False)]
    assert gc.isenabled()
