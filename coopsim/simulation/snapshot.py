"""The whole state as bytes, and back.

Taking a snapshot only copies. Restoring one builds the engine anew from neutral descriptions in sorted order and
writes the arrays back, so all continuations of one snapshot are the same bit by bit; the run it was taken from may
part from them in the last digits, because an engine remembers contacts that no description holds. A checkpoint
therefore restores the snapshot in the running simulation, too.
"""

from collections.abc import Container, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.devices import Device
from coopsim.engines import KnowsOlderSnapshots, WorldSpec
from coopsim.errors import BadFile
from coopsim.plugins import blamed
from coopsim.robots import RunSpec, engine_type
from coopsim.robots.plain import to_plain
from coopsim.simulation import saved
from coopsim.simulation.events import Agenda
from coopsim.simulation.hashing import is_exact
from coopsim.simulation.joined import Joined
from coopsim.simulation.pushes import ActivePush
from coopsim.simulation.saved import member
from coopsim.simulation.scene import Scene
from coopsim.simulation.stage import SimulationState
from coopsim.simulation.tables import RobotTables, TypeTable

_DESCRIBED = 8  # entries of `_description`


def snapshot(stage: SimulationState, named: Mapping[str, bytes] | None = None) -> bytes:
    """Return everything that is needed to go on from here.

    Args:
        stage: As it is now.
        named: Snapshots taken earlier that the state shall bring along; None = it says nothing of them.
    """
    described, joints = _described(stage), stage.joints.values()
    state = {
        "format": saved.FORMAT,
        "hash": stage.hash_rule,
        "tick": stage.tick_count,
        "time_ns": stage.time_ns,
        "step_ns": stage.step_ns,
        "seed": stage.seed,
        **({"episode_tick": stage.episode_tick} if stage.episode_tick else {}),
        "engine": stage.engine_name,
        "resets": stage.resets,
        "generation": stage.layout.generation,
        "events_done": stage.agenda.done,
        "bodies": _bodies(stage),
        **({"failures": stage.failures.to_plain()} if any(stage.failures) else {}),
        **({"joints": [joint.to_plain() for joint in joints]} if joints else {}),
        **({"pushes": [tuple(push) for push in stage.pushes]} if stage.pushes else {}),
        "blocks": {block.blueprint.name: _block(block) for block in stage.tables.blocks},
        **({} if named is None else {"snapshots": dict(named)}),
    }
    # one map out of two parts: the described one is packed once and serves all key frames
    head = msgpack.Packer().pack_map_header(len(state) + _DESCRIBED)
    return b"".join((head, _entries(state), described))


def _bodies(stage: SimulationState) -> bytes:
    """Return the snapshot of the engine, as the version wrote it whose rule is followed."""
    engine = stage.engine
    if not is_exact(stage.hash_rule) and isinstance(engine, KnowsOlderSnapshots):
        return engine.older_snapshot()
    return engine.snapshot()


def description(stage: SimulationState) -> bytes:
    """Return who is there, as a map of what `coopsim.robots.plain` makes: floor, objects, robots, types and so on."""
    head: bytes = msgpack.Packer().pack_map_header(_DESCRIBED)
    return head + _described(stage)


def _described(stage: SimulationState) -> bytes:
    """Return what of a snapshot changes only when entities come or go: most of its work."""
    if not stage.described:
        stage.described = _entries(_description(stage))
    return stage.described


def _description(stage: SimulationState) -> dict[str, Any]:
    scene = stage.scene
    return {
        # what was loaded while running; None = what the run began with
        "loaded": None if stage.spec is stage.origin else to_plain(stage.spec),
        "floor": to_plain(scene.floor),
        "objects": to_plain(list(scene.objects.values())),
        "targets": to_plain(list(scene.targets.values())),
        "robots": to_plain(list(scene.robots.values())),
        "types": to_plain(dict(scene.types)),
        "areas": to_plain(list(scene.areas.values())),
        "joined": to_plain(list(scene.of_files().joints.values())),
    }


def _entries(content: Mapping[str, Any]) -> bytes:
    """Return the entries of a map as msgpack, without its header."""
    packer = msgpack.Packer(autoreset=False)
    for name, value in content.items():
        packer.pack(name)
        packer.pack(value)
    packed: bytes = packer.bytes()
    return packed


