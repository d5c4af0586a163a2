"""Parameters of devices as those of a node of ROS 2: names, ranges, what is set and what is refused."""

import asyncio
from typing import Any

import pytest
from gateway_run import AskedRun

from coopsim.errors import BadArgument
from coopsim.features.gateways.node_parameters import NodeParameters

NOT_SET, BOOL, INTEGER, DOUBLE, STRING = range(5)


@pytest.fixture
def run() -> AskedRun:
    return AskedRun()


def ask(run: AskedRun, service: str, **words: Any) -> Any:
    by_name = {name: reply for name, _, reply in NodeParameters(run, "coopsim").services}  # type: ignore[arg-type]
    return asyncio.run(by_name[f"/coopsim/{service}"](words))  # type: ignore[arg-type]


def text(value: str) -> dict[str, Any]:
    return {"type": STRING, "string_value": value}


def test_a_node_has_the_services_of_every_node(run: AskedRun) -> None:
    services = NodeParameters(run, "own").services  # type: ignore[arg-type]
    assert [name for name, _, _ in services] == [
        f"/own/{verb}"
        for verb in (
            "get_parameters",
            "get_parameter_types",
            "set_parameters",
            "set_parameters_atomically",
            "describe_parameters",
            "list_parameters",
        )
    ]
    assert services[3][1] == "rcl_interfaces/srv/SetParametersAtomically"


def test_values_have_their_types_and_what_is_not_there_is_not_set(run: AskedRun) -> None:
    names = ["use_sim_time", "robot2.crate.label", "robot2.crate.layers", "robot1.motors.gain", "robot9.crate.label"]
    gain = run.by_target["/robot1/motors"].values["gain"]
    assert ask(run, "get_parameters", names=names)["values"] == [
        {"type": BOOL, "bool_value": True},
        text("old"),
        {"type": INTEGER, "integer_value": 2},
        {"type": DOUBLE, "double_value": gain},
        {"type": NOT_SET},
    ]
    assert ask(run, "get_parameter_types", names=names)["types"] == [BOOL, STRING, INTEGER, DOUBLE, NOT_SET]


def test_ranges_choices_units_and_fixed_ones_are_described(run: AskedRun) -> None:
    names = ["robot2.crate.layers", "robot2.crate.side", "robot1.sonars.count", "robot1.sonars.noise", "x"]
    layers, side, count, noise, none = ask(run, "describe_parameters", names=names)["descriptors"]
    assert layers["integer_range"] == [{"from_value": 1, "to_value": 5}]
    assert (layers["description"], layers["read_only"]) == ("how many [1]", False)
    assert side["additional_constraints"] == "one of left, right"
    assert "floating_point_range" not in side
    assert count["read_only"]
    assert noise["floating_point_range"][0]["from_value"] == 0.0
    assert none == {"name": "x", "type": NOT_SET}


@pytest.mark.parametrize(
    ("prefixes", "depth", "names"),
    [
        (["robot2"], 0, ["label", "layers", "side"]),
        (["robot2.crate"], 1, ["label", "layers", "side"]),
        (["robot2"], 1, []),
        (["robot2"], 2, ["label", "layers", "side"]),
        (["robot2.crate.side"], 0, ["side"]),
        (["robot2.cra"], 0, []),
        (["nobody"], 0, []),
    ],
)
def test_parameters_are_listed_below_prefixes_down_to_a_depth(
    run: AskedRun, prefixes: list[str], depth: int, names: list[str]
) -> None:
    result = ask(run, "list_parameters", prefixes=prefixes, depth=depth)["result"]
    assert result["names"] == [f"robot2.crate.{name}" for name in names]
    assert result["prefixes"] == (["robot2.crate"] if names else [])


def test_without_prefixes_all_are_listed_and_a_depth_of_one_leaves_the_nodes_own(run: AskedRun) -> None:
    every = ask(run, "list_parameters", prefixes=[], depth=0)["result"]
    assert every["prefixes"] == ["robot1.motors", "robot1.sonars", "robot2.crate"]
    assert every["names"][0] == "use_sim_time"
    assert ask(run, "list_parameters", prefixes=[], depth=1)["result"]["names"] == ["use_sim_time"]


def test_each_parameter_is_set_or_refused_by_itself(run: AskedRun) -> None:
    parameters = [
        {"name": "robot2.crate.label", "value": text("new")},
        {"name": "robot2.crate.layers", "value": {"type": INTEGER, "integer_value": 9}},
        {"name": "robot2.crate.height", "value": text("x")},
        {"name": "robot2.crate.side", "value": {"type": NOT_SET}},
        {"name": "robot2.crate.side", "value": text("right")},
    ]
    results = ask(run, "set_parameters", parameters=parameters)["results"]
    assert [result["successful"] for result in results] == [True, False, False, False, True]
    assert "layers must lie within 1 and 5, got 9" in results[1]["reason"]
    assert "there is no parameter 'robot2.crate.height'" in results[2]["reason"]
    assert "robot2.crate.side: expected a str" in results[3]["reason"]
    assert run.by_target["/robot2/crate"].values == {"label": "new", "layers": 2, "side": "right"}


def test_parameters_that_are_set_together_are_all_set_or_none(run: AskedRun) -> None:
    first = {"name": "robot2.crate.label", "value": text("new")}
    second = {"name": "robot2.crate.side", "value": text("right")}
    wrong = {"name": "robot2.crate.layers", "value": {"type": INTEGER, "integer_value": 9}}
    refused = ask(run, "set_parameters_atomically", parameters=[first, second, wrong])["result"]
    assert not refused["successful"]
    assert "layers" in refused["reason"]
    assert run.by_target["/robot2/crate"].values == {"label": "old", "layers": 2, "side": "left"}
    assert ask(run, "set_parameters_atomically", parameters=[first, second])["result"] == {"successful": True}
    assert run.by_target["/robot2/crate"].values == {"label": "new", "layers": 2, "side": "right"}


def test_no_request_may_name_more_than_a_thousand(run: AskedRun) -> None:
    assert len(ask(run, "get_parameters", names=["x"] * 5000)["values"]) == 1000
    assert len(ask(run, "set_parameters", parameters=[{"name": "x", "value": text("")}] * 1001)["results"]) == 1000


def test_native_values_are_read_and_set_with_the_types_of_python(run: AskedRun) -> None:
    parameters = NodeParameters(run, "coopsim")  # type: ignore[arg-type]
    assert asyncio.run(parameters.native("robot2.crate.label")) == "old"
    assert asyncio.run(parameters.native("robot2.crate.nothing")) is None
    asyncio.run(parameters.set_native("robot1.motors.gain", 2))
    assert run.by_target["/robot1/motors"].asked == [("set", "gain", 2.0)]
    assert isinstance(run.by_target["/robot1/motors"].values["gain"], float)
    assert "use_sim_time" not in list(parameters.names())


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("robot2.crate.label", 3, "expected a str, got 3"),
        ("robot2.crate.layers", 2.5, "expected a int, got 2.5"),
        ("robot2.crate.layers", True, "expected a int, got True"),
        ("robot1.motors.gain", True, "expected a float, got True"),
        ("robot1.motors.speed", 1.0, "there is no parameter 'robot1.motors.speed'"),
        ("gain", 1.0, "there is no parameter 'gain'"),
    ],
)
def test_a_native_value_of_another_type_is_refused(run: AskedRun, name: str, value: Any, says: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        asyncio.run(NodeParameters(run, "coopsim").set_native(name, value))  # type: ignore[arg-type]
    assert says in str(refusal.value)
    assert all(module.asked == [] for module in run.by_target.values())
