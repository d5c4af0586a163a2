"""Advice that names a command of coopsim: there is such a command, with these options."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import coopsim
from coopsim.app.main import cli
from coopsim.errors import all_errors

ROOT = Path(coopsim.__file__).parent
COMMAND = re.compile(r"`coopsim ([a-z][^`\n]*)`")


def advised() -> Iterator[tuple[str, str]]:
    """Go through the commands that errors and texts of the program advise, each with where that stands."""
    for kind in all_errors().values():
        for match in COMMAND.finditer(kind.cure):
            yield kind.__name__, match[1]
    for path in sorted(ROOT.rglob("*.py")):
        text = re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))  # texts over several lines
        for match in COMMAND.finditer(text):
            yield str(path.relative_to(ROOT)), match[1]


ADVISED = list(dict.fromkeys(advised()))


def test_errors_advise_commands() -> None:
    assert len(ADVISED) > 20


@pytest.mark.parametrize(("place", "line"), ADVISED)
def test_a_command_that_is_advised_exists(place: str, line: str) -> None:
    assert place
    command: click.Command = cli
    words = line.split()
    context = click.Context(command)
    while words and isinstance(command, click.Group):
        if words[0].startswith(("-", "{")) or not words[0].islower():
            break
        get_command = command.get_command(context, words[0])
        if get_command is None and command is not cli:
            break  # such as the folder behind `report`
        assert get_command is not None, f"{place}: there is no command {words[0]!r}"
        command, words = get_command, words[1:]
        context = click.Context(command, parent=context)
    if isinstance(command, click.Group) and words:
        return  # the command is left open, as in `bench NAME`
    options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}
    for word in words:
        option = word.partition("=")[0].rstrip(",;.")
        assert not option.startswith("--") or option in options, f"{place}: {command.name} has no {option}"
