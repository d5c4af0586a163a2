"""`coopsim bench`: every file `NAME.py` beside this one is a benchmark of its name; features register more."""

import importlib
import pkgutil

import click

from coopsim import plugins
from coopsim.app import talk
from coopsim.app.groups import Suggesting
from coopsim.testkit import bench as room

_HERE = "command"
_REGISTERED = "benchmarks"
"""Entry points of benchmarks of features."""


class Benchmarks(Suggesting):
    """Benchmarks that are found by the names of their files, and those that are registered."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of all benchmarks, sorted."""
        modules = [module.name for module in pkgutil.iter_modules(room.__path__) if not module.ispkg]
        return sorted({*modules, *plugins.registered(_REGISTERED)} - {_HERE})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the benchmark of this name."""
        if name not in self.list_commands(ctx):
            return None
        if name in plugins.registered(_REGISTERED):
            return talk.voiced(plugins.load(_REGISTERED, name))
        command: click.Command = getattr(importlib.import_module(f"coopsim.testkit.bench.{name}"), name)
        return talk.voiced(command)


@click.group(cls=Benchmarks, short_help="Measure how fast it is here.")
def bench() -> None:
    """Measure how fast it is here, as ratios to a yardstick of the same run where there is one."""
