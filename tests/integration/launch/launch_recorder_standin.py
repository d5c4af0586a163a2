"""A stand-in for the recorder process: behaves as the first argument says.

The ends that the launcher hands over follow.
"""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from coopsim.launch.descriptors import ChildDescriptors
from coopsim.transport import Channel
from coopsim.transport.control import (
    FoxgloveClosed,
    FoxgloveFailed,
    FoxgloveProgress,
    OpenRecording,
    ProcessFailed,
    RecorderStatus,
    RecordingBegins,
    RecordingClosed,
    RecordingOpened,
    Stop,
)

STATUS = RecorderStatus(1.0, 100, 5000, 0)


def main(behaviour: str, ends: ChildDescriptors) -> int:
    launcher = Channel.from_descriptor(ends.launcher)
    if behaviour == "crash":
        return 4
    if behaviour == "mute":
        signal.pause()
    while not launcher.closed:
        for message in launcher.wait(None):
            if isinstance(message, OpenRecording):
                file = Path(message.file)
            if isinstance(message, Stop) and behaviour == "robbed":
                file.unlink()
            if isinstance(message, Stop) and behaviour != "deaf":
                launcher.send(RecordingClosed(STATUS))
                return shown(behaviour, launcher)
            for answer in answers(behaviour, message):
                launcher.send(answer)
            if isinstance(message, RecordingBegins) and behaviour == "full":
                return 1
    return 0


def shown(behaviour: str, launcher: Channel) -> int:
    """Do as if a file for Foxglove were made; return the exit code."""
    if behaviour == "shows":
        launcher.send(FoxgloveClosed(7, 99))
    if behaviour == "cannot show":
        launcher.send(FoxgloveFailed(603, "no room for Foxglove"))
    if behaviour == "dies showing":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "stalls showing":
        launcher.send(FoxgloveProgress())
        signal.pause()
    return 0


def answers(behaviour: str, message: Any) -> list[Any]:
    """Return what it says to a message."""
    if isinstance(message, OpenRecording):
        if behaviour == "refuse":
            return [ProcessFailed(603, "no place for it")]
        Path(message.file).write_bytes(bytes(STATUS.size_bytes))
        return [RecordingOpened()]
    if isinstance(message, RecordingBegins):
        if behaviour == "suicide":
            os.kill(os.getpid(), signal.SIGKILL)
        if behaviour == "full":
            return [ProcessFailed(603, "the disk is full")]
        return [STATUS, replace(STATUS, gaps=3)]
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], ChildDescriptors.parse(sys.argv[2:])))
