"""The page beside a run that was started on the command line."""

import contextlib
import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from coopsim.features.web.process import begin_server, end_server
from coopsim.interpreter import extra_command


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
        process = begin_server("--any-port", "--when", str(place), start_new_session=True)
        stack.callback(end_server, process)
        yield place
