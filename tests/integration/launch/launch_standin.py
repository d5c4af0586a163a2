"""A stand-in for the physics or the host process: speaks with the launcher and behaves as the first argument says.

The second argument says whose part it plays; the ends that the launcher hands over follow.
"""

import os
import signal
import sys

from coopsim.launch.config import receive_config
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.transport import Channel
from coopsim.transport.control import (
    CompilingKernels,
    DurationOver,
    ExpectControllers,
    HostStatus,
    HostSummary,
    LastEventsSent,
    PlanarPose,
    ProcessFailed,
    Ready,
    RecorderAwaited,
    RecordFrom,
    RecordingBegins,
    RecordingRefused,
    SendLastEvents,
    SourceSummary,
    Start,
    Stop,
)

SUMMARY = SourceSummary(7, 0.07, 0.5, 1, 0.002, 0.0, "ab" * 16, {"robot1": PlanarPose(1.0, 2.0, 0.5)})
STATUS = HostStatus(
    mode="real-time",
    paused=False,
    tick=7,
    time=0.07,
    real_time_factor=1.0,
    overruns=1,
    max_lateness=0.002,
    slipped=0.0,
    patience_fired=0,
    awaited={"robot1": 0.4},
    driven=1,
    patience=0.0,
    policy="stop",
    clients=1,
)


def main(behaviour: str, part: str, ends: ChildDescriptors) -> int:
    launcher = Channel.from_descriptor(ends.launcher)
    if behaviour == "problem":
        receive_config(launcher)
        launcher.send(ProcessFailed(505, "port 5570 is in use"))
        return 1
    if behaviour == "crash":
        return 7
    if behaviour == "mute":
        signal.pause()
    receive_config(launcher)
    if behaviour in {"compiles", "compiles for long"}:
        launcher.send(CompilingKernels())
    if behaviour == "compiles for long":
        signal.sigtimedwait([], 13.0)
    launcher.send(Ready({"zmq": 5570, "tcp": 5571} if part == "host" else {}))
    if part == "host":
        launcher.send(STATUS)
    return serve(behaviour, part, launcher)


def serve(behaviour: str, part: str, launcher: Channel) -> int:
    while not launcher.closed:
        for message in launcher.wait(None):
            match message:
                case Start() | ExpectControllers():
                    if behaviour == "suicide":
                        os.kill(os.getpid(), signal.SIGKILL)
                    if behaviour in {"duration", "compiles", "compiles for long"} and part == "physics":
                        launcher.send(DurationOver())
                case RecordFrom():
                    is_refused = behaviour == "unrecordable"
                    launcher.send(RecordingRefused(502, "it has no state") if is_refused else RecordingBegins(0, 0))
                    if behaviour == "waits":
                        launcher.send(RecorderAwaited(True))
                case SendLastEvents():
                    launcher.send(LastEventsSent())
                case Stop():
                    if behaviour == "deaf":
                        signal.pause()
                    launcher.send(SUMMARY if part == "physics" else HostSummary({"robot1": "me"}, 1, 2))
                    return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], ChildDescriptors.parse(sys.argv[3:])))
