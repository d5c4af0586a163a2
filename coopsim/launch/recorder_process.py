"""`python -m coopsim.launch.recorder_process`: the process that writes a recording; only the launcher starts it."""

import signal
import sys
from pathlib import Path

from coopsim.launch.descriptors import ChildDescriptors
from coopsim.recorder.recorder import Recorder
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import LauncherToRecorder, RecorderToLauncher
from coopsim.transport.last_words import keep_last_words


def main(arguments: list[str]) -> int:
    """Record until `Stop`, or until the other processes are gone; return the exit code."""
    keep_last_words()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ends = ChildDescriptors.parse(arguments)
    launcher: Channel[RecorderToLauncher, LauncherToRecorder] = Channel.from_descriptor(ends.launcher)
    try:
        return Recorder(Ring.attach(ends.ring), launcher, Notifier(reader=ends.wake)).run()
    finally:
        if launcher.closed:  # the launcher died and cannot remove the name
            Path(ends.ring).unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
