"""Networks that lose, delay, repeat and reorder messages, cut connections, or lie between two machines. C-15, C-30."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from fault_runs import CLAIM, SET_VELOCITY, ask, scene, status, wait_until
from faults_machines import Machines

from coopsim.client import Client
from coopsim.client import connect as open_client
from coopsim.errors import Late, NoReply
from coopsim.testkit import Chaos, ChaosProxy, Driver, RawClient, Run

pytestmark = pytest.mark.integration
BAD = {
    "loss": Chaos(1, drop=0.08),
    "repeats": Chaos(2, duplicate=0.3),
    "disorder": Chaos(3, reorder=0.2, hold=0.01, duplicate=0.1),
    "delay": Chaos(4, delay=(0.0, 0.01)),
    "cuts": Chaos(5, cut=0.03),
    "everything": Chaos(6, drop=0.03, duplicate=0.05, reorder=0.05, cut=0.01, delay=(0.0, 0.003), hold=0.01),
}
Connect = Callable[..., RawClient]


def connected(proxy: ChaosProxy, timeout: float = 0.1) -> Client:
    """Return a client, tried again until it is let through."""
    while True:
        try:
            return open_client(proxy.endpoint, timeout=timeout)
        except NoReply:
            continue


@pytest.mark.parametrize("carrier", ["zmq", "tcp"])
@pytest.mark.parametrize("name", BAD)
def test_a_client_reads_and_sets_through_a_bad_network_and_never_takes_one_reply_for_another(
    real_time: Run, name: str, carrier: str
) -> None:
    with ChaosProxy(real_time.endpoint if carrier == "zmq" else real_time.plain, BAD[name]) as proxy:
        with connected(proxy) as simulation:
            answered, tick = 0, 0
            calls = [("/robot1/sonars", "ranges"), ("/robot1/motors", "state"), ("/sim/clock", "status")] * 30
            for target, command in calls:
                try:
                    reply = simulation.module(target).call(command)
                except NoReply:
                    continue
                assert reply is not None
                assert reply.tick >= tick, "an old reply was taken for a new one"
                answered, tick = answered + 1, reply.tick
        assert answered > 30
        assert proxy.counts.passed > 60


@pytest.mark.parametrize("name", ["loss", "repeats", "cuts", "everything"])
def test_lockstep_goes_on_through_a_bad_network(connect: Connect, lockstep: Callable[..., Run], name: str) -> None:
    run = lockstep(patience=0.5)
    before = status(connect(run.endpoint))["tick"]
    with ChaosProxy(run.endpoint, BAD[name]) as proxy:
        with connected(proxy) as simulation:
            stepper = None
            while stepper is None:
                try:
                    stepper = simulation.stepper(["robot1"], timeout=float("inf"))
                except NoReply:
                    continue
            done, tick = 0, 0
            while done < 60:
                try:
                    readings = stepper.step([(0.1, 0.0)])
                except (Late, NoReply):
                    continue  # its reply was lost, so that the step is over: the next one is the next one
                assert readings.tick > tick
                done, tick = done + 1, readings.tick
        assert status(connect(run.endpoint))["tick"] >= tick >= before + 60


def test_when_nothing_passes_the_client_says_so_and_goes_on_when_something_does(real_time: Run) -> None:
    with ChaosProxy(real_time.endpoint) as proxy, open_client(proxy.endpoint) as simulation:
        robot = simulation.robot("robot1")
        proxy.chaos = Chaos(drop=1.0)
        with pytest.raises(NoReply, match="no reply from /robot1/sonars"):
            robot.sonars.ranges(timeout=0.2)
        proxy.chaos = Chaos()
        assert len(robot.sonars.ranges().ranges) == 11
        proxy.cut()
        wait_until(lambda: can(lambda: robot.sonars.ranges(timeout=0.2)))


def test_a_client_that_had_to_connect_anew_still_owns_its_robots(real_time: Run) -> None:
    """A claim outlives its connection for its token alone, and the client has the token."""
    with (
        ChaosProxy(real_time.endpoint) as proxy,
        open_client(proxy.endpoint) as simulation,
        simulation.stepper(["robot1"]) as stepper,
    ):
        stepper.step([(0.1, 0.0)])
        proxy.chaos = Chaos(drop=1.0)
        with pytest.raises(NoReply):
            stepper.step([(0.1, 0.0)], timeout=0.2)
        proxy.chaos = Chaos()
        # whether it keeps its connection or makes another: nobody else has its robot
        assert stepper.step([(0.1, 0.0)]).tick > 0


def can(call: Callable[[], object]) -> bool:
    try:
        call()
    except NoReply:
        return False
    return True


def test_a_lost_reply_does_not_undo_the_command(connect: Connect, real_time: Run) -> None:
    with ChaosProxy(real_time.endpoint, Chaos(drop=1.0, directions=("replies",))) as proxy:
        deaf = connect(proxy.endpoint, timeout=0.2)
        deaf.post(ask("/robot2/motors", SET_VELOCITY, data=(0.2, 0.0)))
        assert deaf.receive() is None
        direct = connect(real_time.endpoint)
        wait_until(lambda: float(direct.ask(ask("/robot2/motors", 13)).data[0]) > 0.1)
        direct.ask(ask("/robot2/motors", SET_VELOCITY))


def tick_on(within: tuple[str, ...], endpoint: str) -> int:
    """Return the tick as another program on the server's machine sees it."""
    command = [*within, sys.executable, "-m", "coopsim", "call", "--endpoint", endpoint, "/sim/clock", "status"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    (line,) = [line for line in said.splitlines() if line.startswith("tick")]
    return int(float(line.split(":")[1].split()[0]))


def test_controllers_on_two_machines_step_together(two: Machines) -> None:
    options = ("--no-controllers", "--wait-for", "2", *two.options)
    with (
        Run(scene(2, mode="lockstep", patience=0), *options, within=two.server) as run,
        two.cable(run.endpoint) as far,
        Driver(run.endpoint, "robot1", steps=60, within=two.server) as near,
        Driver(far, "robot2", steps=60, how="naive", within=two.client) as distant,
    ):
        assert "did 60 steps" in near.end()
        assert "did 60 steps" in distant.end()


def test_a_pulled_cable_delays_the_others_for_patience_and_a_plugged_one_brings_the_controller_back(
    two: Machines,
) -> None:
    with (
        Run(scene(2, mode="lockstep", patience=0.5), "--no-controllers", *two.options, within=two.server) as run,
        two.cable(run.endpoint) as far,
        Driver(run.endpoint, "robot1", within=two.server) as near,
        Driver(far, "robot2", within=two.client) as distant,
    ):
        near.until("driving")
        distant.until("driving")
        two.pull()
        before = tick_on(two.server, run.endpoint)
        wait_until(lambda: tick_on(two.server, run.endpoint) > before + 50)
        two.plug()
        near.kill()  # whoever makes steps now is the one that was cut off
        before = tick_on(two.server, run.endpoint)
        wait_until(lambda: tick_on(two.server, run.endpoint) > before + 50)


def test_what_is_said_about_a_robot_is_the_same_from_both_carriers(connect: Connect, real_time: Run) -> None:
    first, second = connect(real_time.endpoint), connect(real_time.plain)
    assert first.ask(ask("/sim/step", CLAIM, "robot3")).error == 0
    refusals = [end.ask(ask("/sim/step", CLAIM, "robot3")) for end in (second, connect(real_time.endpoint))]
    assert [reply.error for reply in refusals] == [204, 204]
    assert json.dumps(refusals[0].text) == json.dumps(refusals[1].text)
