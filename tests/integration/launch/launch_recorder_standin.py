"""A stand-in for the recorder process: behaves as the first argument says.

The ends that the launcher hands over follow.
"""

import os
import signal
import sys
from typing import Any

from coopsim.launch.links import Ends
from coopsim.transport import Channel

STATUS = {"duration": 1.0, "ticks": 100, "size_bytes": 5000, "gaps": 0}


def main(behaviour: str, ends: Ends) -> int:
    launcher = Channel.from_descriptor(ends.launcher)
    if behaviour == "crash":
        return 4
    if behaviour == "mute":
        signal.pause()
    while not launcher.closed:
        for message in launcher.wait(None):
            if "stop" in message and behaviour != "deaf":
                launcher.send({"closed": STATUS})
                return shown(behaviour, launcher)
            for answer in answers(behaviour, message):
                launcher.send(answer)
            if "begin" in message and behaviour == "full":
                return 1
    return 0


def shown(behaviour: str, launcher: Channel) -> int:
    """Do as if a file for Foxglove were made; return the exit code."""
    if behaviour == "shows":
        launcher.send({"foxglove_closed": {"messages": 7, "size_bytes": 99}})
    if behaviour == "cannot show":
        launcher.send({"foxglove_problem": {"error": 603, "text": "no room for Foxglove"}})
    if behaviour == "dies showing":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "stalls showing":
        launcher.send({"foxglove": {}})
        signal.pause()
    return 0


def answers(behaviour: str, message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what it says to a message."""
    if "open" in message:
        if behaviour == "refuse":
            return [{"problem": {"error": 603, "text": "no place for it"}}]
        return [{"opened": {}}]
    if "begin" in message:
        if behaviour == "suicide":
            os.kill(os.getpid(), signal.SIGKILL)
        if behaviour == "full":
            return [{"problem": {"error": 603, "text": "the disk is full"}}]
        return [{"status": STATUS}, {"status": STATUS | {"gaps": 3}}]
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Ends.parse(sys.argv[2:])))
