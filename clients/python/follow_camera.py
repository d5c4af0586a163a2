"""Follows what is red by the images of a robot's camera: `python follow_camera.py [ROBOT [SECONDS]]`.

What is on an image is found by numpy alone: which pixels are red, where their middle is, and how far away they are.
"""

import sys

import numpy as np

from coopsim.client import Image, connect

DISTANCE = 1.0  # m, to keep
GAIN, TURN = 0.8, 1.5  # m/s per m, rad/s per rad


def find(image: Image, depth: Image, fov: float) -> tuple[float, float] | None:
    """Return distance [m] and bearing [rad] of what is red; None if nothing is."""
    red, green, blue = (image[:, :, channel].astype(int) for channel in range(3))
    seen = (red > 60) & (red > 2 * green) & (red > 2 * blue) & (depth > 0.0)
    if not seen.any():
        return None
    half = image.shape[1] / 2.0
    left = (half - np.flatnonzero(seen.any(axis=0)).mean()) / half  # 1 = at the left edge
    bearing = np.arctan(left * np.tan(fov / 2.0))
    return float(np.median(depth[seen])), float(bearing)


def decide(found: tuple[float, float] | None) -> tuple[float, float]:
    """Return (v, w): towards what was found, round and round if there is nothing."""
    if found is None:
        return 0.0, 0.6
    distance, bearing = found
    return float(np.clip(GAIN * (distance - DISTANCE), -0.3, 0.7)), TURN * bearing


def main(name: str = "robot2", seconds: str = "10") -> None:
    with connect() as sim, sim.stepper(name) as stepper:
        camera, red_spot = sim.robot(name).camera, None
        fov, until = camera.info().fov, camera.image().time + float(seconds)
        while (image := camera.image()).time < until:
            red_spot = find(image, camera.depth(), fov)
            while stepper.readings[name].camera.image <= image.tick:  # until the next image
                stepper.step([decide(red_spot)])
    print(f"{name}: nothing is red" if red_spot is None else f"{name} is {red_spot[0]:.2f} m behind what is red")


if __name__ == "__main__":
    main(*sys.argv[1:])
