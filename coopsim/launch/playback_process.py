"""`python -m coopsim.launch.playback_process`: the process that shows a recording; only the launcher starts it."""

import signal
import sys
from pathlib import Path

from coopsim.errors import SimulationEnded
from coopsim.launch.config import receive_config
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.replay.playback import run_playback
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import LauncherToSource, SourceToLauncher
from coopsim.transport.last_words import keep_last_words


def main(arguments: list[str]) -> int:
    """Run until the launcher says stop or is gone; return the exit code."""
    keep_last_words()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ends = ChildDescriptors.parse(arguments)
    launcher: Channel[SourceToLauncher, LauncherToSource] = Channel.from_descriptor(ends.launcher)
    try:
        playback = receive_config(launcher).options.playback
        assert playback is not None  # noqa: S101 - `replaying` gave it
        ring, host = Ring.attach(ends.ring), Channel.from_descriptor(ends.peer)
        return run_playback(playback, ring, host, Notifier(writer=ends.wake), launcher)
    except SimulationEnded:
        return 0
    finally:
        if launcher.closed:  # the launcher died and cannot remove the name
            Path(ends.ring).unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
