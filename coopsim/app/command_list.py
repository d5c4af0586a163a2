"""The line of help of each of our commands, in the order of `coopsim --help`, which so imports none of them."""

import click

from coopsim import plugins
from coopsim.app import talk
from coopsim.errors import PluginClash, PluginFailed

LINES = {
    "run": "Run a scenario.",
    "scenes": "List the built-in scenarios and worlds.",
    "check": "Print the mistakes in files.",
    "compare": "Run the same on several physics engines.",
    "trial": "Run a scenario with many seeds and judge each run.",
    "sweep": "Run a scenario with many values of parameters.",
    "search": "Search for the values with which a metric is best.",
    "report": "Make a page of a study; fidelity and real-time reports.",
    "policy": "Train, score and run policies that robots learn.",
    "game": "Play matches of squads, or let computer players play many.",
    "components": "Run, check, draw and format systems of components.",
    "import": "Make files of coopsim out of those of others.",
    "generate": "Make programs for elsewhere out of models.",
    "status": "Show how a running simulation goes.",
    "ls": "List what answers in a running simulation.",
    "call": "Send a command to a module.",
    "watch": "Print the readings of a module.",
    "web": "Serve runs and replays to browsers.",
    "irsim": "Run a script for IR-SIM with robots of coopsim.",
    "robotarium": "Run a script for the Robotarium with robots of coopsim.",
    "gateway": "Let programs of another middleware drive the robots of a run.",
    "replay": "Show a recording.",
    "info": "Say what is in a recording.",
    "judge": "Judge a recording by the goals of its scenario.",
    "verify": "Prove a recording: run it again and compare all that it shows.",
    "diff": "Compare two recordings.",
    "recover": "Repair a recording that was cut off or damaged.",
    "export": "Turn a recording into tables, a web page, a Foxglove file.",
    "plot": "Draw a recording.",
    "gui": "Open a window and run a scenario, or show a recording, in it.",
    "view": "Open a window on a running simulation or a replay.",
    "renderers": "List what can draw, or check that it draws as it should.",
    "screenshot": "Draw a picture in space of a scene or a recording.",
    "video": "Make a film of a scenario or a recording.",
    "describe": "Describe a module, robot type, device or engine.",
    "explain": "Say what an error means and what to do.",
    "new": "Write a robot, controller, sensor, program, metric, behaviour, component, renderer or driver.",
    "conformance": "Examine a client or a server of the protocol.",
    "fuzz": "Feed mutants to what reads foreign bytes.",
    "doctor": "Say what is missing on this machine, and what cures it.",
    "keys": "Make and trust the keys that guard a simulation.",
    "completion": "Print what makes a shell complete our commands.",
    "bench": "Measure how fast it is here.",
}


# Commands that packages bring to the program: entry points of the group `coopsim.commands`.
# The name of an entry point is `GROUP/COMMAND`, such as `Study/sweep`: so the overview knows both without
# importing it.
GROUP = "commands"
_OTHERS = "Of other packages"
"""Title for commands that name no group."""


def registered_commands() -> dict[str, str]:
    """Return the title of the group of each registered command, by the name of the command.

    Raises:
        PluginClash: Two packages register a command of the same name.
    """
    titles: dict[str, str] = {}
    places: dict[str, str] = {}
    for entry, plugin in plugins.registered(GROUP).items():
        title, _, name = entry.rpartition("/")
        if name in places or len(plugin.places) > 1:
            both = {*plugin.places, places.get(name, plugin.places[0])}
            raise PluginClash(f"command {name!r} is registered twice: by {' and by '.join(sorted(both))}")
        titles[name], places[name] = title or _OTHERS, plugin.places[0]
    return titles


def registered_command(name: str) -> click.Command | None:
    """Return a command that a package brings, None where there is none of this name.

    Raises:
        PluginFailed: It cannot be imported, or is no command of click.
    """
    entry = next((label for label in plugins.registered(GROUP) if label.rpartition("/")[2] == name), None)
    if entry is None:
        return None
    command = plugins.load(GROUP, entry)
    if not isinstance(command, click.Command):
        place = plugins.registered(GROUP)[entry].places[0]
        raise PluginFailed(f"{place}: expected a click.Command, got {type(command).__name__}")
    return talk.voiced(command)
