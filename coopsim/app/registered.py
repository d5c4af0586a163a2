"""Commands that packages bring to the program: entry points of the group `coopsim.commands`.

The name of an entry point is `GROUP/COMMAND`, such as `Study/sweep`: so the overview knows both without importing it.
"""

import click

from coopsim import plugins
from coopsim.app import talk
from coopsim.errors import PluginClash, PluginFailed

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
