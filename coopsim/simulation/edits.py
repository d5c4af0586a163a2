"""Everything that changes a simulation besides commands: inserted between two ticks, in the order of arrival."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coopsim.devices import Device
from coopsim.engines import BodySpec, PhysicsEngine
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.interfaces import Effect, Parameter, Value
from coopsim.interfaces._interface import width
from coopsim.message import Param
from coopsim.robots import sections, update_entity
from coopsim.scene import RobotPlacement
from coopsim.simulation import tables as table
from coopsim.simulation.population import Entity
from coopsim.simulation.snapshot import checkpoint, restore, snapshot
from coopsim.simulation.stage import Stage

Edit = dict[str, Any]
MOST_SNAPSHOTS = 16


@dataclass(frozen=True, slots=True)
class Done:
    """What an edit answers."""

    params: tuple[Param, ...] = ()
    data: tuple[float, ...] = ()


def apply(stage: Stage, edit: Edit) -> Done:
    """Carry out one edit of entities, devices or parameters.

    Raises:
        CoopsimError: It cannot be done; the simulation is as it was.
    """
    return _EDITS[edit["edit"]](stage, edit)


def is_known(name: str) -> bool:
    """Return whether `apply` knows an edit of this name."""
    return name in _EDITS


def _insert(stage: Stage, edit: Edit) -> Done:
    population, engine = stage.population, stage.engine
    found = sections(edit["text"], population.types, population.names)
    entities: list[Entity] = [*found.objects, *found.targets, *found.robots]
    types_before = dict(population.types)
    population.types.update(found.types)
    added: list[str] = []
    try:
        _check_room(stage, entities)
        population.insert(entities)
        for body in filter(None, map(population.body, entities)):
            engine.add(body)
            added.append(body.name)
    except BaseException:
        for name in added:
            engine.remove(name)
        for entity in entities:
            population.forget(entity)
        population.types = types_before
        raise
    stage.rewire()
    return Done(tuple(entity.name for entity in entities))


def _check_room(stage: Stage, entities: Sequence[Entity]) -> None:
    types = stage.population.types
    width = sum(table.command_width(types[each.type]) for each in entities if isinstance(each, RobotPlacement))
    if stage.layout.command_size + width > stage.command_limit:
        raise BadArgument("there is no room for more robots; start the run with a larger --max-robots")


def _update(stage: Stage, edit: Edit) -> Done:
    population, engine = stage.population, stage.engine
    before = population.find(edit["name"])
    after = update_entity(before, edit["text"])
    if after.name != before.name:
        raise BadArgument("an entity keeps its name; remove it and insert another")
    body, old_body = population.body(after), population.body(before)
    if body is not None and old_body is not None:
        _check_body(engine, body)
        stays = body.pose == old_body.pose and body.mass > 0 and old_body.mass > 0
        planar = engine.planar[list(engine.names).index(before.name)].copy() if stays else None
        engine.remove(before.name)
        engine.add(body)
        if planar is not None:
            engine.set_state(np.array([len(engine.names) - 1]), planar[np.newaxis])
    population.put(after)
    stage.rewire()
    return Done()


def _check_body(engine: PhysicsEngine, body: BodySpec) -> None:
    """See to it that the engine can hold a body, while the one in whose place it comes is untouched."""
    trial = f"{body.name}?"  # no entity has such a name
    try:
        engine.add(replace(body, name=trial))
    except EngineCannot as problem:
        raise EngineCannot(str(problem).replace(trial, body.name)) from None
    engine.remove(trial)


def _remove(stage: Stage, edit: Edit) -> Done:
    population = stage.population
    entity = population.take(edit["name"])
    if population.body(entity) is not None:
        stage.engine.remove(entity.name)
    stage.rewire()
    return Done()


def _reset(stage: Stage, _edit: Edit) -> Done:
    stage.start_over()
    return Done()


def _clock_reset(stage: Stage, _edit: Edit) -> Done:
    stage.start_over()
    stage.time_ns = 0
    stage.agenda.rearm()
    return Done()


def _set_parameter(stage: Stage, edit: Edit) -> Done:
    device, row = _device_of(stage, edit)
    parameter = device.interface.parameter(edit["name"])
    if parameter.fixed:
        raise BadArgument(f"{parameter.name} is fixed by the .robot file and cannot change while running")
    value = parameter.check(_typed(parameter, edit["value"]))
    column = device.parameters[parameter.name]
    before = column[row]
    column[row] = value
    try:
        device.changed(row, parameter.name)
    except BaseException:
        column[row] = before
        device.changed(row, parameter.name)
        raise
    return Done((value,))


def _get_parameter(stage: Stage, edit: Edit) -> Done:
    device, row = _device_of(stage, edit)
    parameter = device.interface.parameter(edit["name"])
    if parameter.fixed:
        block = stage.tables.block_of(edit["robot"])
        assert block is not None  # noqa: S101 - _device_of found it
        settings = next(each.settings for each in block.blueprint.devices if each.name == edit["module"])
        return Done((settings[parameter.name],))
    return Done((parameter.kind(device.parameters[parameter.name][row]),))


def _device(stage: Stage, edit: Edit) -> Done:
    device, row = _device_of(stage, edit)
    command = device.interface.command(edit["command"])
    data: Sequence[float] = edit["data"]
    if command.effect is not Effect.EDIT or len(data) != width(command.takes, device.counts):
        raise BadArgument(f"{command.name} takes {width(command.takes, device.counts)} values, got {len(data)}")
    device.edit(row, command.number, data)
    stage.sense(0.0)
    return Done()


def _note(_stage: Stage, _edit: Edit) -> Done:
    return Done()


def _checkpoint(stage: Stage, _edit: Edit) -> Done:
    checkpoint(stage)
    return Done()


def _snapshot(stage: Stage, edit: Edit) -> Done:
    name, taken = edit["name"], stage.snapshots
    if name not in taken and len(taken) >= MOST_SNAPSHOTS:
        raise BadArgument(f"there are {MOST_SNAPSHOTS} snapshots already: {', '.join(taken)}; overwrite one of them")
    taken[name] = snapshot(stage)
    return Done()


def _restore(stage: Stage, edit: Edit) -> Done:
    saved = stage.snapshots.get(edit["name"])
    if saved is None:
        raise NoSuchName(f"there is no snapshot {edit['name']!r}; taken: {', '.join(stage.snapshots) or 'none'}")
    stage.resets += 1
    restore(stage, saved, keep_time=True)
    return Done()


def _device_of(stage: Stage, edit: Edit) -> tuple[Device, int]:
    block = stage.tables.block_of(edit["robot"])
    if block is None or edit["module"] not in block.devices:
        raise NoSuchName(f"there is no /{edit['robot']}/{edit['module']}")
    return block.devices[edit["module"]], block.row[edit["robot"]]


def _typed(parameter: Parameter, value: Value) -> Value:
    """Return a value from a file, where everything is text, in the parameter's type."""
    if isinstance(value, str) and parameter.kind is not str:
        try:
            return float(value)
        except ValueError:
            raise BadArgument(f"{parameter.name} must be a number, got {value!r}") from None
    return value


_EDITS: dict[str, Callable[[Stage, Edit], Done]] = {
    "insert": _insert,
    "update": _update,
    "remove": _remove,
    "reset": _reset,
    "clock_reset": _clock_reset,
    "set_parameter": _set_parameter,
    "get_parameter": _get_parameter,
    "device": _device,
    "note": _note,
    "checkpoint": _checkpoint,
    "snapshot": _snapshot,
    "restore": _restore,
}
