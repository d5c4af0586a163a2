"""The page beside a run that was started on the command line."""

import contextlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from coopsim.interpreter import extra_command, module_command

_FAREWELL = 3.0
"""How long the page's server may take to tell its browsers that the run is over [s]."""


@contextlib.contextmanager
def page_beside(ready: Path | None) -> Iterator[Path]:
    """Serve a page as soon as a run answers, as long as that lasts.

    Args:
        ready: File that the run writes where it answers, None = nobody asked for one.

    Yields:
        The file that the run is to write.

    Raises:
        ClickException: A package is missing.
    """
    if importlib.util.find_spec("websockets") is None:
        raise click.ClickException(f"--web needs the Python package websockets: {extra_command('web')}")
    with contextlib.ExitStack() as stack:
        place = ready or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-"))) / "ready.json"
        place.unlink(missing_ok=True)  # of an earlier run
        command = module_command("coopsim.features.web", "--any-port", "--when", str(place))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        stack.callback(_end, process)
        yield place


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the server, in its own way if it has one still."""
    process.terminate()
    try:
        process.wait(_FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
