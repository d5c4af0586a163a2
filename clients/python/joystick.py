"""A joystick that leads quadrotors: one that is plugged in, or a hand that holds it still and yields to the force.

Start `coopsim run teleoperation`, then one of

    python clients/python/joystick.py --x 1 --seconds 15
    python clients/python/joystick.py --device /dev/input/js0

A device of Linux leads by its first three axes: to the side, ahead, up. To feel the force hand it to its motors, where
`lead` reads it.
"""

import argparse
import errno
import os
import struct
import time
from collections.abc import Callable, Sequence

from coopsim.client import Client, connect

NOWHERE = (0.0, 0.0, 0.0)
FORCE, PATIENCE = "/operator/force", 10.0
EVENT, AXIS, FULL = struct.Struct("IhBB"), 2, 32767
"""An event of a joystick in Linux: milliseconds, value, kind (its highest bit: as it was at first), number."""


class Device:
    """A joystick of Linux.

    Args:
        file: `/dev/input/js0` is the first one.
    """

    def __init__(self, file: str) -> None:
        self._file = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        self._axes = [0.0, 0.0, 0.0]

    def __call__(self, _force: Sequence[float]) -> list[float]:
        """Return how far it is pushed ahead, to the left and up, -1 to 1; it may be unplugged (OSError)."""
        try:
            while True:
                raw = os.read(self._file, EVENT.size)
                if not raw:
                    raise OSError(errno.ENODEV, "it was unplugged")
                _, value, kind, number = EVENT.unpack(raw)
                if kind & 0x7F == AXIS and number < len(self._axes):
                    self._axes[number] = value / FULL
        except BlockingIOError:
            pass  # nothing has changed since
        right, back, down = self._axes
        return [-back, -right, -down]


def lead(sim: Client, options: argparse.Namespace, stick: Callable[[Sequence[float]], list[float]]) -> float:
    """Lead for a while; return the largest force that came back [N]."""
    joystick, force = sim.offer("/operator/joystick", dict.fromkeys("xyz", "1")), sim.module(FORCE)
    largest = 0.0
    until = time.monotonic() + PATIENCE  # the control law begins a moment after its run
    while not sim.names(FORCE):
        if time.monotonic() > until:
            raise SystemExit(f"nobody offers {FORCE}; start `coopsim run teleoperation`")
        time.sleep(0.1)
    until = time.monotonic() + options.seconds
    try:
        while time.monotonic() < until:
            felt = force.read()
            pushed = (felt.x, felt.y, felt.z)
            largest = max(largest, sum(axis * axis for axis in pushed) ** 0.5)
            joystick.write(*stick(pushed))
            time.sleep(0.02)
    finally:  # who leads no more, or has lost the device, pushes nowhere
        joystick.write(*NOWHERE)
    return largest


def yielding(hand: Sequence[float], force: Sequence[float], compliance: float) -> list[float]:
    """Return where the stick is, which gives way to the force, between -1 and 1."""
    return [max(-1.0, min(1.0, held + compliance * pushed)) for held, pushed in zip(hand, force, strict=True)]


def main() -> int:
    """Lead the group."""
    parser = argparse.ArgumentParser(description="A joystick, or a hand that holds one and yields to its force.")
    parser.add_argument("--device", help="a joystick that is plugged in, as /dev/input/js0; without, a hand")
    for axis in "xyz":
        parser.add_argument(f"--{axis}", type=float, default=0.0, help=f"where the hand holds the stick along {axis}")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long")
    parser.add_argument("--compliance", type=float, default=0.05, help="by which the stick gives way [1/N]")
    options = parser.parse_args()
    hand = (options.x, options.y, options.z)
    try:
        stick = Device(options.device) if options.device else lambda force: yielding(hand, force, options.compliance)
        with connect() as sim:
            largest = lead(sim, options, stick)
    except OSError as problem:
        raise SystemExit(f"{options.device} cannot be read: {problem.strerror}") from None
    print(f"the largest force was {largest:.1f} N")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
