"""`coopsim view`."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from coopsim.app import talk
from coopsim.app.options import plugin_option
from coopsim.features.beginnings.own_run import awaited_endpoint
from coopsim.features.desktop.commands.pictures import PictureSize
from coopsim.features.desktop.commands.renderer_option import renderer_option
from coopsim.features.desktop.commands.scale_option import chosen_scale, scale_option
from coopsim.interpreter import extra_command, module_command
from coopsim.memory import collect_seldom

_ASKED_EVERY = 0.5
"""Between two looks at why a run ended [s]."""


@click.command(short_help="Open a window on a running simulation or a replay.")
@click.argument("endpoint", required=False, envvar="COOPSIM_ENDPOINT")
@click.option(
    "--keys", type=click.Path(path_type=Path), metavar="FOLDER", help="Our keys, where the server wants some."
)
@click.option("--when", "ready", type=click.Path(path_type=Path), hidden=True, help="As soon as this file says where.")
@click.option("--size", type=PictureSize(), default="1280x800", show_default=True, help="Of the window, in its units.")
@renderer_option
@plugin_option
@scale_option
@click.option("--web", "is_page", is_flag=True, help="Show it in browsers instead, and print the links.")
@click.pass_context
def view(
    context: click.Context,
    endpoint: str | None,
    keys: Path | None,
    ready: Path | None,
    size: tuple[int, int],
    *,
    is_page: bool,
) -> None:
    """Open a window on what runs, or is replayed, at ENDPOINT, here or on another machine.

    Without ENDPOINT it is 127.0.0.1:5570. The window draws the state stream and edits by messages; to close it stops
    nothing. It needs the extra `gui` and a display. With `--web` a page shows and edits it, as `coopsim web` does.

    \b
    coopsim view
    coopsim view --web
    coopsim view tcp://192.168.0.7:5570 --keys keys
    """  # noqa: D301 - click's mark for lines it must not wrap
    if is_page:
        _serve(context, endpoint, keys)
        return
    check_widgets()
    if ready is not None:
        from coopsim.features.desktop import application  # noqa: F401 - it is loaded while the run starts

        endpoint = awaited_endpoint(ready)
    talk.note(f"shows {endpoint or 'what runs at the usual place'}; close the window, or Ctrl-C, to end")
    show(endpoint, keys, size, ready=lambda: ready)


def _serve(context: click.Context, endpoint: str | None, keys: Path | None) -> None:
    """Show a run in browsers, by the command that does that."""
    root = context.find_root()
    command = root.command.get_command(root, "web") if isinstance(root.command, click.Group) else None
    if command is None:
        raise click.UsageError("there is no command web in this installation")
    context.invoke(command, endpoints=(endpoint,) if endpoint else (), keys=keys, any_port=True)


def check_widgets() -> None:
    """See to it that a window can be opened.

    Raises:
        ClickException: A package is missing.
        CannotDraw: There is no display.
    """
    from coopsim.features.desktop import displays

    try:
        import imgui_bundle  # noqa: F401 - to say which package is missing before anything is started
    except ModuleNotFoundError:
        raise click.ClickException(
            f"the window needs the Python package imgui-bundle: {extra_command('gui')}"
        ) from None
    displays.use_windows()


def show(
    endpoint: str | Callable[[], str] | None,
    keys: Path | None,
    size: tuple[int, int],
    openers: tuple[Callable[[str], str], Callable[[str], str]] | None = None,
    is_over: Callable[[], bool] = lambda: False,
    file: str = "",
    ready: Callable[[], Path | None] = lambda: None,
) -> None:
    """Show a run in a window until that is closed.

    Args:
        endpoint: Where it answers, or what waits until that is known; None = the usual place.
        keys: Folder with our keys.
        size: Width and height of the window, in its units.
        openers: Start another file in the place of the run, or go on from the end of a recording; each returns where
            that answers. None = the run is not ours.
        is_over: Whether the window is to be closed.
        file: The run came from it, "" = that is not known.
        ready: Returns the file that the run tells where it answers, and in the end why it ended.

    Raises:
        CannotDraw: There is no OpenGL.
    """
    from coopsim.features.desktop.application import Application
    from coopsim.features.desktop.link import ViewerLink
    from coopsim.features.desktop.recent import usual_folders

    place, locate = (None, endpoint) if callable(endpoint) else (endpoint, None)
    link = ViewerLink(place, str(keys) if keys is not None else None, locate)
    opener, continuer = (None, None) if openers is None else openers
    application = Application(link, size, opener, usual_folders(), chosen_scale())
    application.session.begin_beside, application.documents.continuer = begin_beside, continuer
    application.documents.begin = begin_scene if opener is None and ready() is not None else None
    application.documents.file, application.documents.death = file, EndedRun(ready).why
    interrupts: list[int] = []
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in background jobs
        signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))  # no frame is left half drawn
    collect_seldom()
    try:
        application.run(lambda: bool(interrupts) or is_over())
    finally:
        application.close()
    if interrupts:
        raise KeyboardInterrupt


class EndedRun:
    """Reason why a run ended, from the file that told where it answers.

    Args:
        ready: Returns that file, None = there is none.
    """

    def __init__(self, ready: Callable[[], Path | None]) -> None:
        self._ready = ready
        self._due = 0.0
        self._last: Mapping[str, Any] | None = None

    def why(self) -> Mapping[str, Any] | None:
        """Return code and reason, and what was recorded; None = it goes on, or nobody knows. Asked in each frame."""
        now, path = time.monotonic(), self._ready()
        if path is not None and now >= self._due:
            self._due = now + _ASKED_EVERY
            try:
                end = json.loads(path.read_text(encoding="utf-8")).get("ended")
            except (OSError, ValueError, AttributeError):
                end = None  # it is being written, or gone with its run
            self._last = end if isinstance(end, dict) and isinstance(end.get("reason"), str) else None
        return self._last


def begin_scene(scene: str) -> None:
    """Start a scene in a window of its own; it outlives this window."""
    subprocess.Popen(module_command("coopsim", "gui", scene), stdin=subprocess.DEVNULL, start_new_session=True)


def begin_beside(file: Path, tick: int | None) -> None:
    """Start a run that goes on from a recording, and ends with a window of its own; it outlives this window.

    Args:
        file: The recording.
        tick: Where it goes on, None = at its end.
    """
    command = module_command("coopsim", "gui", "--from", str(file) if tick is None else f"{file}@tick:{tick}")
    subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
