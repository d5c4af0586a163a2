"""Many robots in one message per step."""

import math
from dataclasses import replace

import numpy as np
import pytest
from client_fakes import SIM, WIDTH, FakeServer, hasten, serving

from coopsim.client import Client, Readings, connect
from coopsim.client.layout import SimulationLayout
from coopsim.client.stepper import Stepper
from coopsim.client.team import form
from coopsim.errors import (
    BadArgument,
    Evicted,
    Late,
    MalformedMessage,
    NoReply,
    NoSuchName,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
)
from coopsim.interfaces import STEP
from coopsim.message import Message, encode

pytestmark = pytest.mark.usefixtures("each_way")


def test_one_message_carries_all_commands_and_brings_all_readings(sim: Client, server: FakeServer) -> None:
    """C-30, as a client sees it."""
    with sim.stepper(["robot1", "robot2"]) as stepper:
        readings = stepper.step(np.array([[0.1, 0.2], [0.3, 0.4]]))
    assert server.commands == {"robot1": [0.1, 0.2], "robot2": [0.3, 0.4]}
    sent = server.asked("/sim/step", "step")
    assert len(sent) == 1
    assert sent[0].binary
    assert readings.tick == 1
    assert readings["robot2"].motors.v == 0.3
    assert readings.sonars.ranges.shape == (2, 11)
    assert readings.motors.v.tolist() == [0.1, 0.3]
    assert readings["robot2"].sonars.ranges[0] == pytest.approx(1001.04)
    assert readings.of("single").odometry.x.tolist() == pytest.approx([1.53, 1001.53])


