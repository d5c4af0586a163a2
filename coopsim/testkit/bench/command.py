"""`coopsim bench`: each file `NAME.py` of two folders is a benchmark of its name; features register more."""

import importlib
import importlib.util
import pkgutil

import click

from coopsim import plugins
from coopsim.app import talk
from coopsim.app.groups import Suggesting

_ROOMS = ("coopsim.testkit.bench", "coopsim.testkit.own_bench")
"""Folders of benchmarks; wheels have the first alone."""
_HERE = "command"
_REGISTERED = "benchmarks"
"""Entry points of benchmarks of features."""


class Benchmarks(Suggesting):
    """Benchmarks that are found by the names of their files, and those that are registered."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of all benchmarks, sorted."""
        return sorted({*_rooms(), *plugins.registered(_REGISTERED)} - {_HERE})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the benchmark of this name."""
        if name not in self.list_commands(ctx):
            return None
        if name in plugins.registered(_REGISTERED):
            return talk.voiced(plugins.load(_REGISTERED, name))
        command: click.Command = getattr(importlib.import_module(f"{_rooms()[name]}.{name}"), name)
        return talk.voiced(command)


def _rooms() -> dict[str, str]:
    """Return the package of each benchmark."""
    rooms: dict[str, str] = {}
    for room in _ROOMS:
        if importlib.util.find_spec(room) is not None:
            package = importlib.import_module(room)
            rooms |= {module.name: room for module in pkgutil.iter_modules(package.__path__) if not module.ispkg}
    return rooms


@click.group(cls=Benchmarks, short_help="Measure how fast it is here.")
def bench() -> None:
    """Measure how fast it is here, as ratios to a yardstick of the same run where there is one."""
