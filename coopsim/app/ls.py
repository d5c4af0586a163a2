"""`coopsim ls`."""

import json

import click

from coopsim.app import completing, talk
from coopsim.app.options import endpoint_option
from coopsim.app.replayed import report_replay


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
        for name in names:
            talk.data(name)
    if not names:
        talk.complain(f"nothing begins with {prefix!r}; `coopsim ls` lists everything")
    return 0 if names else 1
