"""`python -m coopsim.camera.process`: the process that draws what cameras see; only the launcher starts it."""

import signal
import sys
from pathlib import Path

from coopsim.camera.service import ImageService, open_painter
from coopsim.camera.states import RecordedStates, RingStates, TickStates
from coopsim.errors import CannotDraw
from coopsim.transport import Channel, Ring
from coopsim.transport.control import CamerasToHost, CamerasToLauncher, HostToCameras, ProcessFailed


def main(arguments: list[str]) -> int:
    """Draw until the host is gone; return the exit code.

    Args:
        arguments: The ring, descriptors of the channels to the launcher and the host, the recording that is shown.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ring, *descriptors, recording = arguments
    channels = [Channel.from_descriptor(int(each)) for each in descriptors]
    launcher: Channel[CamerasToLauncher, None] = channels[0]
    host: Channel[CamerasToHost, HostToCameras] = channels[1]
    states: TickStates = RecordedStates(Path(recording)) if recording else RingStates(Ring.attach(ring))
    try:
        service = ImageService(states, open_painter(lambda text: sys.stderr.write(f"{text}\n")))
    except CannotDraw as problem:  # it stays, so that each request is told
        launcher.send(ProcessFailed.of(problem))
        service = ImageService(states, problem)
    service.serve(host)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
