"""Wanders without a collision: in lockstep each reading is of the step that the last command made."""

from coopsim_client import Client

RESET, RELEASE, RANGES, SET_VELOCITY, POSE = 14, 15, 10, 10, 10
STEPS = 90


def decide(ranges: list[float]) -> tuple[float, float]:
    """Return (v, w): forward, turning to the side with more room."""
    middle = len(ranges) // 2
    right, left, ahead = min(ranges[: middle + 1]), min(ranges[middle:]), min(ranges[middle - 1 : middle + 2])
    if ahead < 0.6:
        return 0.0, 0.8 if left >= right else -0.8
    return 0.4, 0.4 * (left - right) / (left + right + 0.1)


with Client() as sim:
    sim.ask("/sim/world", RESET)
    for step in range(STEPS):
        ranges = sim.ask("/robot1/sonars", RANGES).data
        sim.ask("/robot1/motors", SET_VELOCITY, data=decide(ranges))
        if step % 30 == 29:
            x, y, *_ = sim.ask("/robot1/odometry", POSE).data
            print(f"step {step + 1}: x {x:.3f} m, y {y:.3f} m")
    sim.ask("/sim/step", RELEASE)
