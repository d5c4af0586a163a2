"""`coopsim import`, with the commands that features register."""

import click

from coopsim import plugins
from coopsim.app.groups import Suggesting

_IMPORTERS = "importers"
"""Entry points of the commands of this group."""


class Importers(Suggesting):
    """Commands of this group, and those that are registered."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*super().list_commands(ctx), *plugins.registered(_IMPORTERS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        if cmd_name in plugins.registered(_IMPORTERS):
            command: click.Command = plugins.load(_IMPORTERS, cmd_name)
            return command
        return super().get_command(ctx, cmd_name)


@click.group("import", cls=Importers, short_help="Make files of coopsim out of those of others.")
def import_() -> None:
    """Make files of coopsim out of those of others.

    \b
    coopsim import world cave.world -o cave
    coopsim import robot panda.urdf --report
    """  # noqa: D301 - click's mark for lines it must not wrap
