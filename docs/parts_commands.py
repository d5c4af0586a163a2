"""Generated parts about the program: what each command takes, and which rooms of the package are for others."""

import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path

import click
from rooms import ROOMS

from coopsim.app.main import cli

ROOT = Path(__file__).parents[1]


def commands(_: str) -> str:
    """Return a section for each command of `coopsim`, and for each command of a command."""
    return "\n\n".join(_section(words, command) for words, command in _all(cli, ("coopsim",)))


def rooms(_: str) -> str:
    """Return a table of the modules that others may use, each with a link to its source."""
    lines = ["| module | what it is |", "|---|---|"]
    lines += [f"| [`{room}`](../../{_source(room)}) | {summary} |" for room, summary in ROOMS.items()]
    return "\n".join(lines)


def _all(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _all(command, (*words, name))
        elif command is not None:
            yield (*words, name), command


def _section(words: tuple[str, ...], command: click.Command) -> str:
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    usage = " ".join([*words, *map(_argument, arguments)])
    # a backslash-b is click's mark for lines that must not be wrapped
    about = inspect.cleandoc(command.help or "").replace("\b\n", "")
    rows = [_option(param) for param in command.params if isinstance(param, click.Option) and not _is_common(param)]
    table = ["", "| option | meaning |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## {' '.join(words)}", "", "```text", usage, "", about, "```", *table])


def _is_common(option: click.Option) -> bool:
    """Return whether the page names an option once, for all commands."""
    return option.hidden or option.name in {"quiet", "verbose"}


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or argument.human_readable_name.upper()
    name = name.rstrip(".") + ("..." if argument.nargs != 1 else "")
    return name if argument.required else f"[{name}]"


def _option(option: click.Option) -> str:
    default = option.default
    shown = isinstance(default, int | float | str) and not isinstance(default, bool) and bool(str(default))
    meaning = (option.help or "") + (f" [{default}]" if shown else "")
    value = "" if option.is_flag else f" {_value(option)}"
    cells = (f"`{', '.join(option.opts)}{value}`", meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _value(option: click.Option) -> str:
    kind = option.type
    if option.metavar:
        return option.metavar
    if isinstance(kind, click.Choice):
        return "/".join(str(choice) for choice in kind.choices)
    if isinstance(kind, click.Path):
        return "PATH"
    return "N" if isinstance(kind, click.types.IntParamType) else "X" if "float" in kind.name else kind.name.upper()


def _source(room: str) -> str:
    spec = importlib.util.find_spec(room)
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).relative_to(ROOT))
