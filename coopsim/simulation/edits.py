"""Edits of a simulation besides commands: inserted between two ticks, in the order of arrival."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from coopsim.devices import Device
from coopsim.errors import BadArgument, BadFile, CoopsimError, EngineCannot, NoSuchName, NotInThisMode
from coopsim.interfaces import Effect, Parameter, Value, width
from coopsim.interfaces.simulation import RESETS
from coopsim.plugins import blamed
from coopsim.robots import RunSpec, command_width, complete_settings
from coopsim.robots.plain import from_plain
from coopsim.simulation.pushes import ActivePush, with_push
from coopsim.simulation.scene_edits import inserted, joined, parted, removed, updated
from coopsim.simulation.snapshot import checkpoint, description, restore, snapshot
from coopsim.simulation.stage import SimulationState
from coopsim.state.edits import (
    EDITS,
    Checkpoint,
    ClockReset,
    Describe,
    DeviceCommand,
    EditResult,
    GetParameter,
    Insert,
    Join,
    Load,
    Note,
    OfferModule,
    Part,
    PublishEvents,
    Push,
    ReadModule,
    Remove,
    Reset,
    Restore,
    SceneEdit,
    SetEngine,
    SetParameter,
    SetStep,
    TakeSnapshot,
    TuneModule,
    Update,
    WithdrawModule,
    WriteModule,
)

MOST_SNAPSHOTS = 16  # each recording holds them all

_CarryOut: TypeAlias = Callable[[SimulationState, Any], EditResult]
_CARRY_OUT: dict[type[SceneEdit], _CarryOut] = {}


def register(kind: type[SceneEdit], carry_out: _CarryOut) -> None:
    """Make an edit known to everybody who reads or writes one, and say how it is carried out.

    Args:
        kind: A frozen dataclass.
        carry_out: Called with the simulation and the edit.
    """
    EDITS.register(kind)
    _CARRY_OUT[kind] = carry_out


def apply(stage: SimulationState, edit: SceneEdit) -> EditResult:
    """Carry out one edit of entities, devices or parameters.

    Raises:
        CoopsimError: It cannot be done; the simulation is as it was.
        PluginFailed: An engine or a device raised what is no error of ours; the simulation is as it was, too.
    """
    with blamed(f"engine {stage.engine_name}"):  # whatever it raises, one edit ends no run
        return _CARRY_OUT[type(edit)](stage, edit)


def _insert(stage: SimulationState, edit: Insert) -> EditResult:
    changes = stage.change(inserted(stage.scene, edit))
    return EditResult(tuple(entity.name for entity in (*changes.added, *changes.joined)))


def _update(stage: SimulationState, edit: Update) -> EditResult:
    after = updated(stage.scene, edit)
    # of a team the members and the bar
    placed = {name for name in after.names if edit.places and (name == edit.name or name.startswith(f"{edit.name}/"))}
    stage.change(after, placed)
    return EditResult()


def _remove(stage: SimulationState, edit: Remove) -> EditResult:
    stage.change(removed(stage.scene, edit))
    return EditResult()


def _join(stage: SimulationState, edit: Join) -> EditResult:
    stage.change(joined(stage.scene, edit))
    return EditResult()


def _part(stage: SimulationState, edit: Part) -> EditResult:
    stage.change(parted(stage.scene, edit))
    return EditResult()


def _push(stage: SimulationState, edit: Push) -> EditResult:
    if "dynamics" not in stage.engine.abilities:
        raise EngineCannot(
            f"the {stage.engine_name} engine knows no forces, so it cannot push; choose another, such as pymunk"
        )
    if edit.name not in stage.engine.names:
        if any(body.name == edit.name for body in stage.scene.bodies):
            raise BadArgument(f"{edit.name} is fixed: no force moves it").bring(edit.name)
        raise NoSuchName(f"there is no body {edit.name[:80]!r}").bring(edit.name)
    push = ActivePush(edit.name, edit.force, edit.point, round(edit.seconds * 1e9))
    stage.pushes = with_push(stage.pushes, push)
    return EditResult()


def _load(stage: SimulationState, edit: Load) -> EditResult:
    spec = from_plain(edit.spec)
    if not isinstance(spec, RunSpec):
        raise BadFile(f"expected a run to load, got {type(spec).__name__}")
    # before anything is built: the ring of commands has the size that the run began with
    width = sum(command_width(spec.types[robot.type]) for robot in spec.scenario.robots)
    if width > stage.command_limit:
        raise BadArgument("there is no room for the robots; start the run with a larger --max-robots")
    stage.load(spec)
    return EditResult((edit.file,))


def _set_engine(stage: SimulationState, edit: SetEngine) -> EditResult:
    name = edit.engine
    if name != stage.engine_name:
        stage.exchange(name)
    return EditResult((stage.engine_name,))


def _describe(stage: SimulationState, _edit: Describe) -> EditResult:
    return EditResult(content=description(stage))


def _reset(stage: SimulationState, edit: Reset) -> EditResult:
    if edit.what not in RESETS:
        raise BadArgument(f"a reset puts back {' or '.join(RESETS)}, got {edit.what!r}")
    put_back = stage.put_back_poses if edit.what == "poses" else stage.start_over
    put_back(seed=_seed(edit))
    return EditResult()


def _seed(edit: Reset | ClockReset) -> int | None:
    """Return the seed that a reset gives the noise, None = it goes on as it was."""
    seed = edit.seed
    if seed is not None and not (isinstance(seed, int) and 0 <= seed < 1 << 63):
        raise BadArgument(f"seed must be a whole number within 0 and {(1 << 63) - 1}, got {seed!r}")
    return seed


def _clock_reset(stage: SimulationState, edit: ClockReset) -> EditResult:
    stage.start_over(seed=_seed(edit))
    stage.time_ns = 0
    stage.agenda.rearm()  # time begins anew, and with it all that is timed
    return EditResult()


def _set_parameter(stage: SimulationState, edit: SetParameter) -> EditResult:
    device, row = _device_of(stage, edit)
    parameter = device.interface.parameter(edit.name)
    if parameter.fixed:
        raise BadArgument(f"{parameter.name} is fixed by the .robot file and cannot change while running")
    value = parameter.check(_typed(parameter, edit.value))
    column = device.parameters[parameter.name]
    before = column[row]
    column[row] = value
    try:
        with blamed(f"device {type(device).__name__}"):
            device.changed(row, parameter.name)
    except CoopsimError:
        column[row] = before
        # it may name a robot that has gone meanwhile: what is told is why the new value is refused
        with suppress(CoopsimError), blamed(f"device {type(device).__name__}"):
            device.changed(row, parameter.name)
        raise
    return EditResult((value,))


def _get_parameter(stage: SimulationState, edit: GetParameter) -> EditResult:
    device, row = _device_of(stage, edit)
    parameter = device.interface.parameter(edit.name)
    # devices keep no column of what cannot change
    if parameter.fixed:
        block = stage.tables.block_of(edit.robot)
        assert block is not None  # noqa: S101 - _device_of found it
        blueprint = next(device for device in block.blueprint.devices if device.name == edit.module)
        return EditResult((complete_settings(blueprint)[parameter.name],))
    return EditResult((parameter.kind(device.parameters[parameter.name][row]),))


def _device(stage: SimulationState, edit: DeviceCommand) -> EditResult:
    device, row = _device_of(stage, edit)
    command = device.interface.command(edit.command)
    data = edit.data
    if command.effect is not Effect.EDIT or len(data) != width(command.takes, device.counts):
        raise BadArgument(f"{command.name} takes {width(command.takes, device.counts)} values, got {len(data)}")
    with blamed(f"device {type(device).__name__}"):
        device.edit(row, command.number, data)
    # clients read the effect before the next tick
    stage.sense(0.0)
    return EditResult()


def _set_step(stage: SimulationState, edit: SetStep) -> EditResult:
    stage.set_step(edit.step)
    return EditResult()


def _nothing(_stage: SimulationState, _edit: SceneEdit) -> EditResult:
    return EditResult()


def _of_recording(_stage: SimulationState, edit: ReadModule) -> EditResult:
    raise NotInThisMode(f"{edit.module} answers from its program: this is a live run, no playback").bring("live")


def _checkpoint(stage: SimulationState, _edit: Checkpoint) -> EditResult:
    checkpoint(stage)
    return EditResult()


def _snapshot(stage: SimulationState, edit: TakeSnapshot) -> EditResult:
    name, taken = edit.name, stage.snapshots
    if name not in taken and len(taken) >= MOST_SNAPSHOTS:
        raise BadArgument(f"there are {MOST_SNAPSHOTS} snapshots already: {', '.join(taken)}; overwrite one of them")
    taken[name] = snapshot(stage)
    return EditResult()


def _restore(stage: SimulationState, edit: Restore) -> EditResult:
    saved = stage.snapshots.get(edit.name)
    if saved is None:
        taken = ", ".join(stage.snapshots) or "none"
        raise NoSuchName(f"there is no snapshot {edit.name!r}; taken: {taken}").bring(edit.name)
    with stage.all_or_nothing():
        stage.resets += 1  # clients see by it that states may have gone back although time goes on
        restore(stage, saved, keep_time=True)
    return EditResult()


def _device_of(stage: SimulationState, edit: SetParameter | GetParameter | DeviceCommand) -> tuple[Device, int]:
    block = stage.tables.block_of(edit.robot)
    if block is None or edit.module not in block.devices:
        name = f"/{edit.robot}/{edit.module}"
        raise NoSuchName(f"there is no {name}").bring(name)
    return block.devices[edit.module], block.row[edit.robot]


def _typed(parameter: Parameter, value: Value) -> Value:
    """Return a value from a file, where everything is text, in the parameter's type."""
    if isinstance(value, str) and parameter.kind is not str:
        try:
            return float(value)  # numbers of both kinds: `check` refuses a fraction where a whole one is due
        except ValueError:
            raise BadArgument(f"{parameter.name} must be a number, got {value!r}") from None
    return value


_KINDS: tuple[tuple[type[SceneEdit], _CarryOut], ...] = (
    (Insert, _insert),
    (Update, _update),
    (Remove, _remove),
    (Join, _join),
    (Part, _part),
    (Push, _push),
    (Load, _load),
    (SetEngine, _set_engine),
    (Describe, _describe),
    (Reset, _reset),
    (ClockReset, _clock_reset),
    (SetParameter, _set_parameter),
    (GetParameter, _get_parameter),
    (DeviceCommand, _device),
    (Note, _nothing),
    (OfferModule, _nothing),
    (WithdrawModule, _nothing),
    (WriteModule, _nothing),
    (TuneModule, _nothing),
    (PublishEvents, _nothing),
    (ReadModule, _of_recording),
    (Checkpoint, _checkpoint),
    (TakeSnapshot, _snapshot),
    (Restore, _restore),
    (SetStep, _set_step),
)
for _kind, _carry_out in _KINDS:
    register(_kind, _carry_out)
