"""A window beside a run that was started on the command line."""

import contextlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from coopsim import plugins
from coopsim.app import talk
from coopsim.interpreter import extra_command, module_command


@contextlib.contextmanager
def window_beside(ready: Path | None) -> Iterator[tuple[Path | None, Callable[[], bool], Callable[[], object]]]:
    """Open a window on a run as soon as that answers, where there is a display; close it with the run.

    Args:
        ready: File that the run tells where it answers, None = nobody asked for one.

    Yields:
        The file that the run is to tell where it answers, whether the window is open, and what waits for its end.
    """
    if not _can_open():
        yield ready, lambda: False, lambda: None
        return
    with contextlib.ExitStack() as stack:
        place = ready or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-"))) / "ready.json"
        place.unlink(missing_ok=True)  # of an earlier run
        command = module_command("coopsim", "view", "--quiet", "--when", str(place), *plugins.loading("renderers"))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.kill)  # it has nothing to lose
        yield place, lambda: process.poll() is None, process.wait


def _can_open() -> bool:
    """Return whether a window can be opened; where only its widgets are missing, say what brings them."""
    from coopsim.features.desktop.displays import has_display

    if not has_display():
        return False
    if importlib.util.find_spec("imgui_bundle") is None:
        talk.note(f"no window: {extra_command('gui')} brings what it needs")
        return False
    return True
