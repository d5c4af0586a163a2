"""Prints where a robot is without asking: `python watch.py [ROBOT [STATES]]`, a state of ten."""

import struct
import sys
from collections.abc import Iterator

from coopsim_tcp import Coopsim, Refused, decode

INFO, SUBSCRIBE, NAMES = "/sim/info", 11, 8  # the names of the bodies are the params from the eighth on


def states(sim: Coopsim, topic: str) -> Iterator[tuple[int, float, dict[str, list[float]]]]:
    """Yield tick, time [s] and pose of each body, x y z [m] and quaternion w x y z, until the run ends."""
    sim.ask(INFO, SUBSCRIBE, [topic])
    ended = 0
    while not ended:
        raw = sim.receive(struct.unpack(">I", sim.receive(4))[0])
        _, number, _, tick, error, text, _, params, data = decode(raw)
        if error:
            raise Refused(error, text)
        if number == 0:  # the others are replies
            ended, bodies = params[5], params[NAMES : NAMES + params[6]]
            yield tick, data[0], {name: data[1 + 7 * at : 8 + 7 * at] for at, name in enumerate(bodies)}


def main(robot: str = "robot1", count: str = "10") -> None:
    for number, (_, time, poses) in enumerate(states(Coopsim(), f"/{robot}@10"), 1):
        x, y, *_ = poses[robot]
        print(f"{time:.2f} s: {robot} is at x {x:.2f} m, y {y:.2f} m")
        if number == int(count):
            break


if __name__ == "__main__":
    main(*sys.argv[1:])
