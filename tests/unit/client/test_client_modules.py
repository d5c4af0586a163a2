"""Modules and their commands as the client offers them, made from DESCRIBE."""

import inspect
from collections.abc import Sequence

import numpy as np
import pytest
from client_fakes import COUNTS, FakeServer, serving

from coopsim.client import Client, connect
from coopsim.client.arguments import pack, usage
from coopsim.client.interface_json import read
from coopsim.client.reading import reading_class, unpack
from coopsim.client.robot import naming
from coopsim.errors import BadArgument, CoopsimError, LivesElsewhere, MalformedMessage, NoSuchCommand, NoSuchName
from coopsim.interfaces import CLOCK, MOTORS, STEP, TARGET, WORLD, Command, Field, Interface
from coopsim.message import MAX_PARAMS, Message

pytestmark = pytest.mark.usefixtures("each_way")


def test_each_module_of_a_robot_is_a_client_of_its_own(sim: Client, server: FakeServer) -> None:
    """C-11, C-12: modules are servers; a robot is whatever modules it has."""
    robot = sim.robot("robot1")
    assert [module.target for module in robot] == [
        f"/robot1/{name}" for name in ("motors", "odometry", "sonars", "target")
    ]
    robot.motors.set_velocity(0.3, w=0.1)
    assert server.commands == {"robot1": [0.3, 0.1]}
    assert robot.sonars.ranges().ranges.shape == (11,)


def test_a_reading_has_names_and_the_tick_it_speaks_of(sim: Client, server: FakeServer) -> None:
    server.tick = 7
    reading = sim.robot("robot2").odometry.pose()
    x, y, heading = reading
    assert (reading.x, reading.y, reading.heading) == (x, y, heading)
    assert reading.x == pytest.approx(1007.53)
    assert reading.tick == 7
    assert reading._fields == ("x", "y", "heading")
    assert repr(reading).startswith("pose(x=1007.53")


def test_runs_of_values_are_arrays_and_names_are_tuples(sim: Client) -> None:
    target = sim.robot("robot1").target
    seen = target.targets()
    assert (seen.targets.shape, seen.robots.shape) == ((6,), (24,))
    assert seen.targets.dtype == np.float64
    assert target.names().names[:2] == ("red", "blue")


def test_values_may_be_left_out_where_the_interface_has_a_default(sim: Client, server: FakeServer) -> None:
    sim.robot("robot1").motors.set_velocity(w=0.5)
    assert server.commands["robot1"] == [0.0, 0.5]


def test_a_command_that_gives_nothing_returns_none(sim: Client) -> None:
    assert sim.robot("robot1").motors.stop() is None


def test_the_interface_is_asked_once(sim: Client, server: FakeServer) -> None:
    motors = sim.robot("robot1").motors
    for _ in range(3):
        motors.set_velocity(0.1)
    assert (
        len([request for request in server.requests if request.target == "/robot1/motors" and request.command == 1])
        == 1
    )


def test_a_stamp_travels_with_a_command(sim: Client, server: FakeServer) -> None:
    sim.robot("robot1").motors.set_velocity(0.1, tick=42)
    assert server.asked("/robot1/motors", "set_velocity")[0].tick == 42


def test_too_many_values_are_refused_with_what_the_command_takes(sim: Client, server: FakeServer) -> None:
    motors = sim.robot("robot1").motors
    with pytest.raises(BadArgument, match=r"^set_velocity takes v \[m/s\], w \[rad/s\]; got 3 values$"):
        motors.set_velocity(1, 2, 3)
    with pytest.raises(BadArgument, match=r"stop takes no values; got 1 value$"):
        motors.stop(1)
    assert server.commands == {}


def test_an_unknown_argument_is_answered_with_the_nearest(sim: Client) -> None:
    with pytest.raises(BadArgument, match="set_wheel_speeds has no 'lft'; did you mean 'left'"):
        sim.robot("robot1").motors.set_wheel_speeds(lft=1)
    with pytest.raises(BadArgument, match="set_velocity got v twice"):
        sim.robot("robot1").motors.set_velocity(1.0, v=1.0)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "0.3", True, None, [1.0, 2.0], 1j])
