"""Services that every gateway offers: what a run is asked, what is answered, and what is refused."""

import asyncio
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gateway_run import AskedRun
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.gateways.services import SERVICES, answer, arguments, plain, pose_lines
from coopsim.geometry import quaternion

ANGLE = st.floats(-math.pi + 1e-6, math.pi - 1e-6)


@pytest.fixture
def run() -> AskedRun:
    return AskedRun()


def ask(run: AskedRun, service: str, **words: Any) -> Any:
    return asyncio.run(answer(run, service, words))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("service", "asked"),
    [
        ("/gazebo/pause_physics", ("pause",)),
        ("/gazebo/unpause_physics", ("continue",)),
        ("/gazebo/reset_simulation", ("reset",)),
    ],
)
def test_time_stops_goes_on_and_begins_anew(run: AskedRun, service: str, asked: tuple[str, ...]) -> None:
    assert ask(run, service) == {}
    assert run.clock.asked == [asked]


def test_a_reset_of_the_world_puts_poses_back_alone(run: AskedRun) -> None:
    assert ask(run, "/gazebo/reset_world") == {}
    assert (run.world.asked, run.clock.asked) == ([("reset", "poses")], [])


def test_a_step_pauses_a_run_that_goes_on_and_waits_without_end(run: AskedRun) -> None:
    assert ask(run, "/coopsim/step", count=3) == {"tick": 7, "time": 0.07}
    assert run.clock.asked == [("status",), ("pause",), ("step", 3, math.inf), ("status",)]


def test_a_run_that_is_paused_is_not_paused_again_and_one_step_is_usual(run: AskedRun) -> None:
    run.clock.answers["status"] = SimpleNamespace(paused=True, tick=8, time=0.08)
    assert ask(run, "/coopsim/step") == {"tick": 8, "time": 0.08}
    assert ("pause",) not in run.clock.asked
    assert ("step", 1, math.inf) in run.clock.asked


@pytest.mark.parametrize("count", [0, -1, 100_001, 1.0, True, "3", None])
def test_steps_are_counted_in_whole_numbers_of_a_sensible_size(run: AskedRun, count: Any) -> None:
    with pytest.raises(BadArgument, match="count: expected a whole number from 1 to 100000, got"):
        ask(run, "/coopsim/step", count=count)
    assert run.clock.asked == []


@pytest.mark.parametrize(
    ("inserted", "names"),
    [(SimpleNamespace(names=("a", "b")), ["a", "b"]), ("a", ["a"]), (("a", "b"), ["a", "b"])],
)
def test_what_was_spawned_is_named(run: AskedRun, inserted: Any, names: list[str]) -> None:
    run.world.answers["insert"] = lambda text: inserted if text == "[BOX]\nname a" else None
    assert ask(run, "/coopsim/spawn", section="[BOX]\nname a") == {"names": names}


@pytest.mark.parametrize("section", ["", None, 3, ["[BOX]"]])
def test_what_is_no_section_is_refused(run: AskedRun, section: Any) -> None:
    with pytest.raises(BadArgument, match="section: expected a text, got"):
        ask(run, "/coopsim/spawn", section=section)


def test_services_of_gazebo_say_in_their_response_whether_it_worked(run: AskedRun) -> None:
    assert ask(run, "/gazebo/delete_model", model_name="box") == {"success": True, "status_message": ""}
    assert run.world.asked == [("remove", "box")]
    run.world.answers["remove"] = NoSuchName("nothing is called bx")
    assert ask(run, "/gazebo/delete_model", model_name="bx") == {
        "success": False,
        "status_message": "nothing is called bx",
    }
    refused = ask(run, "/gazebo/delete_model")
    assert (refused["success"], refused["status_message"]) == (False, "model_name: expected a text, got None")


def test_the_world_says_what_stands_in_it_and_when(run: AskedRun) -> None:
    properties = ask(run, "/gazebo/get_world_properties")
    assert (properties["sim_time"], properties["model_names"], properties["success"]) == (0.07, ["robot1", "box"], True)


def test_a_state_is_a_pose_with_the_order_of_the_middleware(run: AskedRun) -> None:
    run.world.answers["get"] = SimpleNamespace(pose=(1.0, 2.0, 3.0, 0.5, 0.1, 0.2, 0.3))
    pose = ask(run, "/gazebo/get_model_state", model_name="box")["pose"]
    assert pose["position"] == {"x": 1.0, "y": 2.0, "z": 3.0}
    assert pose["orientation"] == {"x": 0.1, "y": 0.2, "z": 0.3, "w": 0.5}