def restore(stage: SimulationState, raw: bytes, *, keep_time: bool = False) -> None:
    """Go on from a snapshot; named ones that it brings along join those of the stage.

    Args:
        stage: Whatever it holds is forgotten; it goes on with the engine of the snapshot.
        raw: What `snapshot` returned.
        keep_time: Keep tick, time and events of the stage, as a reset does.

    Raises:
        BadFile: `raw` is no snapshot.
        NoSuchPlugin: Its engine is not installed.
        CoopsimError: The engine or a device cannot take it; everything is as it was.
    """
    state = saved.unpacked(raw)
    scene, spec = saved.scene_of(state), saved.spec_of(state)
    with stage.all_or_nothing():
        # an empty one: `restore` fills it from its bytes
        stage.engine, stage.engine_name = engine_type(state["engine"])(WorldSpec(())), state["engine"]
        if not keep_time:
            stage.tick_count, stage.time_ns, stage.step_ns = state["tick"], state["time_ns"], state["step_ns"]
            stage.seed, stage.resets = state["seed"], state["resets"]
            stage.snapshots = {**stage.snapshots, **state.get("snapshots", {})}
            stage.episode_tick, stage.hash_rule = state.get("episode_tick", 0), state.get("hash", 1)
        _put_spec(stage, spec or stage.origin, state["events_done"], keep_time=keep_time)
        stage.failures.put(state.get("failures", ()))
        stage.pushes = tuple(map(ActivePush.from_plain, state.get("pushes", ())))
        stage.engine.restore(state["bodies"])
        stage.joints = {joint.spec.name: joint for joint in map(Joined.from_plain, state.get("joints", ()))}
        stage.scene = _with_held_joints(scene, stage.joints, stage.engine.joints)
        _check_bodies(stage)
        blocks = state["blocks"]
        # devices are told of their parameters before they know who is there: some name a robot that is gone
        stage.rewire(carry_over=False, prepare=partial(_put_parameters, blocks))
        for block in stage.tables.blocks:
            _put_block(block, member(blocks, block.blueprint.name))


def _with_held_joints(scene: Scene, joints: Mapping[str, Joined], held: Container[str]) -> Scene:
    """Return a scene with those of its joints that an engine holds, and with those that programs made."""
    inner = {*scene.joint_names} - {*scene.joints}
    of_files = [joint for name, joint in scene.joints.items() if name in joints and name in held]
    blocks_restored = [
        joint.spec for name, joint in joints.items() if name in held and name not in inner and name not in scene.joints
    ]
    return replace(scene, joints={}).with_joints([*of_files, *blocks_restored])


def _check_bodies(stage: SimulationState) -> None:
    """See to it that everybody who moves has its body."""
    moving = {body.name for body in stage.scene.bodies if body.mass > 0.0}
    missing = moving - set(stage.engine.names)
    if missing:
        raise BadFile(f"the snapshot holds no body of {min(missing)[:40]!r}")


def _put_spec(stage: SimulationState, spec: RunSpec, events_done: int, *, keep_time: bool) -> None:
    """Put back what a reset goes back to, and the events; those of another scene count as done up to now."""
    if spec != stage.spec:
        stage.spec, stage.agenda = spec, Agenda(spec.scenario.events)
        stage.agenda.due(stage.time_ns)
    if not keep_time:
        stage.agenda.skip(events_done)


def checkpoint(stage: SimulationState) -> None:
    """Go on as every continuation of a snapshot of this instant will."""
    raw, before = snapshot(stage), (stage.scene, stage.spec is stage.origin, stage.described)
    restore(stage, raw)
    if (stage.scene, stage.spec is stage.origin) == before[:2]:
        stage.described = before[2]  # to describe ten thousand robots again takes a second


def _block(block: TypeTable) -> dict[str, Any]:
    return {
        "commands": _array(block.commands),
        "readings": _array(block.readings),
        "devices": {
            name: {
                "memory": {key: _array(value) for key, value in sorted(device.memory.items())},
                "parameters": {key: _array(value) for key, value in sorted(device.parameters.items())},
            }
            for name, device in block.devices.items()
        },
    }


def _put_parameters(blocks: Mapping[str, Any], tables: RobotTables) -> None:
    for block in tables.blocks:
        for name, device in block.devices.items():
            parameters = member(member(blocks, block.blueprint.name)["devices"], name)["parameters"]
            # a parameter that came with a later version keeps its default, which is what was done before
            _put({key: column for key, column in device.parameters.items() if key in parameters}, parameters)
            _notify(device, len(block.robots))


def _put_block(block: TypeTable, state: Mapping[str, Any]) -> None:
    for name, device in block.devices.items():
        _put(device.memory, member(state["devices"], name)["memory"])
    saved.write(block.commands, member(state, "commands"))
    saved.write(block.readings, member(state, "readings"))


def _notify(device: Device, robots: int) -> None:
    for name, column in device.parameters.items():
        rows = range(robots) if column.dtype == object else range(min(robots, 1))
        for row in rows:
            with blamed(f"device {type(device).__name__}"):
                device.changed(row, name)


def _put(arrays: Mapping[str, NDArray[Any]], saved_arrays: Mapping[str, Any]) -> None:
    for key, array in arrays.items():
        saved.write(array, member(saved_arrays, key))


def _array(array: NDArray[Any]) -> list[Any]:
    if array.dtype == object:
        return ["text", array.tolist()]
    return [array.dtype.str, list(array.shape), np.ascontiguousarray(array).tobytes()]
