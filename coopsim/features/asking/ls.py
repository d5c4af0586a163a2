"""`coopsim ls`."""

import json
import sys
from collections.abc import Sequence

import click

from coopsim.app import completing, talk
from coopsim.app.options import endpoint_option
from coopsim.features.asking.replayed import report_replay

_MANY, _SHOWN = 400, 20
"""Names that a terminal shows, and how many of more: files and pipes get all."""


@click.command(short_help="List what answers in a running simulation.")
@click.argument("prefix", default="", shell_complete=completing.modules)
@endpoint_option
@click.option("--json", "as_json", is_flag=True, help="Print the names as JSON.")
def ls(prefix: str, endpoint: str | None, as_json: bool) -> int:
    """List the modules that answer in a running simulation and whose names begin with PREFIX."""
    from coopsim.client import connect

    with connect(endpoint) as simulation:
        names = simulation.names(prefix)
        report_replay(simulation, "modules")
    if as_json:
        talk.data(json.dumps(names))
    else:
        for line in lines(names, is_terminal=sys.stdout.isatty()):
            talk.data(line)
    if not names:
        talk.complain(f"nothing begins with {prefix!r}; `coopsim ls` lists everything")
    return 0 if names else 1


def lines(names: Sequence[str], *, is_terminal: bool) -> list[str]:
    """Return what is printed of names: of very many a terminal shows the first ones and counts the others."""
    if not is_terminal or len(names) <= _MANY:
        return list(names)
    rest = f"... and {len(names) - _SHOWN} more; a longer prefix narrows them, `--json` has all of them"
    return [*names[:_SHOWN], rest]
