"""simulation_interfaces and parameters over both middlewares: what a node of ROS 2 asks, and what it is answered."""

import queue
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from bridged import GatewayProcess
from ros2_programs import LIMIT, DdsProgram, RosProgram, ZenohProgram, free_domain

from coopsim.client import Client, connect
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

_PACKAGE = "simulation_interfaces/srv"
_OK, _NOT_FOUND, _FAILED, _UNSUPPORTED = 1, 2, 4, 0


@pytest.fixture(scope="module")
def sim() -> Iterator[Client]:
    with Run("vee", "--no-controllers", "--duration", "3600") as live, connect(live.endpoint) as client:
        yield client


@pytest.fixture(scope="module", params=["dds", "zenoh"])
def program(sim: Client, request: pytest.FixtureRequest) -> Iterator[RosProgram]:
    domain, port = free_domain(), lasting_port()
    if request.param == "dds":
        words = ["--rmw", "dds", "--domain", str(domain)]
    else:
        words = ["--rmw", "zenoh", "--domain", "0", "--port", str(port)]
    with GatewayProcess("--endpoint", sim.endpoint, *words, kind="ros2") as process:
        process.wait_for("serving")
        with DdsProgram(domain) if request.param == "dds" else ZenohProgram(port) as node:
            yield node
        process.process.send_signal(signal.SIGINT)
        process.process.wait(LIMIT)