def test_a_state_that_is_set_becomes_lines_of_a_section(run: AskedRun) -> None:
    pose = {"position": {"x": 1.5, "y": -2.0}, "orientation": {"z": 1.0, "w": 1.0}}
    assert ask(run, "/gazebo/set_model_state", model_state={"model_name": "box", "pose": pose})["success"]
    ((command, name, text),) = run.world.asked
    assert (command, name) == ("update", "box")
    position, orientation = text.splitlines()
    assert position == "position 1.5 -2.0 0.0"
    assert [float(word) for word in orientation.split()[1:]] == pytest.approx([0.0, 0.0, 90.0])


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("box", "model_state: expected a message, got 'box'"),
        ({"model_name": "box", "pose": 3}, "pose: expected a message, got 3"),
        ({"pose": {}}, "model_name: expected a text, got None"),
        ({"model_name": "box", "pose": {"position": {"x": "far"}}}, "position.x"),
        ({"model_name": "box", "pose": {"position": {"x": math.nan}}}, "position.x"),
    ],
)
def test_what_is_no_state_is_refused_with_its_field(run: AskedRun, state: Any, says: str) -> None:
    refused = ask(run, "/gazebo/set_model_state", model_state=state)
    assert not refused["success"]
    assert says in refused["status_message"]
    assert run.world.asked == []


@given(st.tuples(ANGLE, st.floats(-1.5, 1.5), ANGLE), st.floats(0.1, 10.0))
def test_a_quaternion_of_any_length_means_the_same_turns(turns: tuple[float, float, float], length: float) -> None:
    w, i, j, k = (length * part for part in quaternion(*turns))
    words = pose_lines({"orientation": {"x": i, "y": j, "z": k, "w": w}}).splitlines()[1].split()[1:]
    again = quaternion(*(math.radians(float(word)) for word in words))
    assert abs(np.dot(again, quaternion(*turns))) == pytest.approx(1.0)


def test_a_quaternion_of_zeros_is_no_turn() -> None:
    assert pose_lines({}).splitlines() == ["position 0.0 0.0 0.0", "orientation 0.0 0.0 0.0"]


def test_any_command_reaches_any_module(run: AskedRun) -> None:
    assert ask(run, "/coopsim/call", target="/robot1/motors", command="state") == {"values": [0.1, 0.2]}
    ask(run, "/coopsim/call", target="/robot1/motors", command="set_velocity", values=[0.3, "x"])
    assert run.by_target["/robot1/motors"].asked == [("state",), ("set_velocity", 0.3, "x")]


@pytest.mark.parametrize("values", [3, "ab", [None], [[1]], {"v": 1}])
def test_values_of_a_call_are_numbers_and_texts(run: AskedRun, values: Any) -> None:
    with pytest.raises(BadArgument, match="values: expected a list of numbers and texts"):
        ask(run, "/coopsim/call", target="/robot1/motors", command="state", values=values)


def test_parameters_are_read_and_set(run: AskedRun) -> None:
    words = {"target": "/robot2/crate", "name": "layers"}
    assert ask(run, "/coopsim/get_parameter", **words) == {"value": 2}
    assert ask(run, "/coopsim/set_parameter", **words, value=4) == {"value": 4}
    with pytest.raises(BadArgument, match="layers must lie within 1 and 5"):
        ask(run, "/coopsim/set_parameter", **words, value=9)
    with pytest.raises(BadArgument, match="value: expected a number or a text, got None"):
        ask(run, "/coopsim/set_parameter", **words)


def test_a_service_that_is_not_there_is_refused_with_those_that_are(run: AskedRun) -> None:
    with pytest.raises(BadArgument) as refusal:
        ask(run, "/gazebo/pause")
    assert "/gazebo/pause_physics" in str(refusal.value)
    with pytest.raises(BadArgument) as refusal:
        ask(run, "x" * 10_000)
    assert len(str(refusal.value)) < 1000


def test_every_service_says_its_type_and_fields() -> None:
    assert all(service.type.count("/") == 1 and service.about for service in SERVICES.values())


@pytest.mark.parametrize(
    ("given_answer", "values"),
    [(None, []), ((), []), (3.0, [3.0]), ((1, "a"), [1, "a"]), ((np.arange(3.0), 2), [[0.0, 1.0, 2.0], 2])],
)
def test_what_a_command_gives_becomes_plain_values(given_answer: Any, values: list[Any]) -> None:
    assert plain(given_answer) == values


def test_arguments_come_by_field_or_in_order() -> None:
    assert arguments({"a": 1}) == {"a": 1}
    assert arguments([1, 2], ("a", "b", "c")) == {"a": 1, "b": 2}
    assert arguments(None) == arguments([]) == {}
    for wrong in ([1, 2], "a", 3):
        with pytest.raises(BadArgument, match="args: expected fields by name"):
            arguments(wrong, ("a",))
