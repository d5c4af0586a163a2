"""The physics process, run in a thread: messages, records, pace."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadArgument
from coopsim.robots.plain import to_plain
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.options import PhysicsOptions, Wakeups
from coopsim.simulation.process import run_physics
from coopsim.state import Record
from coopsim.state.edits import Edit, Push, Step
from coopsim.transport import Answer, Channel, Notifier, Ring, SourceLink
from coopsim.transport.control import DurationOver, Halt, ProcessFailed, Ready, SourceSummary, Start, Stop


class Run:
    """A physics process in a thread, with host's and launcher's ends in our hands."""

    def __init__(self, **options: Any) -> None:
        self.ring = Ring.create(ring_bytes=8 << 20, command_floats=4096)
        host, far_host = Channel.pair()
        self.launcher, far_launcher = Channel.pair()
        woken, far_woken = Notifier.pair()
        far_permit, permit = Notifier.pair()
        self.link = SourceLink(self.ring, host, woken, permit)
        spec = make_spec()
        recorder, far_recorder = Notifier.pair()
        wakeups = Wakeups(far_woken, far_permit, far_recorder)
        arguments = (spec, PhysicsOptions(**options), self.ring, far_host, far_launcher, wakeups)
        self.ends = (far_woken, far_permit, woken, permit, far_launcher, self.launcher, host, far_host)
        self.ends += (recorder, far_recorder)
        self.thread = threading.Thread(target=run_physics, args=arguments, daemon=True)
        self.thread.start()
        self.said = self.launcher.wait(60)
        while not any(isinstance(message, Ready) for message in self.said):
            assert self.thread.is_alive(), "it ended before it was ready"
            self.said += self.launcher.wait(60)
        self.until(lambda: self.link.layout.generation > 0)

    def until(self, condition: Callable[[], bool], seconds: float = 20) -> None:
        """Poll the link until something is so; every turn waits for the physics process."""
        import select
        import time

        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen in time"
            select.select([self.link.channel, self.link.woken.reader], [], [], 0.5)
            self.link.poll()

    def edit(self, name: str, /, **arguments: Any) -> Answer:
        answers: list[Answer] = []
        self.link.edit(Edit.from_plain({"edit": name, **arguments}), answers.append)
        self.until(lambda: bool(answers))
        return answers[0]

    @property
    def record(self) -> Record:
        return self.link.record

    def start(self) -> None:
        self.launcher.send(Start())

    def stop(self) -> SourceSummary:
        self.launcher.send(Stop("test"))
        self.thread.join(20)
        assert not self.thread.is_alive()
        messages = self.launcher.receive()
        return next(message for message in messages if isinstance(message, SourceSummary))


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    run = Run(**getattr(request, "param", {"mode": "lockstep"}))
    yield run
    if run.thread.is_alive():
        run.stop()
    run.ring.unlink()
    for end in run.ends:
        end.close()


def test_record_0_is_the_state_before_the_first_step(run: Run) -> None:
    assert run.record.tick == 0
    assert run.record.readings.size == run.link.layout.reading_size
    assert run.record.mode == "lockstep"


def test_lockstep_ticks_once_for_each_permission_c_30(run: Run) -> None:
    run.start()
    for tick in (1, 2, 3):
        run.link.grant_tick()
        run.until(lambda tick=tick: run.record.tick == tick)
    assert run.stop().ticks == 3


def test_commands_are_latched_and_stand_in_the_record(run: Run) -> None:
    run.start()
    with run.link.writing() as (layout, rows):
        place = layout.robot["robot1"]
        rows[place.command_offset : place.command_offset + 4] = (1, 10, 0.4, 0.0)
    for tick in range(1, 51):
        run.link.grant_tick()
        run.until(lambda tick=tick: run.record.tick == tick)
    assert run.record.commands[place.command_offset : place.command_offset + 4].tolist() == [1, 10, 0.4, 0.0]
    assert run.record.poses[place.body, 0] > -1.95


def test_edits_are_applied_and_published_while_lockstep_waits(run: Run) -> None:
    run.start()
    revision = run.record.header.revision
    answer = run.edit("insert", text="[OBJECT_1]\ntype sphere\nname ball\nsize 0.3 0.3 0.3\nposition 0 -3 0\nmass 1\n")
    assert (answer.error, answer.params) == (0, ("ball",))
    assert run.record.tick == 0
    assert run.record.header.revision > revision
    assert "ball" in run.link.layout.entity
    assert run.record.edits[0]["edit"] == "insert"


def test_messages_are_answered_at_once_and_stand_in_the_record_of_the_next_tick(run: Run) -> None:
    run.start()
    revision = run.record.header.revision
    for x in (1.0, 2.0):
        assert run.edit("write_module", module="/robot1/intent", values={"x": x}, count=1).error == 0
    assert run.record.header.revision == revision
    run.link.grant_tick()
    run.until(lambda: run.record.tick == 1)
    assert [edit["values"] for edit in run.record.edits] == [{"x": 2.0}]


def test_a_refused_edit_is_answered_with_its_number_and_stands_in_no_record(run: Run) -> None:
    run.start()
    revision = run.record.header.revision
    answer = run.edit("remove", name="nobody")
    assert answer.error == 201
    assert run.record.header.revision == revision
    assert run.edit("no_such_edit").error == 203


def test_modes_are_exchanged_between_ticks(run: Run) -> None:
    run.start()
    assert run.edit("set_mode", mode="free").error == 0
    run.until(lambda: run.record.tick > 100)
    assert run.edit("set_mode", mode="lockstep").error == 0
    tick = run.record.tick
    run.link.grant_tick()
    run.until(lambda: run.record.tick == tick + 1)
    assert run.record.mode == "lockstep"
    assert run.edit("set_mode", mode="sideways").error == 203


@pytest.mark.parametrize("run", [{"mode": "free"}], indirect=True)
def test_pause_stops_the_tick_and_step_does_some(run: Run) -> None:
    run.start()
    run.until(lambda: run.record.tick > 5)
    assert run.edit("step", count=3).error == 303
    run.edit("pause")
    tick = run.record.tick
    assert run.record.header.paused
    answer = run.edit("step", count=7)
    assert answer.tick == tick + 7
    assert run.record.tick == tick + 7
    assert run.record.header.paused
    run.edit("continue")
    run.until(lambda: run.record.tick > tick + 20)


@pytest.mark.parametrize("how", ["pause", "continue", "clock_reset"])
def test_a_step_of_a_million_ticks_ends_when_somebody_says_so(run: Run, how: str) -> None:
    run.start()
    run.edit("pause")
    answers: list[Answer] = []
    run.link.edit(Step(1_000_000), answers.append)
    run.until(lambda: run.record.tick > 10)
    assert run.edit(how).error == 0
    assert answers[0].error == 303
    assert f"`{how}` ended the step after" in answers[0].text
    if how == "pause":
        tick = run.record.tick
        assert run.edit("step", count=2).tick == tick + 2


@pytest.mark.parametrize("run", [{"mode": "real-time"}], indirect=True)
def test_what_is_said_again_and_again_costs_no_real_time(run: Run) -> None:
    run.start()
    began = time.monotonic() - run.record.time
    again = {"set_speed": {"speed": 1.0}, "set_mode": {"mode": "real-time"}, "continue": {}, "set_step": {"step": 0.01}}
    while time.monotonic() < began + 1.0:
        for name, arguments in again.items():
            assert run.edit(name, **arguments).error == 0

    def behind() -> float:
        return time.monotonic() - began - run.record.time - run.record.header.slipped_ns * 1e-9

    run.until(lambda: behind() < 0.2)


@pytest.mark.parametrize("run", [{"mode": "free", "duration": 0.5}], indirect=True)
def test_a_run_ends_at_its_duration_to_the_tick(run: Run) -> None:
    run.start()
    assert run.launcher.wait(20) == [DurationOver()]
    summary = run.stop()
    assert (summary.ticks, summary.sim_time) == (50, 0.5)
    assert Record(run.ring.latest()).header.ended


def test_speed_and_step_are_checked(run: Run) -> None:
    run.start()
    assert run.edit("set_speed", speed=0.05).error == 203
    assert run.edit("set_speed", speed=20.0).error == 0
    assert run.edit("set_step", step=0.001).error == 203  # C-32
    assert run.edit("set_step", step=0.02).error == 0
    run.link.grant_tick()
    run.until(lambda: run.record.tick == 1)
    assert run.record.time == pytest.approx(0.02)
    assert run.record.header.speed == 20.0


def test_after_a_reset_old_commands_are_void_until_new_ones_come(run: Run) -> None:
    run.start()

    def command(stamp: float) -> None:
        with run.link.writing() as (layout, rows):
            begin = layout.robot["robot1"].command_offset
            rows[begin : begin + 4] = (stamp, 10, 0.4, 0.0)

    def step() -> float:
        tick = run.record.tick
        run.link.grant_tick()
        run.until(lambda: run.record.tick == tick + 1)
        return float(run.record.commands[run.link.layout.robot["robot1"].command_offset + 1])

    command(1)
    assert step() == 10
    assert run.edit("reset").error == 0
    assert [step(), step()] == [0, 0]
    command(2)
    assert step() == 10
    assert run.edit("reset").error == 0
    command(3)
    assert step() == 10  # the first one after a reset is new


def test_an_edit_between_two_ticks_counts_for_the_next_one(run: Run) -> None:
    run.start()
    alike = Simulation(make_spec())

    def step(count: int) -> None:
        for _ in range(count):
            tick = run.record.tick + 1
            run.link.grant_tick()
            run.until(lambda tick=tick: run.record.tick == tick)
            alike.tick()
            run.record.complete()
            assert Record(run.ring.of_tick(tick)).header.state_hash == alike.state_hash()

    with run.link.writing() as (layout, rows):
        begin = layout.robot["robot1"].command_offset
        rows[begin : begin + 4] = (1, 10, 0.4, 0.3)
    alike.command("robot1", "motors", 10, (0.4, 0.3))
    step(6)
    assert run.edit("set_step", step=0.02).error == 0
    alike.set_step(0.02)
    step(4)
    assert run.edit("push", name="robot2", force=[90.0, 0.0, 0.0], seconds=0.1).error == 0
    apply(alike, Push("robot2", (90.0, 0.0, 0.0), 0.1))
    step(6)


def test_the_end_of_the_launcher_ends_the_process(run: Run) -> None:
    run.start()
    run.launcher.close()
    run.thread.join(20)
    assert not run.thread.is_alive()


@pytest.mark.parametrize(("robots", "ring_bytes", "command_floats"), [(1, 8 << 20, 3), (2000, 1 << 20, 100_000)])
def test_robots_without_room_are_refused_when_they_are_loaded(
    robots: int, ring_bytes: int, command_floats: int
) -> None:
    ring = Ring.create(ring_bytes=ring_bytes, command_floats=command_floats)
    (host, far_host), (launcher, far_launcher) = Channel.pair(), Channel.pair()
    notifiers = [end for _ in range(3) for end in Notifier.pair()]
    try:
        wakeups = Wakeups(notifiers[1], notifiers[2], notifiers[5])
        assert run_physics(make_spec(robots), PhysicsOptions(), ring, far_host, far_launcher, wakeups) == 1
        (problem,) = [message for message in launcher.wait(20) if isinstance(message, ProcessFailed)]
    finally:
        ring.unlink()
        ends: list[Any] = [host, far_host, launcher, far_launcher, *notifiers]
        for end in ends:
            end.close()
    assert (problem.error, ring.count) == (BadArgument.code, 0)
    assert "--max-robots" in problem.text


@pytest.mark.parametrize("run", [{"mode": "free", "stays": True}], indirect=True)
def test_a_scene_that_is_loaded_after_the_end_goes_on_and_one_after_a_pause_does_not(run: Run) -> None:
    """Nobody has paused what follows an end."""
    run.start()
    run.launcher.send(Halt())
    run.until(lambda: run.record.header.paused)
    scene = {"file": "next.scenario", "spec": to_plain(make_spec()), "files": {}}
    assert run.edit("load", **scene).error == 0
    run.until(lambda: not run.record.header.paused)
    begun = run.record.tick
    run.until(lambda: run.record.tick > begun)
    for last in ("pause", "step"):
        assert run.edit(last, **({"count": 1} if last == "step" else {})).error == 0
        run.until(lambda: run.record.header.paused)
        assert run.edit("load", **scene).error == 0
        assert run.record.header.paused
    # who paused what had ended wants it to stand still
    run.launcher.send(Halt())
    assert run.edit("pause").error == 0
    assert run.edit("load", **scene).error == 0
    assert run.record.header.paused