def ask(program: RosProgram, name: str, /, **words: Any) -> Any:
    """Return the response of a service of the standard, by the name of its type."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
    return program.call(f"/{snake}", f"{_PACKAGE}/{name}", words)


def code(response: Any) -> int:
    return int(response.result.result)


def test_features_say_what_there_is(program: RosProgram) -> None:
    features = ask(program, "GetSimulatorFeatures").features
    assert {0, 1, 10, 11, 20, 24, 25, 31, 32, 33} <= set(features.features)
    assert "coopsim" in features.custom_info


def test_entities_are_filtered_described_and_measured(program: RosProgram) -> None:
    every = ask(program, "GetEntities")
    assert code(every) == _OK
    assert {"robot1", "robot5", "floor"} <= set(every.entities)
    filtered = ask(program, "GetEntities", filters={"filter": "robot[12]", "categories": [{"category": 1}]})
    assert list(filtered.entities) == ["robot1", "robot2"]
    tagged = ask(program, "GetEntities", filters={"tags": {"tags": ["robot", "single"], "filter_mode": 1}})
    assert len(tagged.entities) == 5
    near = {"type": 3, "points": [{"x": 500.0}, {"x": 1.0}]}
    assert "robot1" not in ask(program, "GetEntities", filters={"bounds": near}).entities
    assert code(ask(program, "GetEntities", filters={"filter": "(a+)+b"})) == _UNSUPPORTED
    assert code(ask(program, "GetEntities", filters={"filter": "["})) == _UNSUPPORTED
    assert ask(program, "GetEntityInfo", entity="robot1").info.category.category == 1
    corners = ask(program, "GetEntityBounds", entity="robot1").bounds
    assert (corners.type, corners.points[0].x, corners.points[1].x) == (1, 0.25, -0.25)
    assert "single" in {item.entity_resource.uri for item in ask(program, "GetSpawnables").spawnables}


def test_a_robot_is_spawned_moved_and_deleted(program: RosProgram, sim: Client) -> None:
    pose = {"pose": {"position": {"x": 5.5, "y": 3.5}, "orientation": {"w": 1.0}}}
    spawned = ask(program, "SpawnEntity", name="guest", entity_resource={"uri": "single"}, initial_pose=pose)
    assert (code(spawned), spawned.entity_name) == (_OK, "guest")
    state = ask(program, "GetEntityState", entity="guest").state
    assert (state.header.frame_id, state.pose.position.x) == ("world", pytest.approx(5.5, abs=0.01))
    moved = {"pose": {"position": {"x": -4.0, "y": 4.0}, "orientation": {"w": 1.0}}}
    assert code(ask(program, "SetEntityState", entity="guest", state=moved, set_pose=True)) == _OK
    assert sim.world.call("get", "guest").pose[0] == pytest.approx(-4.0, abs=0.01)
    states = ask(program, "GetEntitiesStates", filters={"filter": "guest"}).states
    assert states[0].pose.position.y == pytest.approx(4.0, abs=0.01)
    again = {"name": "guest", "entity_resource": {"uri": "single"}}
    assert code(ask(program, "SpawnEntity", **again)) == 101
    renamed = ask(program, "SpawnEntity", **again, allow_renaming=True, initial_pose=pose)
    assert (code(renamed), renamed.entity_name) == (_OK, "guest_1")
    for name in ("guest", "guest_1"):
        assert code(ask(program, "DeleteEntity", entity=name)) == _OK
    assert code(ask(program, "DeleteEntity", entity="guest")) == _NOT_FOUND
    assert code(ask(program, "GetEntityState", entity="guest")) == _NOT_FOUND


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"name": "9 lives", "entity_resource": {"uri": "single"}}, 102),
        ({"name": "", "entity_resource": {"uri": "single"}}, 102),
        ({"name": "new", "entity_resource": {"resource_string": "<robot/>"}}, 103),
        ({"name": "new"}, 104),
        ({"name": "new", "entity_resource": {"uri": "single"}, "entity_namespace": "elsewhere"}, 105),
        ({"name": "new", "entity_resource": {"resource_string": "[ROBOT_1]\ntype nothing"}}, 106),
    ],
)
def test_what_cannot_be_spawned_has_the_code_of_the_standard(
    program: RosProgram, words: dict[str, Any], expected: int
) -> None:
    assert code(ask(program, "SpawnEntity", **words)) == expected


def test_time_is_paused_stepped_reset_and_let_go(program: RosProgram, sim: Client) -> None:
    assert ask(program, "GetSimulationState").state.state == 1
    assert code(ask(program, "StepSimulation", steps=3)) == _FAILED
    assert code(ask(program, "SetSimulationState", state={"state": 2})) == _OK
    assert code(ask(program, "SetSimulationState", state={"state": 2})) == 101
    tick = sim.clock.call("status").tick
    assert code(ask(program, "StepSimulation", steps=3)) == _OK
    assert sim.clock.call("status").tick == tick + 3
    assert code(ask(program, "ResetSimulation", scope=2)) == _OK
    assert code(ask(program, "ResetSimulation", scope=1)) == _UNSUPPORTED
    assert code(ask(program, "SetSimulationState", state={"state": 1})) == _OK
    assert not sim.clock.call("status").paused
    assert code(ask(program, "SetSimulationState", state={"state": 3})) == _UNSUPPORTED


def test_steps_are_an_action_with_feedback_that_can_be_cancelled(program: RosProgram, sim: Client) -> None:
    kind, name = "simulation_interfaces/action/SimulateSteps", "/simulate_steps/_action"
    feedback: queue.Queue[Any] = queue.Queue()
    program._subscribe(f"{name}/feedback", f"{kind}_FeedbackMessage", feedback.put)

    def goal(number: int, steps: int) -> dict[str, Any]:
        return {"goal_id": {"uuid": [number] * 16}, "goal": {"steps": steps}}

    sim.clock.call("pause")
    tick = sim.clock.call("status").tick
    base = 10 if isinstance(program, DdsProgram) else 20
    assert program.call(f"{name}/send_goal", f"{kind}_SendGoal", goal(base, 4)).accepted
    done = program.call(f"{name}/get_result", f"{kind}_GetResult", {"goal_id": {"uuid": [base] * 16}})
    assert (done.status, done.result.result.result) == (4, _OK)
    assert sim.clock.call("status").tick == tick + 4
    assert not program.call(f"{name}/send_goal", f"{kind}_SendGoal", goal(base, 1)).accepted
    assert program.call(f"{name}/send_goal", f"{kind}_SendGoal", goal(base + 1, 900_000)).accepted
    while feedback.get(timeout=LIMIT).feedback.remaining_steps < 1000:
        pass
    cancel = {"goal_info": {"goal_id": {"uuid": [base + 1] * 16}}}
    cancelled = program.call(f"{name}/cancel_goal", "action_msgs/srv/CancelGoal", cancel)
    assert (cancelled.return_code, len(cancelled.goals_canceling)) == (0, 1)
    done = program.call(f"{name}/get_result", f"{kind}_GetResult", {"goal_id": {"uuid": [base + 1] * 16}})
    assert (done.status, "cancelled after" in done.result.result.error_message) == (5, True)
    assert program.call(f"{name}/cancel_goal", "action_msgs/srv/CancelGoal", cancel).return_code == 3
    sim.clock.call("continue")
    assert program.call(f"{name}/send_goal", f"{kind}_SendGoal", goal(base + 2, 1)).accepted
    done = program.call(f"{name}/get_result", f"{kind}_GetResult", {"goal_id": {"uuid": [base + 2] * 16}})
    assert (done.status, done.result.result.result) == (6, _FAILED)


def test_parameters_of_devices_are_those_of_the_node(program: RosProgram, sim: Client) -> None:
    def call(name: str, **words: Any) -> Any:
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
        return program.call(f"/coopsim/{snake}", f"rcl_interfaces/srv/{name}", words)

    noise = "robot1.sonars.noise"
    listed = call("ListParameters", prefixes=["robot1.sonars"]).result
    assert noise in listed.names
    assert "robot2.sonars.noise" not in listed.names
    (described,) = call("DescribeParameters", names=[noise]).descriptors
    assert (described.type, described.floating_point_range[0].from_value, described.read_only) == (3, 0.0, False)
    outcomes = call(
        "SetParameters",
        parameters=[
            {"name": noise, "value": {"type": 3, "double_value": 0.03}},
            {"name": noise, "value": {"type": 3, "double_value": -1.0}},
            {"name": "robot1.nothing", "value": {"type": 3}},
        ],
    ).results
    assert [outcome.successful for outcome in outcomes] == [True, False, False]
    assert "there is no parameter 'robot1.nothing'" in outcomes[2].reason
    assert sim.module("/robot1/sonars").parameters["noise"] == 0.03
    together = [
        {"name": noise, "value": {"type": 3, "double_value": 0.01}},
        {"name": "robot1.sonars.reach", "value": {"type": 4, "string_value": "far"}},
    ]
    assert not call("SetParametersAtomically", parameters=together).result.successful
    values = call("GetParameters", names=[noise, "use_sim_time", "nothing"]).values
    assert (values[0].double_value, values[1].bool_value, values[2].type) == (0.03, True, 0)
    assert list(call("GetParameterTypes", names=[noise]).types) == [3]


def test_worlds_are_listed_and_loaded(program: RosProgram, sim: Client) -> None:
    assert ask(program, "GetCurrentWorld").world.name == "vee"
    assert {"vee", "single"} <= {world.name for world in ask(program, "GetAvailableWorlds").worlds}
    assert code(ask(program, "LoadWorld")) == 102
    assert code(ask(program, "LoadWorld", world_resource={"uri": "no_such_world"})) == 104
    loaded = ask(program, "LoadWorld", world_resource={"uri": "vee"})
    assert (code(loaded), loaded.world.name) == (_OK, "vee")
    assert sim.clock.call("status").paused
    sim.clock.call("continue")
