"""A stand-in for a joystick with force feedback: it leads quadrotors, and yields to the force that it is told.

Start `coopsim run teleoperation`, then

    python clients/python/joystick.py --x 1 --seconds 15

To use your own device, replace `stick` by its values, -1 to 1, and hand `force` to its motors.
"""

import argparse
import time
from collections.abc import Sequence

from coopsim.client import Client, connect

NOWHERE = (0.0, 0.0, 0.0)
FORCE, PATIENCE = "/operator/force", 10.0


def lead(sim: Client, options: argparse.Namespace) -> float:
    """Hold the stick for a while; return the largest force that came back [N]."""
    joystick, force = sim.offer("/operator/joystick", dict.fromkeys("xyz", "1")), sim.module(FORCE)
    hand, largest = (options.x, options.y, options.z), 0.0
    until = time.monotonic() + PATIENCE  # the control law begins a moment after its run
    while not sim.names(FORCE):
        if time.monotonic() > until:
            raise SystemExit(f"nobody offers {FORCE}; start `coopsim run teleoperation`")
        time.sleep(0.1)
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        felt = force.read()
        pushed = (felt.x, felt.y, felt.z)
        largest = max(largest, sum(each * each for each in pushed) ** 0.5)
        joystick.write(*yielding(hand, pushed, options.compliance))
        time.sleep(0.02)
    joystick.write(*NOWHERE)
    return largest


def yielding(hand: Sequence[float], force: Sequence[float], compliance: float) -> list[float]:
    """Return where the stick is, which gives way to the force, between -1 and 1."""
    return [max(-1.0, min(1.0, held + compliance * pushed)) for held, pushed in zip(hand, force, strict=True)]


def main() -> int:
    """Lead the group."""
    parser = argparse.ArgumentParser(description="A stand-in for a joystick with force feedback.")
    for axis in "xyz":
        parser.add_argument(f"--{axis}", type=float, default=0.0, help=f"where the hand holds the stick along {axis}")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long")
    parser.add_argument("--compliance", type=float, default=0.05, help="by which the stick gives way [1/N]")
    options = parser.parse_args()
    with connect() as sim:
        largest = lead(sim, options)
    print(f"the largest force was {largest:.1f} N")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
