"""Process that draws what cameras see; launcher and recorder start it."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim import plugins
from coopsim.errors import CannotDraw, CoopsimError
from coopsim.features.desktop.cameras.service import ImageService, open_painter
from coopsim.features.desktop.cameras.states import RecordedStates, RingStates
from coopsim.memory import collect_seldom, keep_freed_memory
from coopsim.transport import Channel, Ring
from coopsim.transport.control import CamerasToHost, CamerasToLauncher, HostToCameras, ProcessFailed
from coopsim.transport.last_words import keep_last_words

if TYPE_CHECKING:
    from coopsim.features.desktop.cameras.painter import ImagePainter

_ROOM = 1 << 20
"""What is asked for so that images go out at once and not after the next one is begun [B]."""

_KEPT = 16 << 20
"""Memory that is kept for the next image: to have the kernel clear it anew takes a fifth of the time of one [B]."""


def main(arguments: list[str]) -> int:
    """Draw until the host is gone; return the exit code.

    Args:
        arguments: `--plugin` before each file that brings a renderer, the ring, descriptors of the channels to the
            launcher and the host, or twice to the recorder, and the recording that is shown.
    """
    keep_last_words()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    files, words = [], list(arguments)
    while words[0] == "--plugin":
        files.append(words[1])
        del words[:2]
    ring, *descriptors, recording = words
    channels = [Channel.from_descriptor(int(descriptor)) for descriptor in descriptors]
    launcher: Channel[CamerasToLauncher, None] = channels[0]
    host: Channel[CamerasToHost, HostToCameras] = channels[1]
    host.make_room(_ROOM)
    keep_freed_memory(_KEPT)
    painter = _painter(launcher, files)
    collect_seldom()
    if recording:
        recorded = RecordedStates(Path(recording))
        ImageService(recorded, painter, recorded.image, tell=_warn).serve(host)
    else:
        ImageService(RingStates(Ring.attach(ring)), painter, tell=_warn).serve(host)
    return 0


def _warn(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _painter(launcher: Channel[CamerasToLauncher, None], files: Sequence[str]) -> "ImagePainter | CannotDraw":
    """Return what draws; or why nothing does, so that each request is told.

    Args:
        launcher: Is told, too.
        files: Loose plugins with renderers.
    """
    try:
        try:
            for file in files:
                plugins.add(file)
        except CoopsimError as problem:  # it changed since the launcher looked at it
            raise CannotDraw(str(problem)).advise(problem.cure) from None
        return open_painter(_warn)
    except CannotDraw as problem:
        launcher.send(ProcessFailed.of(problem))
        return problem


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
