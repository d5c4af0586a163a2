"""`coopsim gui`."""

import contextlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from coopsim.app import talk
from coopsim.app.pictures import PictureSize
from coopsim.app.view import awaited_endpoint, check_widgets, show

_EMPTY = "empty.world"
_STOPPING = 20.0


@click.command(short_help="Open a window and run a scenario, or show a recording, in it.")
@click.argument("file", default=_EMPTY)
@click.option("--size", type=PictureSize(), default="1280x800", show_default=True, help="Of the window.")
def gui(file: str, size: tuple[int, int]) -> None:
    """Run the scenario or world FILE, or show the recording FILE, in a window; without FILE an empty floor.

    Others can reach the run on free ports. It ends with the window. `coopsim run` and `replay` have more options;
    `coopsim view` shows what they started.

    \b
    coopsim gui
    coopsim gui formation
    coopsim gui run.mcap
    """  # noqa: D301 - click's mark for lines it must not wrap
    check_widgets()
    with _started(file) as endpoint:
        show(endpoint, None, size)


@contextlib.contextmanager
def _started(file: str) -> Iterator[str]:
    """Run a file as long as the context lasts; yield where it answers."""
    command = "replay" if file.lower().endswith(".mcap") else "run"
    with tempfile.TemporaryDirectory(prefix="coopsim-gui-") as folder:
        ready = Path(folder) / "ready.json"
        words = (command, file, "--no-gui", "--port", "0", "--ready", str(ready))
        process = subprocess.Popen([sys.executable, "-m", "coopsim", *words], stdin=subprocess.DEVNULL)
        try:
            yield awaited_endpoint(ready, lambda: process.poll() is not None)  # which has said why
        finally:
            _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Let a run end as by Ctrl-C."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            talk.note("the run did not end; it is ended now")
            process.kill()
            process.wait()