def test_stamps_are_the_last_tick_and_one(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot1"]) as stepper:
        for _ in range(3):
            stepper.step([[0.0, 0.0]])
    assert [request.tick for request in server.asked("/sim/step", "step")] == [0, 2, 3]


def test_before_the_first_step_the_modules_are_asked(sim: Client, server: FakeServer) -> None:
    server.tick = 4
    with sim.stepper() as stepper:
        first = stepper.readings
        assert first.flat.tolist() == pytest.approx(
            np.concatenate([server.row("robot1"), server.row("robot2")]).tolist()
        )
        assert first.tick == stepper.tick == 4
        assert stepper.readings is first
        assert server.asked("/sim/step", "step") == []


def test_robots_are_claimed_and_given_back(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot2"]):
        assert server.asked("/sim/step", "claim")[0].params == ("robot2",)
    assert server.asked("/sim/step", "release")[0].params == ("robot2",)


def test_robots_are_given_back_after_an_error_too(sim: Client, server: FakeServer) -> None:
    with pytest.raises(ZeroDivisionError), sim.stepper(["robot2"]):
        _ = 1 / 0
    assert len(server.asked("/sim/step", "release")) == 1


def test_leaving_a_dead_server_hides_no_other_error(server: FakeServer) -> None:
    with serving(server) as endpoint:
        sim = connect(endpoint)
        stepper = sim.stepper(["robot1"])
    with sim, pytest.raises(ZeroDivisionError), stepper:
        _ = 1 / 0


def test_a_robot_of_somebody_else_is_refused(sim: Client, server: FakeServer) -> None:
    server.owned_by_another = {"robot2"}
    with pytest.raises(OwnedByAnother, match="robot2 belongs to somebody else"):
        sim.stepper(["robot1", "robot2"])


@pytest.mark.parametrize(
    ("robots", "error", "text"),
    [
        (["robot1", "robt2"], NoSuchName, "no robot 'robt2'; did you mean 'robot2'"),
        (["robot1", "robot1"], BadArgument, "'robot1' is named twice"),
        ([], BadArgument, "name at least one robot"),
    ],
)
def test_wrong_robots_are_refused(sim: Client, robots: list[str], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        sim.stepper(robots)


def test_a_scene_without_robots_has_readings_of_none() -> None:
    team = form(SimulationLayout(generation=1, robots={}, types={}), ())
    readings = Readings(team, np.zeros(0), 3)
    assert (readings.robots, readings.types, team.reading_size) == ((), (), 0)


def test_robots_left_out_keep_their_last_command(sim: Client, server: FakeServer) -> None:
    with sim.stepper() as stepper:
        stepper.step({"robot1": (0.1, 0.2), "robot2": (0.3, 0.4)})
        stepper.step({"robot2": (0.5, 0.6)})
        assert server.commands == {"robot1": [0.1, 0.2], "robot2": [0.5, 0.6]}
        stepper.step()
        assert server.commands == {"robot1": [0.1, 0.2], "robot2": [0.5, 0.6]}


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        (
            [[1.0, 2.0]],
            r"2 robots take 2 values each: motors.v \[m/s\], motors.w \[rad/s\].*; got 2 values of shape \(1, 2\)",
        ),
        ([[1.0, 2.0], [3.0]], "2 robots take 2 values each"),
        ([[1.0, 2.0], [3.0, math.nan]], r"got \[3.0, nan\]: commands must be finite for robot2"),
        ({"robot1": (math.inf, 1.0)}, r"got \[inf, 1.0\]: commands must be finite"),
        ("drive", "got 'drive'"),
        ({"robot1": (1.0,)}, "robot1 takes motors.v"),
    ],
)
def test_commands_that_do_not_fit_are_refused_and_not_sent(
    sim: Client, server: FakeServer, commands: object, text: str
) -> None:
    with sim.stepper() as stepper:
        with pytest.raises(BadArgument, match=text):
            stepper.step(commands)
        with pytest.raises(NoSuchName, match="'robot3' is not in this team"):
            stepper.step({"robot3": (1.0, 2.0)})
    assert server.asked("/sim/step", "step") == []


def test_a_new_layout_is_fetched_and_the_step_repeated(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot2"]) as stepper:
        stepper.step([[0.1, 0.2]])
        server.robots = {"robot0": "single", **server.robots}
        server.generation = 2
        readings = stepper.step()
        assert server.commands["robot2"] == [0.1, 0.2]
        assert readings["robot2"].odometry.x == pytest.approx(2002.53)
        assert stepper.layout.generation == 2


def test_a_robot_that_left_is_named_and_the_others_step_on(sim: Client, server: FakeServer) -> None:
    with sim.stepper() as stepper:
        stepper.step([[0.1, 0.2], [0.3, 0.4]])
        del server.robots["robot1"]
        server.generation = 2
        with pytest.raises(StaleLayout, match=r"robot1 left.*go on with stepper.robots: robot2"):
            stepper.step()
        assert stepper.robots == ("robot2",)
        assert stepper.step()["robot2"].motors.v == 0.3
        server.robots.clear()
        server.generation = 3
        with pytest.raises(NoSuchName, match="no robot of this stepper is left"):
            stepper.step()


def test_after_a_lost_reply_stepping_again_goes_on(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot1"]) as stepper:
        stepper.step([[0.1, 0.0]])
        server.manners = lambda request, reply: [] if request.command == 11 else [reply]
        with pytest.raises(NoReply):
            stepper.step(timeout=0.05)
        server.manners = lambda request, reply: [reply]
        assert stepper.step().tick == 3
        assert [request.tick for request in server.asked("/sim/step", "step")] == [0, 2, 0]


def test_after_being_late_stepping_again_goes_on(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot1"]) as stepper:
        stepper.step([[0.1, 0.0]])
        server.tick = 10
        with pytest.raises(Late):
            stepper.step()
        assert stepper.step().tick == 11


def test_a_switch_to_lockstep_makes_nobody_late(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot1"]) as stepper:
        stepper.step([[0.1, 0.0]])
        for passed in (0, 5):
            server.tick += passed
            stepper.stamp = 0  # in real time a server minds no stamps
            stepper.step()
        server.tick += 5
        assert stepper.step().tick == 14
        assert stepper.step().tick == 15


def test_a_clock_that_was_set_back_is_followed(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot1"]) as stepper:
        server.tick = 50
        stepper.step([[0.1, 0.0]])
        server.tick = 0
        assert stepper.step().tick == 1
        assert stepper.step().tick == 2


def test_an_endless_wait_outlasts_a_pause_but_not_the_server() -> None:
    server = FakeServer()
    held: list[bytes] = []
    with serving(server) as endpoint:
        sim = connect(endpoint)
        stepper = sim.stepper(["robot1"], timeout=math.inf)
        hasten(sim, 0.5)

        def paused(request: Message, reply: bytes) -> list[bytes]:
            if request.command == 11:
                held.append(reply)
                return held if len(held) > 2 else []
            return [reply]

        server.manners = paused
        assert stepper.step([[0.1, 0.0]]).tick == 1
    with sim, pytest.raises(NoReply):
        stepper.step()


def test_an_endless_wait_repeats_the_request_under_its_id(sim: Client, server: FakeServer) -> None:
    with serving(server) as endpoint, connect(endpoint) as impatient:
        stepper = impatient.stepper(["robot1"], timeout=math.inf)
        hasten(impatient, 0.5)
        server.manners = lambda request, reply: (
            [reply] if request.command != 11 or len(server.asked("/sim/step", "step")) > 1 else []
        )
        stepper.step([[0.0, 0.0]])
        sent = server.asked("/sim/step", "step")
        assert len({request.id for request in sent}) == 1
        assert len(sent) == 2


def test_a_law_outlasts_a_slow_colleague_and_says_whom_it_waits_for(caplog: pytest.LogCaptureFixture) -> None:
    server = FakeServer()
    server.status = ("lockstep", 0, '{"robot2": 7.5}')
    with serving(server) as endpoint, connect(endpoint) as sim:
        stepper = sim.stepper(["robot1"])
        hasten(sim, 0.5)
        server.manners = lambda request, reply: (
            [reply]
            if request.target != "/sim/step" or request.command != 11 or len(server.asked("/sim/step", "step")) > 1
            else []
        )
        assert stepper.run(lambda seen: None if seen.tick else [[0.1, 0.0]]) == 1
    assert "lockstep waits for robot2 (7.5 s), without a time limit" in caplog.text


def test_readings_of_another_length_are_refused(sim: Client, server: FakeServer) -> None:
    with sim.stepper(["robot1"]) as stepper:
        server.manners = lambda request, reply: [encode(request.reply((1,), (1.0, 2.0), tick=1))]
        with pytest.raises(MalformedMessage, match=f"expected {WIDTH} readings by the layout, got 2"):
            stepper.step([[0.0, 0.0]])


def test_wrong_names_in_readings_are_answered_with_the_nearest(sim: Client) -> None:
    with sim.stepper() as stepper:
        readings = stepper.step()
    with pytest.raises(AttributeError, match="no module 'sonar'; did you mean 'sonars'"):
        _ = readings.sonar
    with pytest.raises(AttributeError, match="no reading 'range'; did you mean 'ranges'"):
        _ = readings.sonars.range
    with pytest.raises(NoSuchName, match="'robot9' is not in this team; did you mean"):
        _ = readings["robot9"]
    with pytest.raises(NoSuchName, match="no robot of type 'sngle'; did you mean 'single'"):
        readings.of("sngle")
    assert {"sonars", "motors", "of", "tick"} <= set(dir(readings))
    assert {"ranges"} == set(dir(readings["robot1"].sonars))


def test_robots_of_several_types_keep_their_own_rows(server: FakeServer) -> None:
    server.robots = {"a": "single", "s": "sensor", "b": "single"}
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim, sim.stepper() as stepper:
        assert stepper.robots == ("a", "b", "s")
        readings = stepper.step({"b": (0.1, 0.2)})
        assert readings.types == ("single", "sensor")
        assert readings.of("sensor").odometry.x.shape == (1,)
        assert readings.of("single").motors.v.tolist() == [0.0, 0.1]
        with pytest.raises(AttributeError, match=r"types single, sensor: ask .of\('single'\).sonars"):
            _ = readings.sonars


def test_many_robots_travel_in_several_messages(server: FakeServer) -> None:
    names = tuple(f"robot{place}" for place in range(1300))
    server.robots = dict.fromkeys(names, "single")
    server.row = lambda robot: np.full(WIDTH, float(robot[5:]))
    with serving(server) as endpoint, connect(endpoint, timeout=30.0) as sim, sim.stepper() as stepper:
        commands = np.arange(2600.0).reshape(1300, 2)
        # a single tick of the simulation answers all parts
        server.step_step = server.step_part = lambda request: request.reply(
            (1,), np.concatenate([server.row(str(robot)) for robot in request.params[1:]]), tick=1
        )
        readings = stepper.step(commands)
        sent = [*server.asked("/sim/step", "part"), *server.asked("/sim/step", "step")]
        claimed = [request.params for request in server.asked("/sim/step", "claim")]
    assert [len(request.params) for request in sent] == [len(names) + 1 for names in claimed]
    assert len(sent) == 2
    assert all(len(request.params[1:]) * WIDTH <= 65_536 for request in sent)
    assert np.concatenate([request.data for request in sent]).tolist() == commands.ravel().tolist()
    assert readings.odometry.x.tolist() == [float(place) for place in range(1300)]
    assert len(server.asked("/sim/step", "layout")) == 2


def test_of_many_robots_the_one_with_a_value_that_is_no_number_is_named(server: FakeServer) -> None:
    server.robots = {f"robot{place}": "single" for place in range(1300)}
    commands = np.zeros((1300, 2))
    commands[1234, 1] = math.nan
    with (
        serving(server) as endpoint,
        connect(endpoint, timeout=30.0) as sim,
        sim.stepper() as stepper,
        pytest.raises(BadArgument) as problem,
    ):
        stepper.step(commands)
    assert str(problem.value).endswith("got [0.0, nan]: commands must be finite for robot1234")
    assert len(str(problem.value)) < 300


def test_many_robots_are_read_together_before_the_first_step(server: FakeServer) -> None:
    server.robots = {f"robot{place}": "single" for place in range(1300)}
    server.row = lambda robot: np.full(WIDTH, float(robot[5:]))
    server.step_read = lambda request: request.reply(
        (1,), np.concatenate([server.row(str(robot)) for robot in request.params[1:]]), tick=4
    )
    with serving(server) as endpoint, connect(endpoint, timeout=30.0) as sim, sim.stepper() as stepper:
        first = stepper.readings
    assert (first.tick, first.odometry.x.tolist()) == (4, [float(place) for place in range(1300)])
    assert len(server.asked("/sim/step", "read")) == 2


def test_a_server_that_knows_no_parts_gets_steps_alone(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    older = replace(STEP, commands=tuple(command for command in STEP.commands if command.number < 18))
    monkeypatch.setitem(SIM, "step", older)
    server.robots = {f"robot{place}": "single" for place in range(1300)}
    server.row = lambda robot: np.full(WIDTH, float(robot[5:]))
    with serving(server) as endpoint, connect(endpoint, timeout=30.0) as sim, sim.stepper() as stepper:
        server.step_step = lambda request: request.reply(
            (1,), np.concatenate([server.row(str(robot)) for robot in request.params[1:]]), tick=1
        )
        assert stepper.step().odometry.x[-1] == 1299.0
        assert len(server.asked("/sim/step", "step")) == 2


def test_a_law_of_ten_lines_drives_until_it_is_done(sim: Client, server: FakeServer) -> None:
    def law(seen: Readings) -> list[tuple[float, float]] | None:
        return [(0.3, 0.0), (0.2, 0.1)] if seen.tick < 5 else None

    assert sim.run(law) == 5
    assert server.commands == {"robot1": [0.3, 0.0], "robot2": [0.2, 0.1]}


def test_the_end_of_the_run_ends_a_law_quietly(sim: Client, server: FakeServer) -> None:
    def law(seen: Readings) -> list[tuple[float, float]]:
        if seen.tick == 3:
            server.refusals["/sim/step"] = SimulationEnded("the simulation has ended")
        return [(0.3, 0.0)]

    assert sim.run(law, ["robot1"]) == 3


@pytest.mark.parametrize("problem", [Late("over"), Evicted("evicted")])
def test_a_law_goes_on_after_being_late(sim: Client, server: FakeServer, problem: Exception) -> None:
    calls = 0

    def fail(request: object) -> None:
        server.step_step = whole
        raise problem

    whole = server.step_step
    stepper = Stepper(sim._pool, ["robot1"])

    def law(seen: Readings) -> list[tuple[float, float]] | None:
        nonlocal calls
        calls += 1
        if calls == 2:
            server.step_step = fail
        return [(0.3, 0.0)] if calls < 5 else None

    stepper.run(law)
    assert stepper.tick == 3
    assert len(server.asked("/sim/step", "claim")) == (2 if isinstance(problem, Evicted) else 1)


def test_a_law_ends_when_it_is_told_so(sim: Client) -> None:
    asked = iter([False, False, True])
    assert sim.run(lambda seen: [(0.0, 0.0)], ["robot1"], until=lambda: next(asked)) == 2
