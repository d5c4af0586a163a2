"""Entities as `simulation_interfaces` has them: who is there, where, how large; spawned, moved and deleted."""

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from coopsim.errors import BadFile, CoopsimError, NoSuchFile, NoSuchName
from coopsim.features.gateways import messages
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.ros2.results import UNSUPPORTED, RefusedRequest, SimulationService
from coopsim.features.gateways.services import pose_lines
from coopsim.robots import type_names

if TYPE_CHECKING:
    from coopsim.client.aio import Client
    from coopsim.client.scene import SceneView
    from coopsim.state import EntityRow

OBJECT, ROBOT, DYNAMIC, STATIC = 0, 1, 4, 5
_BOX, _SPHERE = 1, 3
_NAME_NOT_UNIQUE, _NAME_INVALID, _UNSUPPORTED_FORMAT, _NO_RESOURCE, _NAMESPACE_INVALID = range(101, 106)
_PARSE_ERROR, _MISSING_ASSETS, _, _INVALID_POSE = range(106, 110)
_INVALID_STATE_POSE: Final = 101
_WORLD_FRAMES: Final = ("", "world")
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,62}")
_LONGEST_FILTER: Final = 128
_MOST_REPEATS: Final = 3
"""Repetitions in a filter: names are short, and so is the search of the worst of them."""


async def entities(sim: "Client", words: Words) -> Words:
    """Return the names of entities that pass the filters."""
    return {"entities": [entity.name for entity in _filtered(await sim.scene(), words.get("filters", {}))]}


async def states(sim: "Client", words: Words) -> Words:
    """Return names and states of entities that pass the filters."""
    passed = _filtered(await sim.scene(), words.get("filters", {}))
    described = [(await _state(sim, entity.name))["state"] for entity in passed]
    return {"entities": [entity.name for entity in passed], "states": described}


async def state(sim: "Client", words: Words) -> Words:
    """Return where an entity is."""
    return await _state(sim, str(words["entity"]))


async def set_state(sim: "Client", words: Words) -> Words:
    """Move an entity."""
    wanted, name = words["state"], str(words["entity"])
    if (words["set_twist"] and _any_number(wanted["twist"])) or words["set_acceleration"]:
        raise RefusedRequest(UNSUPPORTED, "velocities and accelerations follow from forces: only poses can be set")
    await sim.world.call("get", name)
    _check_frame(wanted["header"])
    if words["set_pose"]:
        await sim.world.call("update", name, _lines(wanted["pose"], _INVALID_STATE_POSE))
    return {}


async def info(sim: "Client", words: Words) -> Words:
    """Return what an entity is."""
    entity = await _entity(sim, str(words["entity"]))
    tags = [entity.kind, entity.type]
    about = f"{entity.kind} {entity.type}, {entity.mass:g} kg"
    return {"info": {"category": {"category": _category(entity)}, "description": about, "tags": tags}}


async def bounds(sim: "Client", words: Words) -> Words:
    """Return the box around an entity, in its own frame."""
    entity = await _entity(sim, str(words["entity"]))
    return {"bounds": _box(entity)}


async def delete(sim: "Client", words: Words) -> Words:
    """Delete an entity."""
    await sim.world.call("remove", str(words["entity"]))
    return {}


async def spawnables(sim: "Client", words: Words) -> Words:  # noqa: ARG001 - robots are known without asking
    """Return the robots that can be spawned by name."""
    return {"spawnables": [{"entity_resource": {"uri": name}, "description": f"robot {name}"} for name in type_names()]}


