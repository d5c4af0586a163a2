"""A stand-in for the physics or the host process: speaks with the launcher and behaves as the first argument says.

The second argument says whose part it plays; the ends that the launcher hands over follow.
"""

import os
import signal
import sys

from coopsim.launch.links import Ends
from coopsim.launch.order import receive_order
from coopsim.transport import Channel

SUMMARY = {
    "ticks": 7,
    "sim_time": 0.07,
    "wall_time": 0.5,
    "overruns": 1,
    "max_lateness": 0.002,
    "slipped": 0.0,
    "state_hash": "ab" * 16,
    "robots": {"robot1": {"x": 1.0, "y": 2.0, "heading": 0.5}},
}
STATUS = {
    "mode": "real-time",
    "paused": False,
    "tick": 7,
    "time": 0.07,
    "real_time_factor": 1.0,
    "overruns": 1,
    "max_lateness": 0.002,
    "slipped": 0.0,
    "patience_fired": 0,
    "awaited": {"robot1": 0.4},
    "clients": 1,
}


def main(behaviour: str, part: str, ends: Ends) -> int:
    launcher = Channel.from_descriptor(ends.launcher)
    if behaviour == "problem":
        receive_order(launcher)
        launcher.send({"problem": {"error": 505, "text": "port 5570 is in use"}})
        return 1
    if behaviour == "crash":
        return 7
    if behaviour == "mute":
        signal.pause()
    receive_order(launcher)
    if behaviour == "compiles":
        launcher.send({"compiling": {}})
    launcher.send({"ready": {"zmq": 5570, "tcp": 5571} if part == "host" else {}})
    if part == "host":
        launcher.send({"status": STATUS})
    return serve(behaviour, part, launcher)


def serve(behaviour: str, part: str, launcher: Channel) -> int:
    while not launcher.closed:
        for message in launcher.wait(None):
            if "start" in message or "controllers" in message:
                if behaviour == "suicide":
                    os.kill(os.getpid(), signal.SIGKILL)
                if behaviour == "duration":
                    launcher.send({"ended": "duration"})
            if message.get("record"):
                begins, cannot = {"position": 0, "revision": 0}, {"error": 502, "text": "it has no state"}
                launcher.send({"recording": cannot if behaviour == "unrecordable" else begins})
                if behaviour == "waits":
                    launcher.send({"waiting": True})
            if "stop" in message:
                if behaviour == "deaf":
                    signal.pause()
                summary = SUMMARY if part == "physics" else {"owners": {"robot1": "me"}, "patience_fired": 2}
                launcher.send({"summary": summary})
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Ends.parse(sys.argv[3:])))
