"""The controllers that a scenario names, as commands to start."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from coopsim import plugins
from coopsim.errors import NoSuchPlugin
from coopsim.scene import Controller


@dataclass(frozen=True, slots=True)
class ControllerCommand:
    """A control law that is started as a client process.

    Attributes:
        name: What people call it; unique within the run.
        robots: The robots it drives.
        command: Program and arguments.
    """

    name: str
    robots: tuple[str, ...]
    command: tuple[str, ...]


def controller_commands(sections: Sequence[Controller], *, allow_commands: bool) -> list[ControllerCommand]:
    """Return what to start for `[CONTROLLER_n]` sections: every further key becomes `--key value`.

    Raises:
        NoSuchPlugin: A section names no registered control law, and commands are not allowed.
    """
    commands = []
    for place, section in enumerate(sections):
        name = section.run.split()[0]
        same = sum(1 for other in sections[:place] if other.run == section.run)
        commands.append(
            ControllerCommand(
                name if not same else f"{name}#{same + 1}",
                section.robots,
                (*_program(section, allow_commands), *_arguments(section)),
            )
        )
    return commands


def _program(section: Controller, allow_commands: bool) -> tuple[str, ...]:
    known = plugins.registered("controllers")
    if section.run in known:
        return (sys.executable, "-m", known[section.run].module)
    if allow_commands:
        return tuple(shlex.split(section.run))
    raise NoSuchPlugin(
        f"{section.span}: no control law is called {section.run!r}; registered: {', '.join(known) or 'none'};"
        " add --allow-commands to run it as a command"
    )


def _arguments(section: Controller) -> list[str]:
    arguments = ["--robots", *section.robots] if section.robots else []
    for key, values in section.arguments:
        arguments += [f"--{key}", *values]
    return arguments
