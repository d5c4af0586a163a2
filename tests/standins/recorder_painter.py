"""Stands for the process that draws images: answers each order with its words; dies, or refuses, as it is told."""

import base64
import os
import signal
import sys

from coopsim.transport import Channel
from coopsim.transport.control import CameraImage, CameraOrder, CameraRefusal, CamerasToHost


def main(manner: str, descriptor: str) -> None:
    """Answer until the other end is closed."""
    host: Channel[CamerasToHost, CameraOrder] = Channel.from_descriptor(int(descriptor))
    while not host.closed:
        for order in host.wait(None):
            if manner == "dies" and order.id % 3 == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            if manner == "refuses":
                host.send(CameraRefusal(509, "there is no OpenGL", order.id))
                continue
            text = base64.b64encode(f"{order.encoding} {order.tick}".encode()).decode()
            tick = order.tick + (manner == "late")
            host.send(CameraImage(order.id, tick, 0.01 * tick, 4, 3, (text,)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[-2])
