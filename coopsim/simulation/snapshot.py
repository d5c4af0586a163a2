"""The whole state as bytes, and back.

Taking a snapshot only copies. Restoring one builds the engine anew from neutral descriptions in sorted order and
writes the arrays back, so all continuations of one snapshot are the same bit by bit; the run it was taken from may
part from them in the last digits, because an engine remembers contacts that no description holds. A checkpoint
therefore restores the snapshot in the running simulation, too.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.devices import Device
from coopsim.engines import WorldSpec
from coopsim.errors import BadFile
from coopsim.plugins import blamed
from coopsim.robots import engine_type
from coopsim.robots.plain import from_plain, to_plain
from coopsim.simulation.events import Agenda
from coopsim.simulation.joined import Joined
from coopsim.simulation.population import Population
from coopsim.simulation.stage import Stage
from coopsim.simulation.tables import Block, Tables

_FORMAT = "coopsim state 1"
_MOST = 1 << 28
_DESCRIBED = 6


def snapshot(stage: Stage, named: Mapping[str, bytes] | None = None) -> bytes:
    """Return everything that is needed to go on from here.

    Args:
        stage: As it is now.
        named: Snapshots taken earlier that the state shall bring along; None = it says nothing of them.
    """
    described, joints = _described(stage), stage.population.joints.values()
    state = {
        "format": _FORMAT,
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
        "bodies": stage.engine.snapshot(),
        **({"failures": stage.failures.to_plain()} if any(stage.failures) else {}),
        **({"joints": [it.to_plain() for it in joints]} if joints else {}),
        "blocks": {block.blueprint.name: _block(block) for block in stage.tables.blocks},
        **({} if named is None else {"snapshots": dict(named)}),
    }
    head = msgpack.Packer().pack_map_header(len(state) + _DESCRIBED)
    return b"".join((head, _entries(state), described))


def description(stage: Stage) -> bytes:
    """Return who is there, as a map of what `coopsim.robots.plain` makes: floor, objects, targets, robots, types."""
    head: bytes = msgpack.Packer().pack_map_header(_DESCRIBED)
    return head + _described(stage)


def _described(stage: Stage) -> bytes:
    """Return what of a snapshot changes only when entities come or go: most of its work."""
    if not stage.described:
        stage.described = _entries(_description(stage))
    return stage.described


def _description(stage: Stage) -> dict[str, Any]:
    population = stage.population
    return {
        # what was loaded while running; None = what the run began with
        "loaded": None if stage.spec is stage.origin else to_plain(stage.spec),
        "floor": to_plain(population.floor),
        "objects": to_plain(list(population.objects.values())),
        "targets": to_plain(list(population.targets.values())),
        "robots": to_plain(list(population.robots.values())),
        "types": to_plain(population.types),
    }


def _entries(content: Mapping[str, Any]) -> bytes:
    """Return the entries of a map as msgpack, without its header."""
    packer = msgpack.Packer(autoreset=False)
    for name, value in content.items():
        packer.pack(name)
        packer.pack(value)
    packed: bytes = packer.bytes()
    return packed


def restore(stage: Stage, raw: bytes, *, keep_time: bool = False) -> None:
    """Go on from a snapshot; named ones that it brings along join those of the stage.

    Args:
        stage: Whatever it holds is forgotten; it goes on with the engine of the snapshot.
        raw: What `snapshot` returned.
        keep_time: Keep tick, time and events of the stage, as a reset does.

    Raises:
        BadFile: `raw` is no snapshot.
        NoSuchPlugin: Its engine is not installed.
        CoopsimError: The engine or a device cannot take it.
    """
    state = unpacked(raw)
    if state["engine"] != stage.engine_name:
        stage.engine = engine_type(state["engine"])(WorldSpec(()))
        stage.engine_name = state["engine"]
    if not keep_time:
        stage.tick_count, stage.time_ns, stage.step_ns = state["tick"], state["time_ns"], state["step_ns"]
        stage.seed, stage.resets = state["seed"], state["resets"]
        stage.snapshots.update(state.get("snapshots", {}))
        stage.episode_tick, stage.hash_rule = state.get("episode_tick", 0), state.get("hash", 1)
    _put_spec(stage, state, keep_time=keep_time)
    stage.population = Population(
        from_plain(state["floor"]),
        {each.name: each for each in from_plain(state["objects"])},
        {each.name: each for each in from_plain(state["targets"])},
        {each.name: each for each in from_plain(state["robots"])},
        from_plain(state["types"]),
        {it.spec.name: it for it in map(Joined.from_plain, state.get("joints", ()))},
    )
    stage.failures.put(state.get("failures", ()))
    stage.engine.restore(state["bodies"])
    blocks = state["blocks"]
    # devices are told of their parameters before they know who is there: some name a robot that is gone
    stage.rewire(carry_over=False, prepare=partial(_put_parameters, blocks))
    for block in stage.tables.blocks:
        _put_block(block, blocks[block.blueprint.name])


def _put_spec(stage: Stage, state: Mapping[str, Any], *, keep_time: bool) -> None:
    """Put back what a reset goes back to, and the events; those of another scene count as done up to now."""
    loaded = state.get("loaded")
    spec = stage.origin if loaded is None else from_plain(loaded)
    if spec != stage.spec:
        stage.spec, stage.agenda = spec, Agenda(spec.scenario.events)
        stage.agenda.due(stage.time_ns)
    if not keep_time:
        stage.agenda.skip(state["events_done"])


def checkpoint(stage: Stage) -> None:
    """Go on as every continuation of a snapshot of this instant will."""
    restore(stage, snapshot(stage))


def unpacked(raw: bytes) -> dict[str, Any]:
    """Return the entries of a snapshot.

    Raises:
        BadFile: It is none.
    """
    try:
        state = msgpack.unpackb(raw, max_bin_len=_MOST, max_array_len=_MOST, max_map_len=_MOST)
    except Exception as problem:  # msgpack raises six unrelated kinds; all mean the same here
        raise BadFile(f"this is no snapshot: {type(problem).__name__}: {problem}") from None
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise BadFile(f"this is no snapshot of this version of coopsim; expected one marked {_FORMAT!r}")
    return state


def _block(block: Block) -> dict[str, Any]:
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


def _put_parameters(blocks: Mapping[str, Any], tables: Tables) -> None:
    for block in tables.blocks:
        for name, device in block.devices.items():
            saved = blocks[block.blueprint.name]["devices"][name]["parameters"]
            # a parameter that came with a later version keeps its default, which is what was done before
            _put({key: column for key, column in device.parameters.items() if key in saved}, saved)
            _take_notice(device, len(block.robots))


def _put_block(block: Block, state: Mapping[str, Any]) -> None:
    for name, device in block.devices.items():
        _put(device.memory, state["devices"][name]["memory"])
    _write(block.commands, state["commands"])
    _write(block.readings, state["readings"])


def _take_notice(device: Device, robots: int) -> None:
    for name, column in device.parameters.items():
        rows = range(robots) if column.dtype == object else range(min(robots, 1))
        for row in rows:
            with blamed(f"device {type(device).__name__}"):
                device.changed(row, name)


def _put(arrays: Mapping[str, NDArray[Any]], saved: Mapping[str, Any]) -> None:
    for key, array in arrays.items():
        _write(array, saved[key])


def _array(array: NDArray[Any]) -> list[Any]:
    if array.dtype == object:
        return ["text", array.tolist()]
    return [array.dtype.str, list(array.shape), np.ascontiguousarray(array).tobytes()]


def _write(array: NDArray[Any], saved: list[Any]) -> None:
    if saved[0] == "text":
        array[:] = saved[1]
        return
    kind, shape, raw = saved
    if tuple(shape) != array.shape or kind != array.dtype.str:
        raise BadFile(f"the snapshot holds {kind} {shape} where this version expects {array.dtype.str} {array.shape}")
    array[...] = np.frombuffer(raw, kind).reshape(shape)
