"""Messages of a run, and a line that sends some to any module."""

import shlex
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from coopsim.features.asking.words import command_of, parse, shown
from coopsim.features.desktop.link import ViewerLink
from coopsim.interfaces import COMMON, Interface

if TYPE_CHECKING:
    from coopsim.client import Client

Level: TypeAlias = Literal["note", "edit", "sent", "reply", "refused"]
_MOST = 1000  # lines; a console that is forgotten for a night must not fill memory
_MOST_HINTS = 12  # as many lines as fit under the input


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """Line of the console.

    Attributes:
        clock: When, by the clock on the wall.
        level: A note of the window, a change of the run, what we sent, what was answered, or why not.
    """

    clock: str
    level: Level
    text: str


class ConsoleModel:
    """Lines of the console, and the messages that it can send.

    Args:
        link: Returns the connection to the run.

    Attributes:
        lines: The newest last.
    """

    def __init__(self, link: Callable[[], ViewerLink]) -> None:
        self._link = link
        self.lines: deque[ConsoleLine] = deque(maxlen=_MOST)
        self._interfaces: dict[str, Interface] = {}
        self._asked: set[str] = set()

    def append(self, level: Level, text: str) -> None:
        """Keep a line."""
        self.lines.append(ConsoleLine(time.strftime("%H:%M:%S"), level, text))

    def forget(self) -> None:
        """Take how modules describe themselves for out of date: another run is shown."""
        self._interfaces, self._asked = {}, set()

    def found(self, wanted: str) -> list[ConsoleLine]:
        """Return the lines that contain a text."""
        return [line for line in self.lines if wanted.lower() in f"{line.level} {line.text}".lower()]

    def send(self, text: str) -> None:
        """Send `/robot1/motors set_velocity 0.3 0.1`; the reply, or the refusal, becomes a line."""
        self.append("sent", text)
        try:
            target, command, *values = shlex.split(text)
        except ValueError:
            self.append("refused", "expected NAME COMMAND VALUES, such as /robot1/motors set_velocity 0.3 0.1")
            return
        name = target if target.startswith("/") else f"/{target}"
        self._link().ask(
            lambda simulation: _sent(simulation, name, command, values),
            then=lambda reply: self.append("reply", reply),
            failed=lambda problem: self.append("refused", str(problem)),
        )

    def hints(self, text: str) -> list[str]:
        """Return what the last word may become: names of modules, then commands and parameters of the one named."""
        words = text.split(" ")
        if len(words) == 1:
            wanted = words[0] if words[0].startswith("/") else f"/{words[0]}"
            names: Sequence[str] = [name for name in self._link().names if name.startswith(wanted)]
        elif len(words) == 2:
            names = [name for name in self._commands(words[0]) if name.startswith(words[1])]
        else:
            names = self._fields(words)
        return list(names[:_MOST_HINTS])

    def completed(self, text: str) -> str:
        """Return a text as far as all that it may become agrees."""
        hints = self.hints(text)
        if not hints or len(text.split(" ")) > 2:
            return text
        before = text.rpartition(" ")[0]
        common = hints[0]
        while not all(hint.startswith(common) for hint in hints):
            common = common[:-1]
        done = common + (" " if len(hints) == 1 else "")
        return f"{before} {done}" if before else done

    def _commands(self, target: str) -> list[str]:
        interface = self.interface(target)
        return [] if interface is None else [command.name for command in (*interface.commands, *COMMON)]

    def _fields(self, words: Sequence[str]) -> list[str]:
        """Return what a command takes, or the names of parameters."""
        interface = self.interface(words[0])
        if interface is None:
            return []
        if words[1] in {"set_parameter", "get_parameter"} and len(words) == 3:
            return [parameter.name for parameter in interface.parameters if parameter.name.startswith(words[2])]
        command = next((command for command in interface.commands if command.name == words[1]), None)
        return (
            [f"{field.name} [{field.unit}]" if field.unit else field.name for field in command.takes] if command else []
        )

    def interface(self, target: str) -> Interface | None:
        """Return how a module describes itself; it is asked once, and known a little later."""
        name = target if target.startswith("/") else f"/{target}"
        interfaces, asked = self._interfaces, self._asked
        if name in self._link().names and name not in asked:
            asked.add(name)
            self._link().ask(
                lambda simulation: simulation.module(name).interface,
                then=partial(interfaces.__setitem__, name),
                failed=lambda _: asked.discard(name),
            )
        return interfaces.get(name)

    def parameters(self, target: str) -> list[str]:
        """Return the names of a module's parameters that are numbers; they are known a little after the first call."""
        interface = self.interface(target)
        return (
            []
            if interface is None
            else [parameter.name for parameter in interface.parameters if parameter.kind is not str]
        )


def _sent(simulation: "Client", target: str, command: str, words: Sequence[str]) -> str:
    """Send a command; return its reply for people."""
    module = simulation.module(target)
    declared = command_of(module, command)
    answer = module.call(declared.number, **parse(declared, words))
    if answer is None:
        return "ok"
    return "  ".join(f"{field.name} {shown(field, value)}" for field, value in zip(declared.gives, answer, strict=True))
