"""Drives a robot in an arc, one request after the other."""

from coopsim_client import Client

RESET, RELEASE, SET_VELOCITY, STOP, POSE = 14, 15, 10, 12, 10

with Client() as sim:
    sim.ask("/sim/world", RESET)
    for _ in range(100):
        sim.ask("/robot1/motors", SET_VELOCITY, data=[0.4, 0.2])
        x, y, heading, *_ = sim.ask("/robot1/odometry", POSE).data
    sim.ask("/robot1/motors", STOP)
    print(f"robot1 drove to x {x:.3f} m, y {y:.3f} m, heading {heading:.3f} rad")
    sim.ask("/sim/step", RELEASE)