def test_a_value_that_is_no_finite_number_never_leaves(sim: Client, server: FakeServer, wrong: object) -> None:
    with pytest.raises(BadArgument, match=r"set_velocity: v \[m/s\] must be"):
        sim.robot("robot1").motors.set_velocity(wrong)
    assert server.commands == {}


def test_numpy_numbers_are_numbers(sim: Client, server: FakeServer) -> None:
    sim.robot("robot1").motors.set_velocity(np.float32(0.5), np.int64(1))
    assert server.commands["robot1"] == [0.5, 1.0]


def test_what_a_server_has_not_is_an_error_of_ours_and_no_attribute(sim: Client) -> None:
    """A server decides what its modules are called: programs that catch our errors catch this."""
    for ask in (lambda: sim.clok, lambda: sim.robot("robot1").sonar, lambda: sim.clock.statsu):
        with pytest.raises(CoopsimError):
            ask()
    assert not hasattr(sim, "clok")
    assert not hasattr(sim.clock, "statsu")


def test_a_wrong_name_is_answered_with_the_nearest_one(sim: Client) -> None:
    robot = sim.robot("robot1")
    with pytest.raises(AttributeError, match=r"robot1 has no module 'sonar'; did you mean 'sonars'\?"):
        _ = robot.sonar
    with pytest.raises(
        AttributeError, match=r"/robot1/motors has no command 'set_velocty'; did you mean 'set_velocity'"
    ):
        _ = robot.motors.set_velocty
    with pytest.raises(AttributeError, match=r"max_speed'; it is a parameter: .parameters\['max_speed'\]"):
        _ = robot.motors.max_speed
    with pytest.raises(AttributeError, match="the simulation has no module 'clok'; did you mean 'clock'"):
        _ = sim.clok
    with pytest.raises(NoSuchName, match="no robot 'robt2'; did you mean 'robot2'"):
        sim.robot("robt2")
    with pytest.raises(NoSuchCommand, match="no command 99; it has 10 set_velocity"):
        robot.motors.call(99)


def test_dir_lists_what_there_is(sim: Client) -> None:
    robot = sim.robot("robot1")
    assert {"motors", "sonars", "target", "odometry"} <= set(dir(robot))
    assert {"set_velocity", "stop", "state", "parameters", "ping"} <= set(dir(robot.motors))
    assert {"clock", "world", "names", "robot", "stepper"} <= set(dir(sim))


def test_help_shows_what_a_command_takes(sim: Client) -> None:
    call = sim.robot("robot1").motors.set_velocity
    assert str(inspect.signature(call)) == "(v=0.0, w=0.0, *, timeout=None, tick=0)"
    assert "set_velocity takes v [m/s], w [rad/s]." in (call.__doc__ or "")


def test_commands_are_called_by_number_too(sim: Client, server: FakeServer) -> None:
    sim.robot("robot1").motors.call(10, 0.2, 0.0)
    assert server.commands["robot1"] == [0.2, 0.0]


