"""`coopsim call`."""

from typing import TYPE_CHECKING, Any

import click

from coopsim.app.options import endpoint_option

if TYPE_CHECKING:
    from coopsim.client import Module
    from coopsim.interfaces import Command


# numbers may be negative, so an unknown word with a dash is a value
@click.command(
    short_help="Send a command to a module.",
    context_settings={"ignore_unknown_options": True},
)
@endpoint_option
@click.option("--timeout", type=click.FloatRange(0.001), default=2.0, show_default=True, help="Seconds for the reply.")
@click.argument("name")
@click.argument("command")
@click.argument("values", nargs=-1, type=click.UNPROCESSED)
def call(name: str, command: str, values: tuple[str, ...], endpoint: str | None, timeout: float) -> None:
    """Send COMMAND, by name or number, to the module NAME, with VALUES in their order or as name=value.

    \b
    coopsim call /robot1/motors set_velocity 0.3 0.1
    coopsim call /robot1/motors 10 w=0.5
    coopsim call /robot1/sonars set_parameter noise 0.05
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.app.values import parse
    from coopsim.client import connect

    with connect(endpoint, timeout=timeout) as simulation:
        module = simulation.module(name)
        found = command_of(module, command)
        answer = module.call(found.number, **parse(found, values))
    print_answer(found, answer)


def command_of(module: "Module", name_or_number: str) -> "Command":
    """Return a module's command, those that every module answers included.

    Raises:
        NoSuchCommand: There is none.
    """
    from coopsim.interfaces import COMMON

    key = int(name_or_number) if name_or_number.isdecimal() else name_or_number
    common = next((each for each in COMMON if key in {each.name, each.number}), None)
    return common or module.interface.command(key)


def print_answer(command: "Command", answer: Any) -> None:
    """Print what a command gave, a field a line."""
    from coopsim.app.values import shown

    if answer is None:
        click.echo("ok")
        return
    for field, value in zip(command.gives, answer, strict=True):
        click.echo(f"{field.name}: {shown(field, value)}" if len(command.gives) > 1 else shown(field, value))