async def spawn(sim: "Client", words: Words) -> Words:
    """Spawn a robot of a type, or whatever a section says."""
    text, resource = "", words["entity_resource"]
    names = {entity.name for entity in (await sim.scene()).entities}
    name = _new_name(words, names)
    if words["entity_namespace"] not in ("", name, f"/{name}"):
        raise RefusedRequest(
            _NAMESPACE_INVALID, "an entity has its interfaces under its name; leave the namespace empty"
        )
    _check_frame(words["initial_pose"]["header"])
    lines = _lines(words["initial_pose"]["pose"], _INVALID_POSE)
    if resource["uri"]:
        kind = str(resource["uri"]).removeprefix("file://")
        text = f"[ROBOT_1]\ntype {kind}\nname {name}\n{lines}"
    elif resource["resource_string"]:
        text = _section(str(resource["resource_string"]), name, lines)
    else:
        raise RefusedRequest(_NO_RESOURCE, "neither uri nor resource_string is given")
    try:
        inserted = await sim.world.call("insert", text)
    except NoSuchFile as problem:
        raise RefusedRequest(_MISSING_ASSETS, str(problem)) from None
    except (BadFile, NoSuchName) as problem:
        raise RefusedRequest(_PARSE_ERROR, str(problem)) from None
    spawned = inserted if isinstance(inserted, str) else next(iter(getattr(inserted, "names", inserted)))
    return {"entity_name": str(spawned)}


def _section(text: str, name: str, lines: str) -> str:
    """Return a section of a file with the name and the pose that a request asks for."""
    head, _, rest = text.strip().partition("\n")
    if not head.startswith("["):
        raise RefusedRequest(_UNSUPPORTED_FORMAT, "resource_string: expected a section of a scenario, as [ROBOT_1]")
    keys = ("name", "position", "orientation")
    kept = [line for line in rest.splitlines() if not line.split() or line.split()[0] not in keys]
    return "\n".join([head, f"name {name}", lines, *kept])


def _new_name(words: Words, names: set[str]) -> str:
    name = str(words["name"])
    if name and not _NAME.fullmatch(name):
        raise RefusedRequest(_NAME_INVALID, f"name: expected a letter, then letters, digits, _ . -; got {name!r:.60}")
    if (not name or name in names) and not words["allow_renaming"]:
        code, why = (_NAME_NOT_UNIQUE, f"there is an entity {name!r} already") if name else (_NAME_INVALID, "no name")
        raise RefusedRequest(code, f"{why}; allow_renaming lets the simulator choose one")
    stem, number = name or "entity", 1
    while not name or name in names:
        name, number = f"{stem}_{number}", number + 1
    return name


def _filtered(scene: "SceneView", filters: Mapping[str, Any]) -> "list[EntityRow]":
    """Return the entities that pass a filter of names, categories, tags and bounds."""
    pattern = _pattern(str(filters.get("filter", "")))
    categories = {wanted["category"] for wanted in filters.get("categories", ())}
    tags = filters.get("tags", {})
    wanted_tags, needs_all = set(tags.get("tags", ())), tags.get("filter_mode") == 1
    limits = filters.get("bounds", {})
    if limits.get("type", 0) not in (0, _SPHERE, _BOX):
        raise RefusedRequest(UNSUPPORTED, "bounds: boxes and spheres are supported")
    if limits.get("type", 0) and len(limits["points"]) != 2:
        raise RefusedRequest(UNSUPPORTED, f"bounds: expected 2 points, got {len(limits['points'])}")
    return [
        entity
        for entity in scene.entities
        if (pattern is None or pattern.fullmatch(entity.name))
        and (not categories or _category(entity) in categories)
        and (not wanted_tags or _matches(wanted_tags, {entity.kind, entity.type}, needs_all=needs_all))
        and _overlaps(entity, limits)
    ]


def _matches(wanted: set[str], tags: set[str], *, needs_all: bool) -> bool:
    return wanted <= tags if needs_all else bool(wanted & tags)


