"""Services of the node `rosapi`, which roslibpy, roslibjs and web tools ask what there is.

Source: rosapi of rosbridge_suite.
"""

from collections.abc import Callable, Mapping

from coopsim.errors import BadArgument
from coopsim.features.gateways import messages
from coopsim.features.gateways.codec import FollowedRun
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.services import SERVICES

NODE = "/coopsim"
"""The one node that all topics are said to belong to."""


def _topics(run: FollowedRun, _: Words) -> Words:
    types = run.types
    return {"topics": list(types), "types": list(types.values())}


def _topics_for_type(run: FollowedRun, words: Words) -> Words:
    return {"topics": [topic for topic, kind in run.types.items() if kind == words.get("type")]}


def _topic_type(run: FollowedRun, words: Words) -> Words:
    return {"type": run.types.get(str(words.get("topic")), "")}


def _services(_run: FollowedRun, _: Words) -> Words:
    return {"services": [*SERVICES, *ANSWERS]}


def _service_type(_run: FollowedRun, words: Words) -> Words:
    name = str(words.get("service"))
    if name in SERVICES:
        return {"type": SERVICES[name].type}
    if name in ANSWERS:
        return {"type": f"rosapi/{name.rpartition('/')[2].title().replace('_', '')}"}
    raise BadArgument(f"there is no service {name!r:.80}")


def _nodes(_run: FollowedRun, _: Words) -> Words:
    return {"nodes": [NODE]}


def _node_details(run: FollowedRun, _: Words) -> Words:
    published = [topic for topic in run.types if topic not in run.command_topics]
    return {"publishing": published, "subscribing": list(run.command_topics), "services": list(SERVICES)}


def _publishers(run: FollowedRun, words: Words) -> Words:
    topic = str(words.get("topic"))
    return {"publishers": [NODE] if topic in run.types and topic not in run.command_topics else []}


def _subscribers(run: FollowedRun, words: Words) -> Words:
    return {"subscribers": [NODE] if str(words.get("topic")) in run.command_topics else []}


def _time(run: FollowedRun, _: Words) -> Words:
    return {"time": messages.stamp(run.time)}


def _param_names(_run: FollowedRun, _: Words) -> Words:
    return {"names": ["/use_sim_time"]}


def _get_param(_run: FollowedRun, words: Words) -> Words:
    is_known = str(words.get("name")) in ("/use_sim_time", "use_sim_time")
    return {"value": "true" if is_known else str(words.get("default", "")) or "null"}


ANSWERS: Mapping[str, Callable[[FollowedRun, Words], Words]] = {
    "/rosapi/topics": _topics,
    "/rosapi/topics_for_type": _topics_for_type,
    "/rosapi/topic_type": _topic_type,
    "/rosapi/services": _services,
    "/rosapi/service_type": _service_type,
    "/rosapi/nodes": _nodes,
    "/rosapi/node_details": _node_details,
    "/rosapi/publishers": _publishers,
    "/rosapi/subscribers": _subscribers,
    "/rosapi/get_time": _time,
    "/rosapi/get_param_names": _param_names,
    "/rosapi/get_param": _get_param,
}
"""Answers by the name of the service."""
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "/rosapi/topics_for_type": ("type",),
    "/rosapi/topic_type": ("topic",),
    "/rosapi/service_type": ("service",),
    "/rosapi/node_details": ("node",),
    "/rosapi/publishers": ("topic",),
    "/rosapi/subscribers": ("topic",),
    "/rosapi/get_param": ("name", "default"),
}
"""Names of arguments that may come as a list."""