def test_parameters_are_read_and_set_like_a_mapping(sim: Client) -> None:
    parameters = sim.robot("robot1").sonars.parameters
    assert parameters["noise"] == 0.0
    parameters["noise"] = 0.05
    assert parameters["noise"] == 0.05
    own = ["count", "sector", "rays", "reach", "noise", "height", "elevation", "interval"]
    assert list(parameters) == [*own, "rate", "delay", "loss", "buffer"]
    assert "noise" in parameters
    assert len(parameters) == 12


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("noise", 2.0, BadArgument, "noise must lie within 0 and 1 m, got 2"),
        ("noise", "much", BadArgument, "noise must be a finite number"),
        ("noise", True, BadArgument, "noise must be float, got True"),
        ("interval", 1.5, BadArgument, "interval must be a whole number"),
        ("count", 5, BadArgument, "count is given in files alone"),
        ("nose", 0.1, NoSuchCommand, "no parameter 'nose'; did you mean 'noise'"),
    ],
)
def test_a_wrong_parameter_is_refused_before_it_is_sent(
    sim: Client, server: FakeServer, name: str, value: object, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        sim.robot("robot1").sonars.parameters[name] = value
    assert server.parameters == {}


def test_the_simulation_offers_its_modules_by_the_same_mechanism(sim: Client, server: FakeServer) -> None:
    assert sim.clock.status().mode == "lockstep"
    sim.clock.pause()
    assert sim.clock.status().paused == 1
    sim.clock.continue_()
    assert sim.clock.status().paused == 0
    assert sim.world.insert("[OBJECT_1]\ntype box").names == ("crate",)
    assert server.asked("/sim/world", "insert")[0].params == ("[OBJECT_1]\ntype box",)
    assert sim.names("/robot2/mo") == ("/robot2/motors",)
    assert sim.info()["robots"] == 2


def test_robots_of_a_type_share_what_their_modules_say_of_themselves(sim: Client, server: FakeServer) -> None:
    first, second = (sim.module(f"/{robot}/odometry") for robot in ("robot1", "robot2"))
    assert first.interface is second.interface
    server.tick = 3
    assert [odometry.pose().x for odometry in (first, second)] == [pytest.approx(3.53), pytest.approx(1003.53)]


def test_a_module_that_changed_is_described_anew(sim: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    target = sim.robot("robot1").target
    target.targets()
    monkeypatch.setitem(COUNTS, "targets", 3)
    monkeypatch.setattr(FakeServer, "row", lambda self, robot: np.arange(55.0))
    monkeypatch.setattr(FakeServer, "own", lambda self, request, command: request.reply((), np.arange(27.0)))
    assert target.targets().targets.tolist() == [0.0, 1.0, 2.0]


def test_an_interface_survives_its_description() -> None:
    for interface in (CLOCK, MOTORS, STEP, TARGET, WORLD):
        described = read(interface.to_json(COUNTS), "/x")
        assert [command.name for command in described.commands] == [command.name for command in interface.commands]
        assert described.parameters == interface.parameters
        assert [command.effect for command in described.commands] == [command.effect for command in interface.commands]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"commands": 3}', '{"kind": 1, "commands": [{}], "parameters": []}', "null"]
)
def test_a_description_that_is_none_is_said_so(text: str) -> None:
    with pytest.raises(MalformedMessage, match="/x: expected its description as JSON"):
        read(text, "/x")


def test_params_and_data_are_told_apart_by_their_unit() -> None:
    step = STEP.command("step")
    assert pack(step, (3, ["a", "b"], [[1.0, 2.0], [3, 4]]), {}) == ((3, "a", "b"), [1.0, 2.0, 3.0, 4.0])
    assert pack(STEP.command("claim"), ("robot1",), {}) == (("robot1",), [])
    assert usage(step) == "step takes generation, robots (a sequence), commands (a sequence)"
    with pytest.raises(BadArgument, match="step needs generation"):
        pack(step, (), {})


def test_a_run_of_a_known_length_must_have_it() -> None:
    place = Command(10, "place", takes=(Field("pose", "m", count=3), Field("tags", count=2)))
    assert pack(place, ([1, 2, 3], ["a", 1]), {}) == (("a", 1), [1.0, 2.0, 3.0])
    with pytest.raises(BadArgument, match="place: pose has 3 values, got 2"):
        pack(place, ([1, 2], ["a", 1]), {})
    with pytest.raises(BadArgument, match="place: tags has 2 values, got 1"):
        pack(place, ([1, 2, 3], ["a"]), {})


def test_a_field_of_any_number_leaves_what_the_others_need() -> None:
    names = Command(11, "names", gives=(Field("names", count=0), Field("total"), Field("slots", "1", count=2)))
    reading = reading_class(names)(unpack(names.gives, Message("/x", params=("a", "b", 3), data=(1.0, 2.0))), 5)
    assert (reading.names, reading.total, reading.slots.tolist()) == (("a", "b"), 3, [1.0, 2.0])