def _pattern(text: str) -> re.Pattern[str] | None:
    """Return a filter of names that takes no longer than names are short.

    Raises:
        RefusedRequest: It is no regular expression, or one whose search could last.
    """
    if not text:
        return None
    repeats = len(re.findall(r"(?<!\\)[*+?{]", text))
    if len(text) > _LONGEST_FILTER or repeats > _MOST_REPEATS or re.search(r"\)[*+{]", text):
        raise RefusedRequest(
            UNSUPPORTED, f"filter: at most {_MOST_REPEATS} repetitions, none of groups, and {_LONGEST_FILTER} letters"
        )
    try:
        return re.compile(text)
    except re.error as problem:
        raise RefusedRequest(UNSUPPORTED, f"filter: {text!r} is no regular expression: {problem}") from None


def _overlaps(entity: "EntityRow", limits: Mapping[str, Any]) -> bool:
    """Return whether a ball around an entity meets the bounds."""
    if not limits.get("type", 0):
        return True
    middle = [entity.pose[0], entity.pose[1], entity.pose[2] + 0.5 * entity.size[2]]
    radius = 0.5 * math.dist((0, 0, 0), entity.size)
    first, second = ([point[axis] for axis in "xyz"] for point in limits["points"])
    if limits["type"] == _SPHERE:
        return bool(math.dist(middle, first) <= radius + second[0])
    nearest = [min(max(value, min(ends)), max(ends)) for value, *ends in zip(middle, first, second, strict=True)]
    return math.dist(middle, nearest) <= radius


def _category(entity: "EntityRow") -> int:
    if entity.kind == "robot":
        return ROBOT
    if entity.kind == "object":
        return DYNAMIC if entity.body >= 0 and entity.mass > 0.0 else STATIC
    return STATIC if entity.kind == "floor" else OBJECT


def _box(entity: "EntityRow") -> Words:
    length, width, height = entity.size
    corners = messages.vector(0.5 * length, 0.5 * width, height), messages.vector(-0.5 * length, -0.5 * width, 0.0)
    return {"type": _BOX, "points": list(corners)}


async def _entity(sim: "Client", name: str) -> "EntityRow":
    for entity in (await sim.scene()).entities:
        if entity.name == name:
            return entity
    raise NoSuchName(f"there is no entity {name!r:.80}")


async def _state(sim: "Client", name: str) -> Words:
    entity, status = await sim.world.call("get", name), await sim.clock.call("status")
    return {"state": {"header": messages.header(status.time, "world"), "pose": messages.pose(entity.pose)}}


def _check_frame(header: Mapping[str, Any]) -> None:
    if header["frame_id"] not in _WORLD_FRAMES:
        raise RefusedRequest(UNSUPPORTED, f"frame_id: poses are in 'world', not in {header['frame_id']!r:.60}")


def _lines(pose: Mapping[str, Any], code: int) -> str:
    try:
        return pose_lines(pose)
    except CoopsimError as problem:
        raise RefusedRequest(code, str(problem)) from None


def _any_number(twist: Mapping[str, Mapping[str, float]]) -> bool:
    return any(value for vector in twist.values() for value in vector.values())


_P: Final = "simulation_interfaces/srv"
ENTITY_SERVICES: Final = (
    SimulationService("/get_entities", f"{_P}/GetEntities", "filters by name, category, tag, box and sphere", entities),
    SimulationService("/get_entities_states", f"{_P}/GetEntitiesStates", "poses in `world`", states),
    SimulationService("/get_entity_state", f"{_P}/GetEntityState", "pose in `world`; no velocities", state),
    SimulationService("/set_entity_state", f"{_P}/SetEntityState", "poses alone", set_state),
    SimulationService("/get_entity_info", f"{_P}/GetEntityInfo", "tags: kind and type", info),
    SimulationService("/get_entity_bounds", f"{_P}/GetEntityBounds", "the box around it", bounds),
    SimulationService("/get_spawnables", f"{_P}/GetSpawnables", "types of robots", spawnables),
    SimulationService(
        "/spawn_entity", f"{_P}/SpawnEntity", "uri: type of a robot; resource_string: section of a scenario", spawn
    ),
    SimulationService("/delete_entity", f"{_P}/DeleteEntity", "", delete),
)
"""Services about who is there."""
