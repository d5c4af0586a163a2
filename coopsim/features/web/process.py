"""The process that serves a page: it begins and ends with whoever wants the page."""

import subprocess
from typing import Any

from coopsim.interpreter import module_command

_FAREWELL = 3.0
"""Time that the page's server may take to send its browsers that the run is over [s]."""


def begin_server(*arguments: str, **options: Any) -> "subprocess.Popen[Any]":
    """Start the server of a page.

    Args:
        arguments: Of its command line.
        options: Of `subprocess.Popen`; it reads nothing from our input.
    """
    command = module_command("coopsim.features.web", *arguments)
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)


def end_server(process: "subprocess.Popen[Any]") -> None:
    """End the server, in its own way if it has one still."""
    process.terminate()
    try:
        process.wait(_FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
