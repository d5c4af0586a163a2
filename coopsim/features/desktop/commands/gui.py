"""`coopsim gui`."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import click

from coopsim.app import completing
from coopsim.errors import NoReply, NoSuchFile
from coopsim.features.beginnings.own_run import awaited_endpoint, end_run
from coopsim.features.desktop.commands.pictures import PictureSize
from coopsim.features.desktop.commands.renderer_option import renderer_option
from coopsim.features.desktop.commands.scale_option import scale_option
from coopsim.features.desktop.commands.view import check_widgets, show
from coopsim.interpreter import module_command
from coopsim.robots.finding import find_file

_EMPTY = "empty.world"
_LOBBY = {"COOPSIM_LOBBY": "60"}
"""Longest wait for players of a match without a lobby of its own [s]: a person reads the panels first."""
_PREFIX, _LOCK = "coopsim-gui-", "lock"
"""Name of a folder of a window among temporary ones, and of its file that is locked while the window lives."""
_BOUND = "coopsim.features.desktop.commands.bound_run"
"""Module that runs a command as long as this process lives."""


def _checked(_context: click.Context, _option: click.Parameter, plugins: tuple[Path, ...]) -> tuple[Path, ...]:
    """Refuse plugins with mistakes before a window opens."""
    if plugins:
        from coopsim.robots import plug

        for plugin in plugins:
            plug(plugin)
    return plugins


@click.command(short_help="Open a window and run a scenario, or show a recording, in it.")
@click.argument("file", default=_EMPTY, shell_complete=completing.scenes)
@click.option("--from", "instant", metavar="FILE@SECONDS", help="Go on from an instant of a recording.")
@click.option("--size", type=PictureSize(), default="1280x800", show_default=True, help="Of the window, in its units.")
@renderer_option
@scale_option
@click.option(
    "--plugin",
    "plugins",
    type=click.Path(path_type=Path),
    multiple=True,
    callback=_checked,
    metavar="FILE",
    help="Load what a file .py, .robot or .xml brings into each run of the window; repeatable.",
)
def gui(file: str, instant: str | None, size: tuple[int, int], plugins: tuple[Path, ...]) -> None:
    """Run the scenario or world FILE, or show the recording FILE, in a window; without FILE an empty floor.

    Others can reach the run on free ports. It ends with the window. `coopsim run` and `replay` have more options;
    `coopsim view` shows what they started.

    \b
    coopsim gui
    coopsim gui formation
    coopsim gui run.mcap
    coopsim gui --from run.mcap@12.5
    coopsim gui chaser.scenario --plugin chaser.py
    """  # noqa: D301 - click's mark for lines it must not wrap
    if instant is not None and file != _EMPTY:
        raise click.UsageError("FILE or --from, not both: --from names the recording")
    check_widgets()
    from coopsim.features.desktop.displays import on_lost_display

    with OwnRun(plugins) as run:
        on_lost_display(run.close)
        # it starts while the window opens
        run.begin(file if instant is None else instant, is_instant=instant is not None)
        shown = file if instant is None else ""
        openers = run.exchange, partial(run.exchange, is_instant=True)
        show(run.locate, None, size, openers, lambda: run.has_failed, shown, lambda: run.ready)
        if run.has_failed:
            raise click.exceptions.Exit(1)


class OwnRun:
    """Run or replay that a window started; another file takes its place. A context manager that ends it.

    Args:
        plugins: Loaded into each run.

    Attributes:
        has_failed: Whether the first file did not start; that was said.
    """

    def __init__(self, plugins: Sequence[Path] = ()) -> None:
        self._plugins = [word for plugin in plugins for word in ("--plugin", str(plugin.resolve()))]
        self.has_failed = False
        self._process: subprocess.Popen[bytes] | None = None
        _remove_leftovers()
        self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
        self._lock = os.open(Path(self._folder.name) / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._count = 0

    def begin(self, file: str, *, is_instant: bool = False) -> None:
        """Start a file, or go on from an instant of a recording, FILE@SECONDS."""
        self._count += 1
        command = "replay" if file.lower().endswith(".mcap") else "run"
        what = ("run", "--from", file) if is_instant else (command, file, *_pace(file))
        stays = ("--stay", "--paced") if what[0] == "run" else ()
        words = (*what, *self._plugins, "--no-gui", *stays, "--port", "0", "--ready", str(self.ready))
        # whoever set the variable knows better; programs that are no match do not read it
        surroundings = {**_LOBBY, **os.environ}
        self._process = subprocess.Popen(module_command(_BOUND, *words), stdin=subprocess.PIPE, env=surroundings)

    def locate(self) -> str:
        """Return where the first file answers, as soon as it does.

        Raises:
            NoReply: It did not start.
        """
        try:
            return self._endpoint()
        except NoReply:
            self.has_failed = True
            raise

    def exchange(self, file: str, *, is_instant: bool = False) -> str:
        """Start a file in the place of what runs, which goes on where that fails.

        Args:
            file: Scenario, world or recording.
            is_instant: Go on from an instant of a recording, FILE@SECONDS, or from its end, FILE.

        Raises:
            NoReply: It did not start.
        """
        before = self._process
        self.begin(file, is_instant=is_instant)
        try:
            endpoint = self._endpoint()
        except NoReply:
            self._process = before
            raise NoReply(f"{file} did not start; the terminal says why") from None
        if before is not None:
            _end(before)
        return endpoint

    @property
    def pid(self) -> int:
        """Process that was started last, 0 = none was."""
        return 0 if self._process is None else self._process.pid

    @property
    def ready(self) -> Path:
        """File in which what was started last says where it answers."""
        return Path(self._folder.name) / f"{self._count}.json"

    def _endpoint(self) -> str:
        process = self._process
        return awaited_endpoint(self.ready, lambda: process is None or process.poll() is not None)

    def close(self) -> None:
        """End what runs."""
        if self._process is not None:
            _end(self._process)
        self._folder.cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _remove_leftovers() -> None:
    """Remove folders of windows that were killed: the lock of a killed process is free."""
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError):  # it is another user's, or somebody else removes it now
            descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent)
            finally:
                os.close(descriptor)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a run, and close the pipe that bound it to this process."""
    end_run(process)
    if process.stdin is not None:
        process.stdin.close()


def _pace(file: str) -> tuple[str, ...]:
    """Return the options that let a match go on in real time, as people play it; nothing for other scenarios."""
    try:
        scenario = find_file(file, (".scenario", ".world"))
        is_match = scenario.suffix == ".scenario" and "[GAME]" in scenario.read_text(encoding="utf-8", errors="replace")
    except (OSError, NoSuchFile):
        is_match = False
    return ("--mode", "real-time") if is_match else ()
