"""Items of CoopDynSim and of the design card on a run as its users start it; all tests share one."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgpack
import numpy as np
import pytest
import zmq

from coopsim.client import Client, connect
from coopsim.state import Record
from coopsim.testkit import Run
from coopsim.transport import Ring

pytestmark = pytest.mark.integration

SCENE = "[ROBOT_1]\ntype single\nname r\ngrid 3x1 2\n[SIMULATION]\nmode real-time\n"
DEADLINE = 60.0


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with Run(SCENE, "--no-controllers") as run:
        yield run


@pytest.fixture
def sim(run: Run) -> Iterator[Client]:
    with connect(run.endpoint) as sim:
        yield sim
        sim.clock.set_mode("real-time")


def _until(what: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def _latest(run: Run) -> Record:
    """Return the newest record in the shared memory of the run: this process is not one of its own."""
    return Record(Ring.attach(run.ring).latest())


def test_c_37_locations_of_objects_are_shared_memory_that_any_process_reads(run: Run, sim: Client) -> None:
    began = _latest(run).poses[0].copy()
    sim.robot("r1").motors.set_velocity(0.3, 0.0)
    _until(lambda: _latest(run).poses[0, 0] > began[0] + 0.1)
    places: dict[int, float] = {}

    def has_seen_many() -> bool:
        record = _latest(run)
        places[record.header.tick] = record.poses[0, 0]
        return len(places) == 20

    _until(has_seen_many)
    assert min(places.values()) > began[0] + 0.1  # in every record, not in those alone that carry more than places
    sim.clock.pause()
    _until(lambda: _latest(run).header.paused)  # such a record, and one with edits, is written by another way
    stands = _latest(run).poses[0].tolist()
    assert stands[0] >= max(places.values())
    assert sim.world.get("r1").pose == pytest.approx(stands)
    sim.module("/sim/clock").call("continue")
    sim.robot("r1").motors.stop()


def test_d_3_physics_is_a_process_of_its_own(run: Run) -> None:
    os.kill(run.host, signal.SIGSTOP)
    try:
        before = _latest(run).header.tick
        _until(lambda: _latest(run).header.tick > before + 20)
    finally:
        os.kill(run.host, signal.SIGCONT)


def test_d_5_each_robot_has_a_thread_that_comes_and_goes_with_it(run: Run, sim: Client) -> None:
    def threads() -> int:
        return len(list(Path(f"/proc/{run.host}/task").iterdir()))

    before = threads()
    sim.world.insert("[ROBOT_1]\ntype single\nname late\nposition 0 3 0\ngrid 2x1 2\n")
    _until(lambda: threads() == before + 2)
    places = {sim.module("/sim/names").lookup(f"/{name}/motors").zmq for name in ("r1", "r2", "r3", "late1", "late2")}
    assert len(places) == 5
    for name in ("late1", "late2"):
        sim.world.remove(name)
    _until(lambda: threads() == before)


def test_d_6_a_request_is_an_error_number_a_text_a_command_params_and_data(run: Run) -> None:
    fields = [1, 7, "/r1/motors", 0, 0, "", 10, [], [0.1, 0.0]]
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.connect(run.endpoint)
        socket.send(msgpack.packb(fields))
        assert socket.poll(DEADLINE * 1000)
        reply = msgpack.unpackb(socket.recv_multipart()[-1])
        assert reply[:2] + reply[4:7] == [1, 7, 0, "", 10]
        socket.send(msgpack.packb([*fields[:6], 99, [], []]))
        assert socket.poll(DEADLINE * 1000)
        refused = msgpack.unpackb(socket.recv_multipart()[-1])
        assert refused[4] == 202
        assert "99" in refused[5]
        socket.close(linger=0)


def test_d_7_time_goes_on_by_itself_or_waits_for_every_robot(sim: Client) -> None:
    def tick() -> int:
        return int(sim.clock.status().tick)

    before = tick()
    _until(lambda: tick() > before + 5)
    sim.clock.set_mode("lockstep")
    with sim.stepper(["r1", "r2", "r3"]) as stepper:
        first = stepper.step(np.zeros((3, 2))).tick
        assert tick() == first
        assert stepper.step(np.zeros((3, 2))).tick == first + 1
        time.sleep(0.2)  # real time, in which nothing may happen
        assert tick() == first + 1


def test_d_7_a_step_waits_for_the_robot_of_another_client(run: Run, sim: Client) -> None:
    """C-30: every robot must have its command, whoever commands it."""
    sim.clock.set_mode("lockstep")
    with connect(run.endpoint) as beside, sim.stepper(["r1", "r2"]) as two, beside.stepper(["r3"]) as third:
        steps: list[int] = []
        waiting = threading.Thread(target=lambda: steps.append(two.step(np.zeros((2, 2))).tick))
        before = int(beside.clock.status().tick)
        waiting.start()
        time.sleep(0.3)  # real time, in which nothing may happen
        assert int(beside.clock.status().tick) == before
        assert third.step(np.zeros((1, 2))).tick == before + 1
        waiting.join(DEADLINE)
        assert steps == [before + 1]


def test_c_33_simulated_time_is_faster_than_real_time_with_thirty_robots_and_their_controller(sim: Client) -> None:
    sim.world.insert("[ROBOT_1]\ntype single\nname more\nposition 0 5 0\ngrid 9x3 1\n")
    sim.clock.set_mode("lockstep")
    with sim.stepper() as stepper:
        commands = np.tile([0.1, 0.0], (len(stepper.robots), 1))
        first = stepper.step(commands).tick
        fastest = min(_seconds(lambda: stepper.step(commands), 20) for _ in range(20))
        assert len(stepper.robots) == 30
        assert stepper.step(commands).tick == first + 401
    sim.world.reset()  # the other tests know three robots
    assert set(sim.robots()) == {"r1", "r2", "r3"}
    assert fastest < 20 * sim.clock.status().step


def _seconds(what: Callable[[], object], times: int) -> float:
    began = time.monotonic()
    for _ in range(times):
        what()
    return time.monotonic() - began
