"""`policy run`: over the network a policy gives the states of its batch, whatever its commands are."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from coopsim.client import connect
from coopsim.errors import SimulationEnded
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.policy import drive_by
from coopsim.features.learning.policy_commands import CommandedRobots
from coopsim.features.learning.policy_file import Policy, PolicyFacts, save_policy
from coopsim.features.learning.section import MESSAGES
from coopsim.features.learning.task import LearningTask, StepScene, TaskPlaces
from coopsim.features.learning.tasks import TASKS, task_of
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.geometry import Bools, Floats
from coopsim.inprocess import LocalServer
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.run import Run

STEPS = 6


class GivenTask(LearningTask):
    """Robots of a scenario, and a command of theirs."""

    name, summary = "Given", "robots do something"

    def __init__(self, scenario: str, observed: Observed, acting: Acting, *more: Observed) -> None:
        self.observed, self.acting = (observed, *more), acting
        self.is_separate = scenario == "waypoints"
        self.scenario = task_of(scenario).scenario if self.is_separate else scenario

    def measure(self, places: TaskPlaces) -> Floats:
        """Return nothing of worth."""
        return np.zeros(places.robots.shape[:2])

    def rewards(self, scene: StepScene) -> Floats:
        """Reward nothing."""
        return np.zeros(scene.touched.shape)

    def is_over(self, scene: StepScene) -> Bools:
        """End nothing."""
        return np.zeros(len(scene.touched), np.bool_)


def written(file: Path, batch: LearningBatch) -> Policy:
    """Write a policy by chance for the task of a batch."""
    rng, task = np.random.default_rng(3), batch.task
    layers = [(rng.normal(0.0, 0.5, shape), np.zeros(shape[1])) for shape in ((batch.width, 8), (8, batch.actions))]
    period = task.every * batch.worlds.dt
    facts = PolicyFacts(task.name, tuple(task.observed), task.acting, period, batch.width, tuple(task.outs))
    save_policy(file, facts, layers)
    assert Policy(file).facts == facts
    return Policy(file)


def replay(robots: Sequence[str], log: Sequence[Floats], every: int) -> int:
    """Give robots that laws drove in a batch the same commands."""
    with connect() as sim, sim.stepper(robots, every=every) as stepper, contextlib.suppress(SimulationEnded):
        for commands in log:
            stepper.step(commands)
    return 0


def check_the_states_are_the_same(task: LearningTask, file: Path) -> Simulation:
    """Drive a world by a policy in a batch and over the network; return the simulation of the latter."""
    batch = LearningBatch(task, 1, seed=5, resets=False)
    policy, observations, log = written(file, batch), batch.observe(), list[Floats]()
    law_driven = [robot for driver in task.driven() for robot in driver.robots]
    targets = batch.worlds.targets.copy()
    for _ in range(STEPS):
        observations = batch.step(policy(observations)).observations
        if law_driven:
            kind, rows = batch.worlds.rows_of(law_driven)
            log.append(batch.worlds.slots("motors", kind)[0, rows, 2:].copy())
    assert np.array_equal(batch.worlds.targets, targets)  # tasks move them, which no policy does
    simulation = Simulation(batch.worlds.spec(0))
    server = LocalServer(
        simulation, duration=STEPS * task.every * batch.worlds.dt, wait_for=(*batch.robots, *law_driven)
    )
    programs = [lambda: drive_by(str(file), batch.robots, None)]
    programs += [lambda: replay(law_driven, log, task.every)] if law_driven else []
    assert server.run(*programs) == [0] * len(programs)
    assert simulation.state_hash() == batch.worlds.state_hash(0)
    moved = np.abs(simulation.engine.planar[:, 3:]).max()
    assert moved > 0.01
    batch.close()
    return simulation


@pytest.mark.parametrize("name", sorted(TASKS))
def test_states_of_every_task_are_those_of_the_batch(name: str, tmp_path: Path) -> None:
    check_the_states_are_the_same(task_of(name), tmp_path / "policy.onnx")


SONARS, POSE = Observed("sonars", scale=3.0), Observed("pose", columns=(0, 1, 2), scale=5.0)
KINDS = {
    "fewer numbers": ("formation", SONARS, Acting(low=(0.1,), high=(0.5,))),
    "another command": ("formation", SONARS, Acting("motors", "set_wheel_speeds", (0.0, 0.0), (0.4, 0.4))),
    "messages": ("formation", SONARS, Acting(messages=2), Observed(MESSAGES, history=2)),
    "way points": ("waypoints", POSE, Acting("autopilot", "go_to", (-2.0, -2.0, 1.0), (2.0, 2.0, 2.0))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_states_of_every_kind_of_command_are_those_of_the_batch(kind: str, tmp_path: Path) -> None:
    check_the_states_are_the_same(GivenTask(*KINDS[kind]), tmp_path / "policy.onnx")


CAREFUL = """[WORLD]
file arena
[TARGET]
red 3 0 0
[ROBOT_1]
type single
name r
count 3
grid 3x1 1.5
position 0 0 0
[LEARNING]
observe sonars scale 3
observe messages
say 1
action motors.set_velocity 0.1 0.5 -0.5 0.5
reward 1 nearer red
out below target.targets.distance 2
out above motors.v 0.6
out touching
out near red 0.1
"""


def test_robots_that_are_out_stand_still_and_say_nothing_as_in_the_batch(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "careful.scenario"
    file.write_text(CAREFUL)
    task = task_of(str(file))
    # of places the readings of a robot say nothing
    assert [(rule.module, rule.limit, rule.is_above) for rule in task.outs] == [
        ("target", 2.0, False),
        ("motors", 0.6, True),
        ("bumpers", 0.0, True),
    ]
    with caplog.at_level("INFO", "coopsim.features.learning.policy"):
        simulation = check_the_states_are_the_same(task, tmp_path / "policy.onnx")
    assert caplog.messages == ["r3 is out, and stands still from now on"]
    speeds = np.abs(simulation.engine.planar[:, 3:5]).max(axis=1)
    assert speeds[simulation.engine.names.index("r3")] < 1e-3 < 0.05 < speeds[simulation.engine.names.index("r1")]


def test_robots_that_two_programs_drive_hear_each_other_as_in_the_batch(tmp_path: Path) -> None:
    file, task = tmp_path / "policy.onnx", GivenTask(*KINDS["messages"])
    batch = LearningBatch(task, 1, seed=5, resets=False)
    policy, observations = written(file, batch), batch.observe()
    for _ in range(STEPS):
        observations = batch.step(policy(observations)).observations
    simulation = Simulation(batch.worlds.spec(0))
    server = LocalServer(simulation, duration=STEPS * task.every * batch.worlds.dt, wait_for=batch.robots)
    team = batch.robots
    parts = (team[2:], team[:2])
    assert server.run(*(lambda part=part: drive_by(str(file), part, None, team) for part in parts)) == [0, 0]
    assert simulation.state_hash() == batch.worlds.state_hash(0)
    assert np.abs(observations[0, :, -2:]).min() > 0.0
    batch.close()


@pytest.mark.parametrize(
    ("team", "text"),
    [
        (("robot1", "robot2"), "robot3 is not among them"),
        (("robot3",) * 2, "twice"),
        (
            ("robto1", "robot2", "robot3"),
            "no robot 'robto1'; did you mean 'robot1'?; there are: robot1, robot2, robot3",
        ),
    ],
)
def test_a_team_that_does_not_fit_is_refused(
    team: tuple[str, ...], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, acting = tmp_path / "policy.onnx", Acting(messages=1)
    save_policy(file, PolicyFacts("Own", (SONARS,), acting, 0.1, 11), [(np.zeros((11, 3)), np.zeros(3))])
    server = LocalServer(Simulation(load("formation")), duration=1.0)
    assert server.run(lambda: drive_by(str(file), ("robot3",), None, team)) == [1]
    assert text in capsys.readouterr().err


def test_parameters_are_set_as_in_the_batch(tmp_path: Path) -> None:
    acting = Acting("motors", "", (0.1,), (0.9,), parameters=("max_speed",))
    batch = LearningBatch(GivenTask("formation", SONARS, acting), 1, seed=5, resets=False)
    policy = written(tmp_path / "policy.onnx", batch)
    batch.step(policy(batch.observe()))
    simulation = Simulation(batch.worlds.spec(0))
    server = LocalServer(simulation, duration=batch.task.every * batch.worlds.dt)
    assert server.run(lambda: drive_by(str(tmp_path / "policy.onnx"), batch.robots, None)) == [0]
    block = simulation.tables.block_of("robot1")
    assert block is not None
    speeds = block.devices["motors"].parameters["max_speed"].tolist()
    assert speeds == batch.worlds.parameter("motors", "max_speed")[0].tolist()
    assert len(set(speeds)) == len(batch.robots)
    batch.close()


def test_fewer_robots_than_learnt_to_talk_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = LearningBatch(GivenTask(*KINDS["messages"]), 1, resets=False)
    written(tmp_path / "policy.onnx", batch)
    server = LocalServer(Simulation(batch.worlds.spec(0)), duration=1.0)
    assert server.run(lambda: drive_by(str(tmp_path / "policy.onnx"), batch.robots[:2], None)) == [1]
    refusal = capsys.readouterr().err
    assert "it learnt Given with 19 numbers for each robot, and those here give 15" in refusal
    assert "name them all by --team" in refusal
    batch.close()


@pytest.mark.parametrize(
    ("acting", "says"),
    [
        (Acting("autopilot", "hover", (0.0,), (1.0,)), "no command hover; it has: 10 go_to"),
        (Acting("autopilot", "take_off", (0.0,) * 2, (1.0,) * 2), "take_off of /quad/autopilot takes 1 numbers"),
        (Acting("autopilot", "eight", (0.0,) * 3, (0.5,) * 3), "period"),
        (Acting("autopilot", "", (0.0,), (1.0,), parameters=("lift",)), "no parameter 'lift'"),
        (Acting("motors"), "quad is a pilot and has no motors"),
    ],
)
def test_commands_that_do_not_fit_are_refused(
    acting: Acting, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, width = str(tmp_path / "policy.onnx"), len(acting.low)
    save_policy(file, PolicyFacts("Own", (POSE,), acting, 0.1, 3), [(np.zeros((3, width)), np.zeros(width))])
    server = LocalServer(Simulation(load(task_of("waypoints").scenario)), duration=1.0)
    assert server.run(lambda: drive_by(file, ("quad",), None)) == [1]
    assert says in capsys.readouterr().err


CLIMB = Acting("autopilot", "set_velocity", (0.0, 0.0, 0.5), (0.0, 0.0, 1.0))


@pytest.mark.parametrize(("mode", "seconds"), [("lockstep", 0.0), ("real-time", 1.0)])
def test_a_quadrotor_is_driven_over_a_socket_in_both_modes(mode: str, seconds: float, tmp_path: Path) -> None:
    batch = LearningBatch(GivenTask("waypoints", POSE, CLIMB), 1, resets=False)
    policy, observations = written(tmp_path / "policy.onnx", batch), batch.observe()
    for _ in range(STEPS):
        observations = batch.step(policy(observations)).observations
    duration = seconds or STEPS * batch.task.every * batch.worlds.dt
    options = ("--mode", mode, "--duration", str(duration), "--record", str(tmp_path / "run.mcap"))
    with Run(str(batch.task.scenario), *options, "--wait-for", "quad") as run:
        assert drive_by(str(tmp_path / "policy.onnx"), ("quad",), run.endpoint) == 0
        run.wait()
    with Recording(tmp_path / "run.mcap") as recording:
        last = list(recording.records())[-1]
    height = last.poses[0, 2]
    assert height > 0.1
    if mode == "lockstep":
        assert last.header.state_hash == batch.worlds.state_hash(0)
    batch.close()


def test_a_program_that_ends_stops_its_robots() -> None:
    simulation = Simulation(load(task_of("waypoints").scenario))
    heights = []

    def program() -> None:
        with connect() as sim, sim.stepper(["quad"], every=5) as stepper:

            def decide(rows: Floats) -> Floats:
                heights.append(float(stepper.layout.types["pilot"].gives.width == rows.shape[1]))
                if len(heights) == 3:
                    raise KeyboardInterrupt
                return np.array([[0.0, 0.0, 1.0]])

            CommandedRobots(sim, stepper, CLIMB, 5).drive(decide)

    with pytest.raises(KeyboardInterrupt):
        LocalServer(simulation).run(program)
    block = simulation.tables.block_of("quad")
    assert block is not None
    module = block.layout.module("autopilot")
    assert module is not None
    assert block.commands[0, module.command_offset + 1] == AUTOPILOT.command("stop").number
    assert heights == [1.0] * 3
