"""`coopsim gui`."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

import click

from coopsim.app import talk
from coopsim.app.pictures import PictureSize
from coopsim.app.view import awaited_endpoint, check_widgets, show
from coopsim.errors import NoReply

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
    with OwnRun() as run:
        show(run.open(file), None, size, run.exchange)


class OwnRun:
    """What a window started: a run, or a replay; another file takes its place. A context manager that ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def open(self, file: str) -> str:
        """Start a file and return where it answers; what ran before ends as soon as it does.

        Raises:
            Exit: It did not start, and has said why.
        """
        command = "replay" if file.lower().endswith(".mcap") else "run"
        with tempfile.TemporaryDirectory(prefix="coopsim-gui-") as folder:
            ready = Path(folder) / "ready.json"
            words = (command, file, "--no-gui", "--port", "0", "--ready", str(ready))
            process = subprocess.Popen([sys.executable, "-m", "coopsim", *words], stdin=subprocess.DEVNULL)
            before, self._process = self._process, process
            endpoint = awaited_endpoint(ready, lambda: process.poll() is not None)
        if before is not None:
            _stop(before)
        return endpoint

    def exchange(self, file: str) -> str:
        """Start a file in the place of what runs, which goes on where that fails.

        Raises:
            NoReply: It did not start.
        """
        before = self._process
        try:
            return self.open(file)
        except click.exceptions.Exit:
            self._process = before
            raise NoReply(f"{file} did not start; the terminal says why") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            _stop(self._process)


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
