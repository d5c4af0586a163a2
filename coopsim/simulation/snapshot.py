"""The whole state as bytes, and back.

Taking a snapshot only copies. Restoring one builds the engine anew from neutral descriptions in sorted order and
writes the arrays back, so all continuations of one snapshot are the same bit by bit; the run it was taken from may
part from them in the last digits, because an engine remembers contacts that no description holds. A checkpoint
therefore restores the snapshot in the running simulation, too.
"""

from collections.abc import Mapping
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.devices import Device
from coopsim.errors import BadFile
from coopsim.robots.plain import from_plain, to_plain
from coopsim.simulation.population import Population
from coopsim.simulation.stage import Stage
from coopsim.simulation.tables import Block

_FORMAT = "coopsim state 1"
_MOST = 1 << 28
_DESCRIBED = 5


def snapshot(stage: Stage) -> bytes:
    """Return everything that is needed to go on from here."""
    if not stage.described:
        stage.described = _entries(_description(stage.population))
    state = {
        "format": _FORMAT,
        "tick": stage.tick_count,
        "time_ns": stage.time_ns,
        "step_ns": stage.step_ns,
        "seed": stage.seed,
        "engine": stage.engine_name,
        "resets": stage.resets,
        "generation": stage.layout.generation,
        "events_done": stage.agenda.done,
        "bodies": stage.engine.snapshot(),
        "blocks": {block.blueprint.name: _block(block) for block in stage.tables.blocks},
    }
    head = msgpack.Packer().pack_map_header(len(state) + _DESCRIBED)
    return b"".join((head, _entries(state), stage.described))


def _description(population: Population) -> dict[str, Any]:
    """Return what of a snapshot changes only when entities come or go: most of its work."""
    return {
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
    """Go on from a snapshot.

    Args:
        stage: A simulation with the same engine; whatever it holds is forgotten.
        raw: What `snapshot` returned.
        keep_time: Keep tick, time and events of the stage, as a reset does.

    Raises:
        BadFile: `raw` is no snapshot, or of another engine.
        CoopsimError: The engine or a device cannot take it.
    """
    state = _unpack(raw)
    if state["engine"] != stage.engine_name:
        raise BadFile(f"the snapshot was taken with the engine {state['engine']}, this run uses {stage.engine_name}")
    if not keep_time:
        stage.tick_count, stage.time_ns, stage.step_ns = state["tick"], state["time_ns"], state["step_ns"]
        stage.seed, stage.resets = state["seed"], state["resets"]
        stage.agenda.skip(state["events_done"])
    stage.population = Population(
        from_plain(state["floor"]),
        {each.name: each for each in from_plain(state["objects"])},
        {each.name: each for each in from_plain(state["targets"])},
        {each.name: each for each in from_plain(state["robots"])},
        from_plain(state["types"]),
    )
    stage.engine.restore(state["bodies"])
    stage.rewire(carry_over=False)
    for block in stage.tables.blocks:
        _put_block(block, state["blocks"][block.blueprint.name])


def checkpoint(stage: Stage) -> None:
    """Go on as every continuation of a snapshot of this instant will."""
    restore(stage, snapshot(stage))


def _unpack(raw: bytes) -> Mapping[str, Any]:
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


def _put_block(block: Block, state: Mapping[str, Any]) -> None:
    for name, device in block.devices.items():
        saved = state["devices"][name]
        _put(device.parameters, saved["parameters"])
        _put(device.memory, saved["memory"])
        _take_notice(device, len(block.robots))
    _write(block.commands, state["commands"])
    _write(block.readings, state["readings"])


def _take_notice(device: Device, robots: int) -> None:
    for name, column in device.parameters.items():
        rows = range(robots) if column.dtype == object else range(min(robots, 1))
        for row in rows:
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
