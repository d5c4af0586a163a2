"""`coopsim watch`."""

import json
import time
from collections.abc import Callable, Sequence
from itertools import count as counting
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import completing, talk
from coopsim.app.options import endpoint_option
from coopsim.features.asking.call import plain_answer
from coopsim.features.asking.replayed import report_replay

if TYPE_CHECKING:
    from coopsim.client import Client, Module
    from coopsim.interfaces import Command, Field

_LONG = 1.0  # s; a simulation that begins together with the command needs less
_Writing = Callable[[int, Sequence[Any], Sequence[Any]], str]


@click.command(short_help="Print the readings of a module.")
@click.argument("name", shell_complete=completing.modules)
@click.argument("command", required=False, shell_complete=completing.commands)
@endpoint_option
@click.option("--count", type=click.IntRange(1), help="Number of lines after which it stops.")
@click.option(
    "--rate",
    type=click.FloatRange(0.01, 1000.0),
    default=10.0,
    show_default=True,
    help="Largest number of lines a second.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line: the tick, then what commands give.")
def watch(
    name: str, command: str | None, endpoint: str | None, count: int | None, rate: float, *, as_json: bool
) -> None:
    """Print the readings of the module NAME until Ctrl-C: all of them, or what COMMAND gives.

    A line appears when the simulation has gone on: tick, then the values.
    """
    from coopsim.client import connect
    from coopsim.features.asking.words import command_of

    with connect(endpoint) as simulation:
        module = simulation.module(name)
        report_replay(simulation, "readings")
        commands = [command_of(module, command)] if command else _readings(module)
        last, write = -1, json_line if as_json else line
        for _ in counting() if count is None else range(count):
            last = _next(simulation, module, commands, last, 1.0 / rate, write)


def _readings(module: "Module") -> "list[Command]":
    from coopsim.errors import NoSuchCommand
    from coopsim.interfaces import Effect

    plain = [
        command
        for command in module.interface.commands
        if command.gives and not any(_is_due(field) for field in command.takes)
    ]
    commands = [command for command in plain if command.effect is Effect.READ] or plain[:1]
    if not commands:
        raise NoSuchCommand(f"{module.target} has no readings; `coopsim describe {module.target}` shows what it has")
    return commands


def _is_due(field: object) -> bool:
    return getattr(field, "default", None) is None and getattr(field, "count", 1) != 0


def _next(
    simulation: "Client", module: "Module", commands: "list[Command]", last: int, interval: float, write: _Writing
) -> int:
    """Print the readings of the next tick after `last` as `write` says, and return that tick."""
    waiting_since, has_told = time.monotonic(), False
    while True:
        began = time.monotonic()
        readings = [module.call(command.number) for command in commands]
        tick = next((reading.tick for reading in readings if reading is not None), 0)
        if tick != last:
            talk.data(write(tick, commands, readings))
        elif not has_told and began - waiting_since > _LONG:
            has_told = True
            _report_wait(simulation, tick)
        time.sleep(max(0.0, interval - (time.monotonic() - began)))
        if tick != last:
            return tick


def json_line(tick: float, commands: "Sequence[Command]", readings: "Sequence[Any]") -> str:
    """Return the readings of one tick as a JSON object: `tick`, then by name what each command gives, by field."""
    given = {command.name: plain_answer(command, reading) for command, reading in zip(commands, readings, strict=True)}
    return json.dumps({"tick": int(tick), **given})


def line(tick: float, commands: "Sequence[Command]", readings: "Sequence[Any]") -> str:
    """Return the readings of one tick in a line; numbers stand below those of the line before."""
    words = [
        f"{field.name} {_shown(field, value)}"
        for command, reading in zip(commands, readings, strict=True)
        for field, value in zip(command.gives, reading or (), strict=True)
    ]
    return f"{tick:8.0f}  {'  '.join(words)}"


def _shown(field: "Field", value: Any) -> str:
    from coopsim.features.asking.words import shown

    if isinstance(value, str) or field.place != "data":
        return shown(field, value)
    numbers = list(value) if hasattr(value, "__len__") else [value]
    unit = "" if field.unit == "1" else f" {field.unit}"
    return " ".join(map(_number, numbers)) + unit


def _number(value: float) -> str:
    """Return millimetres and milliradians, no less; what is very large keeps its size."""
    return f"{round(value, 3) + 0.0:8.3f}" if abs(value) < 1e4 else f"{value:8.4g}"


def _report_wait(simulation: "Client", tick: int) -> None:
    """Say why nothing new comes: the simulation is paused, or waits."""
    from coopsim.app.terminal import awaited

    clock = simulation.clock.status()
    waits = json.loads(clock.awaited)
    reason = (
        "is paused" if clock.paused else f"is {awaited(waits, clock.patience, clock.policy)}" if waits else "stands"
    )
    talk.note(f"nothing new since tick {tick}: the simulation {reason}")
