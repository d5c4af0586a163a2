"""Services that every gateway offers, by the names that users of Gazebo know, and two that reach any module.

Source: gazebo_ros of ROS 1 (`gazebo_msgs`); `/coopsim/...` are our own.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.gateways import messages
from coopsim.features.gateways.messages import Words
from coopsim.geometry import fixed_angles

if TYPE_CHECKING:
    from coopsim.client.aio import Client

_MOST_STEPS = 100_000  # a quarter of an hour at 100 Hz; a slip of a digit would block a service for days


class OfferedService(NamedTuple):
    """A request that programs of the middleware may send.

    Attributes:
        type: Of request and response.
        about: Fields of both.
        answer: Does it.
    """

    type: str
    about: str
    answer: Callable[["Client", Words], Awaitable[Words]]


async def _pause(sim: "Client", _: Words) -> Words:
    await sim.clock.call("pause")
    return {}


async def _unpause(sim: "Client", _: Words) -> Words:
    await sim.clock.call("continue")
    return {}


async def _reset_world(sim: "Client", _: Words) -> Words:
    await sim.world.call("reset", "poses")
    return {}


async def _reset_simulation(sim: "Client", _: Words) -> Words:
    await sim.clock.call("reset")
    return {}


async def _step(sim: "Client", words: Words) -> Words:
    count = words.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST_STEPS:
        raise BadArgument(f"count: expected a whole number from 1 to {_MOST_STEPS}, got {count!r:.40}")
    if not (await sim.clock.call("status")).paused:
        await sim.clock.call("pause")
    await sim.clock.call("step", count, timeout=math.inf)
    status = await sim.clock.call("status")
    return {"tick": int(status.tick), "time": float(status.time)}


async def _spawn(sim: "Client", words: Words) -> Words:
    inserted = await sim.world.call("insert", _text(words, "section"))
    return {"names": list(inserted.names) if hasattr(inserted, "names") else _texts(inserted)}


async def _delete(sim: "Client", words: Words) -> Words:
    await sim.world.call("remove", _text(words, "model_name"))
    return {}


async def _properties(sim: "Client", _: Words) -> Words:
    status, scene = await sim.clock.call("status"), await sim.scene()
    names = [entity.name for entity in scene.entities]
    return {"sim_time": float(status.time), "model_names": names, "rendering_enabled": False}


async def _state(sim: "Client", words: Words) -> Words:
    entity = await sim.world.call("get", _text(words, "model_name"))
    return {"pose": messages.pose(entity.pose), "twist": messages.twist((0, 0, 0), (0, 0, 0))}


async def _set_state(sim: "Client", words: Words) -> Words:
    state = words.get("model_state", {})
    if not isinstance(state, dict):
        raise BadArgument(f"model_state: expected a message, got {state!r:.60}")
    name = _text(state, "model_name")
    pose = state.get("pose", {})
    if not isinstance(pose, dict):
        raise BadArgument(f"pose: expected a message, got {pose!r:.60}")
    await sim.world.call("update", name, pose_lines(pose))
    return {}


def pose_lines(pose: Mapping[str, Any]) -> str:
    """Return a pose as lines of a section.

    Raises:
        BadArgument: A field is no finite number.
    """
    x, y, z = (messages.number(pose, f"position.{axis}") for axis in "xyz")
    i, j, k, w = (messages.number(pose, f"orientation.{axis}") for axis in "xyzw")
    length = math.sqrt(w * w + i * i + j * j + k * k)
    if length < 1e-6:
        w, i, j, k, length = 1.0, 0.0, 0.0, 0.0, 1.0
    turns = [math.degrees(angle) for angle in fixed_angles((w / length, i / length, j / length, k / length))]
    return f"position {x!r} {y!r} {z!r}\norientation {turns[0]!r} {turns[1]!r} {turns[2]!r}"


async def _call(sim: "Client", words: Words) -> Words:
    """Send any command to any module: whatever coopsim can, programs of the middleware can."""
    values = words.get("values", [])
    if not isinstance(values, list) or not all(isinstance(value, str | int | float) for value in values):
        raise BadArgument(f"values: expected a list of numbers and texts, got {values!r:.60}")
    answer = await sim.module(_text(words, "target")).call(_text(words, "command"), *values)
    return {"values": plain(answer)}


async def _get_parameter(sim: "Client", words: Words) -> Words:
    return {"value": await sim.module(_text(words, "target")).get_parameter(_text(words, "name"))}


async def _set_parameter(sim: "Client", words: Words) -> Words:
    value = words.get("value")
    if not isinstance(value, str | int | float):
        raise BadArgument(f"value: expected a number or a text, got {value!r:.60}")
    return {"value": await sim.module(_text(words, "target")).set_parameter(_text(words, "name"), value)}


_EMPTY = "std_srvs/Empty"
SERVICES: Mapping[str, OfferedService] = {
    "/gazebo/pause_physics": OfferedService(_EMPTY, "stops time", _pause),
    "/gazebo/unpause_physics": OfferedService(_EMPTY, "lets time go on", _unpause),
    "/gazebo/reset_world": OfferedService(_EMPTY, "poses as the file says; time goes on", _reset_world),
    "/gazebo/reset_simulation": OfferedService(_EMPTY, "everything as the file says, time 0", _reset_simulation),
    "/gazebo/delete_model": OfferedService("gazebo_msgs/DeleteModel", "model_name", _delete),
    "/gazebo/get_world_properties": OfferedService("gazebo_msgs/GetWorldProperties", "gives sim_time", _properties),
    "/gazebo/get_model_state": OfferedService("gazebo_msgs/GetModelState", "model_name; gives pose", _state),
    "/gazebo/set_model_state": OfferedService("gazebo_msgs/SetModelState", "model_state: model_name, pose", _set_state),
    "/coopsim/spawn": OfferedService("coopsim_msgs/Spawn", "section: text as in a file; gives names", _spawn),
    "/coopsim/step": OfferedService("coopsim_msgs/Step", "count; pauses, does so many ticks; gives tick, time", _step),
    "/coopsim/call": OfferedService("coopsim_msgs/Call", "target, command, values; gives values", _call),
    "/coopsim/get_parameter": OfferedService("coopsim_msgs/GetParameter", "target, name; gives value", _get_parameter),
    "/coopsim/set_parameter": OfferedService("coopsim_msgs/SetParameter", "target, name, value", _set_parameter),
}
"""Services by name. Those of `gazebo_msgs` give `success` and `status_message` besides."""


async def answer(sim: "Client", name: str, words: Words) -> Words:
    """Answer a request.

    Raises:
        CoopsimError: There is no such service, or the run refuses; services of `gazebo_msgs` say it in their response.
    """
    service = SERVICES.get(name)
    if service is None:
        raise BadArgument(f"there is no service {name!r:.80}; there are {', '.join(SERVICES)}")
    if not service.type.startswith("gazebo_msgs/"):
        return await service.answer(sim, words)
    try:
        return {**await service.answer(sim, words), "success": True, "status_message": ""}
    except CoopsimError as problem:
        return {"success": False, "status_message": str(problem)}


def plain(answer: Any) -> list[Any]:
    """Return what a command gave as numbers and texts, arrays as lists."""
    if answer is None:
        return []
    values = list(answer) if isinstance(answer, tuple) else [answer]
    return [value.tolist() if hasattr(value, "tolist") else value for value in values]


def _texts(answer: Any) -> list[str]:
    return [answer] if isinstance(answer, str) else [str(name) for name in answer]


def _text(words: Words, field: str) -> str:
    text = words.get(field)
    if not isinstance(text, str) or not text:
        raise BadArgument(f"{field}: expected a text, got {text!r:.60}")
    return text


def arguments(words: Any, names: Sequence[str] = ()) -> Words:
    """Return the arguments of a request by field; a list gives them in order.

    Raises:
        BadArgument: They are neither.
    """
    if isinstance(words, dict):
        return words
    if isinstance(words, list) and len(words) <= len(names):
        return dict(zip(names, words, strict=False))
    if words in (None, []):
        return {}
    raise BadArgument(f"args: expected fields by name, got {words!r:.60}")
