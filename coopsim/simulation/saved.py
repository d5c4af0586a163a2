"""A snapshot's bytes as what they should be: everything is looked at before anything is changed."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from coopsim.engines.plane.footprints import check_body
from coopsim.errors import BadFile
from coopsim.geometry import Vector3
from coopsim.robots import RobotBlueprint, RunSpec
from coopsim.robots.plain import from_plain
from coopsim.robots.sound import check_areas, check_devices, check_run, check_types
from coopsim.scene import Area, Floor, Joint, Object, RobotPlacement, TargetSpec
from coopsim.simulation.scene import Scene
from coopsim.state.plain import Count, Misfit, check, unpack

FORMAT = "coopsim state 1"
_LONGEST_NS = 10**12  # a step of 1000 s; beyond it times would leave 64 bits soon


class _SavedFailure(TypedDict):
    robots: str
    module: str
    tick: int
    text: str


class Saved(TypedDict):
    """A snapshot as it stands in its bytes, without what `coopsim.robots.plain` makes and without arrays."""

    tick: Count
    time_ns: Count
    step_ns: Annotated[int, 1, _LONGEST_NS]
    seed: int
    engine: str
    resets: Count
    generation: Count
    events_done: Count
    bodies: bytes
    episode_tick: NotRequired[int]
    hash: NotRequired[int]
    failures: NotRequired[list[_SavedFailure]]
    joints: NotRequired[list[list[object]]]
    pushes: NotRequired[list[tuple[str, Vector3, Vector3, Count]]]
    snapshots: NotRequired[dict[str, bytes]]


def unpacked(raw: bytes) -> dict[str, Any]:
    """Return the entries of a snapshot.

    Raises:
        BadFile: It is none.
    """
    try:
        state = unpack(raw)
    except ValueError as problem:
        raise BadFile(f"this is no snapshot: {problem}") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise BadFile(f"this is no snapshot of this version of coopsim; expected one marked {FORMAT!r}")
    try:
        _check(state)
    except ValueError as problem:
        raise BadFile(f"the snapshot cannot be read: {problem}") from None
    return state


def _check(state: dict[str, Any]) -> None:
    check(state, Saved)
    for kind, block in _map(state.get("blocks"), "blocks").items():
        devices = _map(_map(block, kind).get("devices"), f"{kind}.devices")
        for name, device in devices.items():
            for part in ("memory", "parameters"):
                _map(_map(device, name).get(part), f"{kind}.{name}.{part}")


def _map(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Misfit("a map", value, place)
    return value


def scene_of(state: Mapping[str, Any]) -> Scene:
    """Return who is in a snapshot, without the joints that programs made.

    Raises:
        BadFile: It does not say so, or says what cannot be.
        EngineCannot: A body that no engine can hold.
        NoSuchPlugin: A device is not installed.
    """
    floor = _part(state, "floor", Floor)
    objects = _part(state, "objects", tuple[Object, ...])
    targets = _part(state, "targets", tuple[TargetSpec, ...])
    robots = _part(state, "robots", tuple[RobotPlacement, ...])
    types: dict[str, RobotBlueprint] = _part(state, "types", Mapping[str, RobotBlueprint])
    check_types(types, {robot.type for robot in robots})  # before any device is made of what bytes say
    check_devices(types)
    joints = _part(state, "joined", tuple[Joint, ...]) if "joined" in state else ()
    areas = _part(state, "areas", tuple[Area, ...]) if "areas" in state else ()
    check_areas(areas)
    scene = Scene(floor, types=dict(types)).with_entities([*objects, *targets, *robots, *areas])
    # bytes may come from anywhere: bodies are checked as if a file had placed them
    for body in scene.bodies:
        check_body(body, str(state["engine"]))
    return scene.with_joints(joints)


def spec_of(state: Mapping[str, Any]) -> RunSpec | None:
    """Return the scene that was loaded while running, None if the run has the one that it began with.

    Raises:
        BadFile: It is no scene.
    """
    if state.get("loaded") is None:
        return None
    spec: RunSpec = _part(state, "loaded", RunSpec)
    check_run(spec)
    return spec


def _part(state: Mapping[str, Any], name: str, kind: Any) -> Any:
    if name not in state:
        raise BadFile(f"the snapshot holds no {name}")
    value = from_plain(state[name])
    try:
        check(value, kind, name)
    except ValueError as problem:
        raise BadFile(f"the snapshot cannot be read: {problem}") from None
    return value


def member(saved: Mapping[str, Any], name: str) -> Any:
    """Return what a snapshot holds under a name.

    Raises:
        BadFile: It holds nothing there.
    """
    if name not in saved:
        raise BadFile(f"the snapshot holds no {name[:40]!r}; it has {', '.join(map(str, saved))[:80]}")
    return saved[name]


def write(array: NDArray[Any], saved: Any) -> None:
    """Restore a saved array.

    Raises:
        BadFile: It has another type or shape.
    """
    if not isinstance(saved, list) or len(saved) not in (2, 3):
        raise BadFile(f"the snapshot holds no array where this version expects {array.dtype.str} {array.shape}")
    if saved[0] == "text":
        _write_text(array, saved[1])
        return
    kind, shape, raw = saved if len(saved) == 3 else (*saved, b"")
    if kind != array.dtype.str or list(shape if isinstance(shape, list) else ()) != list(array.shape):
        raise BadFile(
            f"the snapshot holds {str(kind)[:20]} {str(shape)[:40]} "
            f"where this version expects {array.dtype.str} {array.shape}"
        )
    if not isinstance(raw, bytes) or len(raw) != array.nbytes:
        raise BadFile(f"the snapshot holds no {array.nbytes} bytes for {array.dtype.str} {array.shape}")
    array[...] = np.frombuffer(raw, cast("str", kind)).reshape(array.shape)


def _write_text(array: NDArray[Any], texts: Any) -> None:
    is_text = isinstance(texts, list) and len(texts) == len(array) and all(isinstance(text, str) for text in texts)
    if array.dtype != object or not is_text:
        raise BadFile(f"the snapshot does not hold {len(array)} texts where this version expects them")
    array[:] = texts
