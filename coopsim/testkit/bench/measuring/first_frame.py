"""Time from a command on the shell to the first picture on a desktop that nobody sees."""

import os
import subprocess
import time

import numpy as np
from PIL import ImageGrab

from coopsim.errors import NoReply
from coopsim.interpreter import module_command

_PATIENCE = 60.0  # s; a machine that needs longer has other troubles
_DESKTOP = "1280x800x24"
_LIGHT, _EDGE = 100, 20
"""Grey levels of 255: of a picture that is drawn, and between the floor and its lines."""


def seconds_from_shell(*words: str) -> float:
    """Return the time until a command of coopsim has drawn into its window [s].

    Args:
        words: Of the command, as `gui`.

    Raises:
        NoReply: It drew nothing.
    """
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", _DESKTOP, "-noreset", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            display = f":{pipe.readline().strip()}"
        return _until_drawn(display, words)
    finally:
        server.terminate()
        server.wait()


def _until_drawn(display: str, words: tuple[str, ...]) -> float:
    began = time.perf_counter()
    program = module_command("coopsim", *words)
    process = subprocess.Popen(program, env={**os.environ, "DISPLAY": display}, stderr=subprocess.DEVNULL)
    try:
        while time.perf_counter() - began < _PATIENCE:
            if _is_drawn(display):
                return time.perf_counter() - began
            time.sleep(0.05)
    finally:
        process.terminate()  # what a shell starts in the background hears no Ctrl-C
        process.wait(_PATIENCE)
    raise NoReply(f"coopsim {' '.join(words)} has drawn nothing within {_PATIENCE:g} s")


def _is_drawn(display: str) -> bool:
    """Return whether the middle of the desktop has a floor: the sky alone does not change from left to right."""
    middle = np.asarray(ImageGrab.grab(xdisplay=display).convert("L").crop((400, 150, 800, 500)), np.int64)
    spread = middle.max(axis=1) - middle.min(axis=1)
    return bool(middle.max() > _LIGHT and (spread > _EDGE).any())
