"""Shows moments of a recording (`coopsim replay FILE`), which nobody can drive."""

from coopsim_client import Client, Refused

PAUSE, SEEK, POSE, SET_VELOCITY = 13, 14, 10, 10

with Client() as sim:
    sim.ask("/sim/playback", PAUSE)
    for moment in (1.0, 2.0, 0.5):
        (shown,) = sim.ask("/sim/playback", SEEK, data=[moment]).data
        x, y, *_ = sim.ask("/robot1/odometry", POSE).data
        print(f"{shown:.2f} s: x {x:.3f} m, y {y:.3f} m")
    try:
        sim.ask("/robot1/motors", SET_VELOCITY, data=[0.3, 0.0])
    except Refused as refusal:
        print(f"refused with {refusal.number}")
