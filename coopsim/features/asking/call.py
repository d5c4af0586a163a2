"""`coopsim call`."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import completing, talk
from coopsim.app.options import FiniteRange, endpoint_option
from coopsim.suggest import close_words

if TYPE_CHECKING:
    from coopsim.interfaces import Command


@click.command(
    short_help="Send a command to a module.",
    context_settings={"ignore_unknown_options": True},
)
@endpoint_option
@click.option(
    "--timeout", envvar="COOPSIM_TIMEOUT", type=FiniteRange(0.001), help="Time limit for the reply in seconds. [2]"
)
@click.option("--json", "as_json", is_flag=True, help="Print what the command gives as JSON.")
@click.argument("name", shell_complete=completing.modules)
@click.argument("command", shell_complete=completing.commands)
@click.argument("values", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def call(
    context: click.Context,
    name: str,
    command: str,
    values: tuple[str, ...],
    endpoint: str | None,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Send COMMAND, by name or number, to the module NAME, with VALUES in their order or as name=value.

    \b
    coopsim call /robot1/motors set_velocity 0.3 0.1
    coopsim call /robot1/motors 10 w=0.5
    coopsim call /robot1/sonars set_parameter noise 0.05
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.client import connect
    from coopsim.features.asking.words import command_of, parse, shown, taken_by_default

    _refuse_options(context, (name, command, *values))
    with connect(endpoint, timeout=timeout) as simulation:
        module = simulation.module(name)
        spec = command_of(module, command)
        given = parse(spec, values)
        answer = module.call(spec.number, **given)
    for field in taken_by_default(spec, given):
        talk.note(f"{field.name} was left out and is {shown(field, field.default)}")
    if as_json:
        talk.data(json.dumps(plain_answer(spec, answer)))
    else:
        print_answer(spec, answer)


def _refuse_options(context: click.Context, words: Sequence[str]) -> None:
    """Check that no word is an option: numbers may be negative, so that unknown words with a dash come here.

    Raises:
        click.NoSuchOption: One is.
    """
    options = [
        name
        for option_of_command in context.command.get_params(context)
        if isinstance(option_of_command, click.Option)
        for name in option_of_command.opts
    ]
    for word in words:
        if word.startswith("-") and not _is_number(word):
            option = word.partition("=")[0]
            raise click.NoSuchOption(option, possibilities=close_words(option, options, 3), ctx=context)


def _is_number(word: str) -> bool:
    """Return whether a word is a number, infinity and no number included."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def plain_answer(command: "Command", answer: Any) -> dict[str, Any]:
    """Return what a command gave, by field; numbers that JSON does not have are null."""
    values = () if answer is None else answer
    return {field.name: _jsonable(value) for field, value in zip(command.gives, values, strict=answer is not None)}


def _jsonable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str | int | float | None):
        return value
    return [_jsonable(part) for part in value]


def print_answer(command: "Command", answer: Any) -> None:
    """Print what a command gave, a field a line."""
    from coopsim.features.asking.words import shown

    if answer is None:
        talk.data("ok")
        return
    for field, value in zip(command.gives, answer, strict=True):
        talk.data(f"{field.name}: {shown(field, value)}" if len(command.gives) > 1 else shown(field, value))
