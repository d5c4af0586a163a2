"""`coopsim watch`."""

import time
from itertools import count as counting
from typing import TYPE_CHECKING

import click

from coopsim.app import talk
from coopsim.app.options import endpoint_option

if TYPE_CHECKING:
    from coopsim.client import Module
    from coopsim.interfaces import Command


@click.command(short_help="Print the readings of a module.")
@click.argument("name")
@click.argument("command", required=False)
@endpoint_option
@click.option("--count", type=click.IntRange(1), help="Stop after so many readings.")
@click.option("--rate", type=click.FloatRange(0.01, 1000.0), default=10.0, show_default=True, help="Readings a second.")
def watch(name: str, command: str | None, endpoint: str | None, count: int | None, rate: float) -> None:
    """Print the readings of the module NAME until Ctrl-C: all of them, or what COMMAND gives.

    A line appears when the simulation has gone on: tick, then the values.
    """
    from coopsim.app.call import command_of
    from coopsim.client import connect

    with connect(endpoint) as simulation:
        module = simulation.module(name)
        commands = [command_of(module, command)] if command else _readings(module)
        last = -1
        for _ in counting() if count is None else range(count):
            last = _next(module, commands, last, 1.0 / rate)


def _readings(module: "Module") -> "list[Command]":
    from coopsim.errors import NoSuchCommand
    from coopsim.interfaces import Effect

    plain = [each for each in module.interface.commands if each.gives and not any(_is_due(it) for it in each.takes)]
    found = [each for each in plain if each.effect is Effect.READ] or plain[:1]
    if not found:
        raise NoSuchCommand(f"{module.target} has no readings; `coopsim describe {module.target}` shows what it has")
    return found


def _is_due(field: object) -> bool:
    return getattr(field, "default", None) is None and getattr(field, "count", 1) != 0


def _next(module: "Module", commands: "list[Command]", last: int, interval: float) -> int:
    """Print the readings of the next tick after `last` and return that tick."""
    from coopsim.app.values import shown

    while True:
        began = time.monotonic()
        readings = [module.call(each.number) for each in commands]
        tick = next((reading.tick for reading in readings if reading is not None), 0)
        if tick != last:
            words = [
                f"{field.name} {shown(field, value)}"
                for command, reading in zip(commands, readings, strict=True)
                for field, value in zip(command.gives, reading or (), strict=True)
            ]
            talk.data(f"{tick:8.0f}  {'  '.join(words)}")
        time.sleep(max(0.0, interval - (time.monotonic() - began)))
        if tick != last:
            return tick
