"""Services of the node rosapi: what tools of the web ask to find their way."""

from typing import Any

import pytest
from gateway_run import AskedRun

from coopsim.errors import BadArgument
from coopsim.features.gateways.rosbridge.rosapi import ANSWERS, ARGUMENTS
from coopsim.features.gateways.services import SERVICES


def ask(service: str, /, **words: Any) -> Any:
    return ANSWERS[f"/rosapi/{service}"](AskedRun(), words)  # type: ignore[arg-type]


def test_topics_come_with_their_types_in_one_order() -> None:
    topics = ask("topics")
    assert dict(zip(topics["topics"], topics["types"], strict=True)) == AskedRun().types
    assert ask("topics_for_type", type="sensor_msgs/LaserScan") == {"topics": ["/robot1/scan"]}
    assert ask("topics_for_type") == {"topics": []}


@pytest.mark.parametrize(
    ("topic", "kind"), [("/clock", "rosgraph_msgs/Clock"), ("/robot1/cmd_vel", "geometry_msgs/Twist"), ("/x", "")]
)
def test_a_topic_has_its_type_and_a_strange_one_none(topic: str, kind: str) -> None:
    assert ask("topic_type", topic=topic) == {"type": kind}


def test_what_robots_are_commanded_by_is_read_and_everything_else_published() -> None:
    assert ask("publishers", topic="/robot1/scan") == {"publishers": ["/coopsim"]}
    assert ask("subscribers", topic="/robot1/scan") == {"subscribers": []}
    assert ask("publishers", topic="/robot1/cmd_vel") == {"publishers": []}
    assert ask("subscribers", topic="/robot1/cmd_vel") == {"subscribers": ["/coopsim"]}
    assert ask("publishers", topic="/x") == {"publishers": []}
    details = ask("node_details", node="/coopsim")
    assert (details["publishing"], details["subscribing"]) == (["/clock", "/robot1/scan"], ["/robot1/cmd_vel"])
    assert ask("nodes") == {"nodes": ["/coopsim"]}


def test_every_service_that_is_listed_has_a_type() -> None:
    names = ask("services")["services"]
    assert {*names} == {*SERVICES, *ANSWERS}
    kinds = {name: ask("service_type", service=name)["type"] for name in names}
    assert kinds["/rosapi/topics_for_type"] == "rosapi/TopicsForType"
    assert kinds["/coopsim/step"] == "coopsim_msgs/Step"
    assert all(kind.count("/") == 1 for kind in kinds.values())
    with pytest.raises(BadArgument, match="there is no service '/nothing'"):
        ask("service_type", service="/nothing")


def test_time_is_simulated_and_the_one_parameter_says_so() -> None:
    stamp = ask("get_time")["time"]
    assert list(stamp.values()) == [1, 250_000_000]
    assert ask("get_param_names") == {"names": ["/use_sim_time"]}
    assert ask("get_param", name="/use_sim_time") == {"value": "true"}
    assert ask("get_param", name="/other", default="7") == {"value": "7"}
    assert ask("get_param", name="/other") == {"value": "null"}


class NotedWords(dict[str, Any]):
    """Words of a request that note which of them were read."""

    read: set[str]

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def test_arguments_in_order_have_the_names_that_answers_read() -> None:
    read: dict[str, set[str]] = {}
    for service, answer in ANSWERS.items():
        words = NotedWords({"service": "/coopsim/step"})
        read[service] = words.read = set()
        answer(AskedRun(), words)  # type: ignore[arg-type]
    named = {service: {*ARGUMENTS.get(service, ())} for service in ANSWERS}
    assert named == read | {"/rosapi/node_details": {"node"}}  # there is one node, whatever is asked for
