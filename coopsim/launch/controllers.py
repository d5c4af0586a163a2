"""The controllers that a scenario names, as commands to start."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coopsim import plugins
from coopsim.errors import BadArgument, BadFile, NoSuchPlugin
from coopsim.interfaces import FileParameter, Parameter
from coopsim.interpreter import module_command
from coopsim.robots import RunSpec, programs_of
from coopsim.robots.registry import law_parameters
from coopsim.scene import Controller
from coopsim.scene.spans import Span

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_USED = {"game": "behaviours"}
"""Group of plugins that a control law of ours uses."""


@dataclass(frozen=True, slots=True)
class ControllerCommand:
    """A control law that is started as a client process.

    Attributes:
        name: What people call it; unique within the run.
        robots: The robots it drives.
        command: Program and arguments.
        is_beside: Whether a section of the scenario, or a person, asked for it: the run does not end with it.
        law: What the scenario calls it.
        arguments: Of the law, by name.
    """

    name: str
    robots: tuple[str, ...]
    command: tuple[str, ...]
    is_beside: bool = False
    law: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


def started_by_hand(spec: RunSpec, law: str, robots: Sequence[str], arguments: Mapping[str, str]) -> ControllerCommand:
    """Return what to start for a control law that a person chose.

    Args:
        spec: Of the scene; files are named as in its file.
        law: A registered name; commands of the machine are not taken.
        robots: That it drives.
        arguments: By name.

    Raises:
        NoSuchPlugin: No control law has this name.
        BadArgument: It has no such argument, or the value is none.
    """
    laws = plugins.registered("controllers")
    if law not in laws:
        raise NoSuchPlugin(f"no control law is called {law[:80]!r}; registered: {', '.join(laws) or 'none'}")
    parameters = {parameter.name: parameter for parameter in law_parameters(law) or ()}
    for name, value in arguments.items():
        if not _NAME.fullmatch(name) or any(word.startswith("--") for word in value.split()):
            raise BadArgument(f"{name[:80]!r} {value[:80]!r} is no argument of a control law").bring(name)
        parameter = parameters.get(name.replace("-", "_"))
        if parameters and parameter is None:
            raise BadArgument(f"{law} has no argument {name[:80]!r}; it has: {', '.join(parameters)}").bring(name)
        if parameter is not None:
            _check_argument(parameter, value)
    words = tuple((name, tuple(value.split())) for name, value in arguments.items())
    section = Controller(law, tuple(robots), words, span=Span(spec.scenario.file))
    command = (*_python(laws[law]), *arguments_of(section))
    return ControllerCommand(law, tuple(robots), command, is_beside=True, law=law, arguments=arguments)


def _check_argument(parameter: Parameter, value: str) -> None:
    """Refuse a value that a control law would refuse when it begins, as its process would only end then."""
    if parameter.kind in (int, float):
        try:
            parameter.check(parameter.kind(value))
        except ValueError:
            raise BadArgument(f"{parameter.name} must be a number, got {value[:80]!r}").bring(parameter.name) from None


def commands_beside(spec: RunSpec) -> list[ControllerCommand]:
    """Return what to start for sections that want programs beside the run."""
    return [
        ControllerCommand(program.name, (), (*module_command(program.module), *program.arguments), is_beside=True)
        for program in programs_of(spec)
    ]


def controller_commands(sections: Sequence[Controller], *, allow_commands: bool) -> list[ControllerCommand]:
    """Return what to start for `[CONTROLLER_n]` sections: every further key becomes `--key value`.

    Raises:
        NoSuchPlugin: A section names no registered control law, and commands are not allowed.
        BadFile: A command has an open quotation mark.
    """
    commands = []
    for place, section in enumerate(sections):
        name = _name(section)
        same = sum(1 for earlier in sections[:place] if _name(earlier) == name)
        commands.append(
            ControllerCommand(
                name if not same else f"{name}#{same + 1}",
                section.robots,
                (*_program(section, allow_commands), *arguments_of(section)),
                law=section.run,
                arguments={key: " ".join(words) for key, words in section.arguments},
            )
        )
    return commands


def _name(section: Controller) -> str:
    """Return the control law, or the program's own name: of `python3 mine.py` that is `mine.py`."""
    words = _words(section)
    is_python = Path(words[0]).name.startswith("python") and len(words) > 1 and not words[1].startswith("-")
    return Path(words[1] if is_python else words[0]).name


def _program(section: Controller, allow_commands: bool) -> tuple[str, ...]:
    laws = plugins.registered("controllers")
    law = plugins.law_name(section.run)
    if law in laws:
        return _python(laws[law])
    if allow_commands:
        return tuple(_words(section))
    raise NoSuchPlugin(
        f"{section.span.head}no control law is called {section.run!r}; registered: {', '.join(laws) or 'none'};"
        " add --allow-commands to run it as a command, or --plugin FILE for the plugin that brings it"
    ).advise("")


def _python(law: plugins.Plugin) -> tuple[str, ...]:
    """Return what starts a control law: its module, or the function that a plugin registers.

    Loose plugins that bring what the law uses are loaded into its process.
    """
    group = _USED.get(law.name) if not law.is_foreign else None
    loading = plugins.loading(group or "")
    if law.entry is not None and not law.entry.attr and not loading:
        return module_command(law.entry.module)
    spelled = next((loose.spelled for loose in plugins.loose_files() if loose.path == law.file), "")
    return plugins.process_command("law", *loading, law.name, spelled)


def _words(section: Controller) -> list[str]:
    try:
        return shlex.split(section.run)
    except ValueError as problem:
        raise BadFile(f"{section.span.head}run {section.run}: {str(problem).lower()}") from None


def arguments_of(section: Controller) -> list[str]:
    """Return the command line of a control law: every key of its section as `--key value`, files with their folders."""
    arguments = ["--robots", *section.robots] if section.robots else []
    files = _files_of(section.run) if section.arguments else set()
    folder = Path(section.span.file).parent
    for key, values in section.arguments:
        is_file = key.replace("-", "_") in files
        words = [_beside(folder, value) if is_file else value for value in values]
        # joined, a value may begin with a dash, as places and angles below zero do
        arguments += [f"--{key}={words[0]}"] if len(words) == 1 and words[0].startswith("-") else [f"--{key}", *words]
    return arguments


def _files_of(law: str) -> set[str]:
    """Return the names of those parameters of a control law that name files."""
    if law not in plugins.registered("controllers"):
        return set()
    return {parameter.name for parameter in law_parameters(law) or () if isinstance(parameter, FileParameter)}


def _beside(folder: Path, name: str) -> str:
    """Return the path of a file beside a scenario; a name that is no file there stays as it is."""
    return str((folder / name).resolve()) if (folder / name).is_file() else name