@pytest.mark.parametrize("data", [(), (1.0,), (1.0, 2.0, 3.0)])
def test_a_reply_of_another_length_is_malformed(data: tuple[float, ...]) -> None:
    fields = (Field("x", "m"), Field("y", "m"))
    with pytest.raises(MalformedMessage):
        unpack(fields, Message("/x", data=data))


def test_words_of_python_get_an_underscore() -> None:
    command = Command(10, "odd", gives=(Field("from"), Field("two words")))
    assert reading_class(command)._fields == ("from_", "two words_")


def test_a_foreign_module_is_found_where_the_server_says(server: FakeServer) -> None:
    """C-13: a module that lives elsewhere, a real robot's, is used by the same code."""
    away = FakeServer()
    with serving(away) as foreign_address, serving(server) as address, connect(address, timeout=5.0) as sim:
        server.elsewhere["/robot1/motors"] = (foreign_address, "")
        motors = sim.robot("robot1").motors
        motors.set_velocity(0.4)
        motors.set_velocity(0.5)
        assert away.commands == {"robot1": [0.5, 0.0]}
        assert server.commands == {}
        assert len([request for request in server.requests if request.target == "/robot1/motors"]) == 1


def test_a_circle_of_servers_ends_with_an_error(server: FakeServer) -> None:
    with serving(server) as address, connect(address, timeout=5.0) as sim:
        server.elsewhere["/robot1/motors"] = (address, "")
        with pytest.raises(LivesElsewhere):
            sim.robot("robot1").motors.stop()


def test_a_robots_own_endpoint_is_joined_with_the_token(server: FakeServer) -> None:
    own = FakeServer()
    with serving(own) as own_address, serving(server) as address, connect(address, timeout=5.0) as sim:
        server.addresses = (own_address, "")
        with sim.stepper(["robot1"]):
            sim.robot("robot1", own_endpoint=True).motors.set_velocity(0.1)
        assert own.commands == {"robot1": [0.1, 0.0]}
        assert own.asked("/sim/step", "claim_with")[0].params == ("token",)


def test_an_unforeseen_module_works_by_its_description(sim: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-14: one protocol for every module."""
    gripper = Interface("gripper", "", (Command(10, "close", gives=(Field("force", "N"),)),))
    monkeypatch.setattr(FakeServer, "interface", lambda self, target: gripper)
    monkeypatch.setattr(FakeServer, "own", lambda self, request, command: request.reply((), (2.5,)))
    assert sim.module("/arm/gripper").close().force == 2.5


def _pages(names: Sequence[str], endless: bool = False) -> tuple[list[tuple[object, ...]], tuple[str, ...]]:
    """Return what a client asks for whose server hands out these names page by page, and what comes of it."""
    flow, asked = naming("/r"), []
    ask = next(flow)
    while True:
        asked.append(ask.message.params)
        after = str(asked[-1][1]) if len(asked[-1]) > 1 and not endless else ""
        page = [name for name in names if name > after][:MAX_PARAMS]
        try:
            ask = flow.send(Message("/sim/names", params=tuple(page)))
        except StopIteration as ended:
            return asked, ended.value


def test_names_of_a_crowd_come_page_by_page() -> None:
    names = [f"/r{k:05}" for k in range(2 * MAX_PARAMS + 5)]
    asked, received = _pages(names)
    assert list(received) == names
    assert asked == [("/r",), ("/r", names[MAX_PARAMS - 1]), ("/r", names[2 * MAX_PARAMS - 1])]
    asked, received = _pages(names[:MAX_PARAMS])
    assert (len(asked), list(received)) == (2, names[:MAX_PARAMS])


def test_a_server_whose_pages_do_not_go_on_is_not_asked_for_ever() -> None:
    asked, received = _pages([f"/r{k:05}" for k in range(MAX_PARAMS)], endless=True)
    assert len(asked) == 2
    assert len(received) == 2 * MAX_PARAMS
