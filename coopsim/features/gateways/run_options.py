"""Options of `coopsim run` that let programs of another middleware in."""

from collections.abc import Callable
from typing import Any

import click


def gateway_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--gateway` and `--foxglove` to a command that runs a scenario."""
    app = "With --record, make FILE.foxglove.mcap in the end, else serve the app of Foxglove; needs extra `foxglove`."
    text = (
        "Let programs of another middleware in, as a section [GATEWAY_n] does; `coopsim gateway --help` has the kinds."
    )
    command = click.option("--foxglove", is_flag=True, help=app)(command)
    return click.option("--gateway", "gateways", multiple=True, metavar="KIND[:PORT]", help=text)(command)
