"""Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings."""

from coopsim_client import Client

RESET, LAYOUT, STEP, CLAIM, RELEASE, POSE = 14, 10, 11, 13, 15, 10
ROBOTS = ["robot1", "robot2", "robot3"]
STEPS = 60

with Client() as sim:
    sim.ask("/sim/world", RESET)
    lengths = sim.ask("/sim/step", LAYOUT).data
    sim.ask("/sim/step", CLAIM, ROBOTS)
    for step in range(STEPS):
        turn = 0.25 if step % 80 < 40 else -0.25
        commands = [value for inner in (0.25, 0.3125, 0.375) for value in (inner, turn)]
        readings = sim.ask("/sim/step", STEP, [0, *ROBOTS], commands).data
    print(f"{len(readings)} readings a step, {lengths[1]:.0f} of each robot")
    for name in ROBOTS:
        x, y, *_ = sim.ask(f"/{name}/odometry", POSE).data
        print(f"{name}: x {x:.3f} m, y {y:.3f} m")
    sim.ask("/sim/step", RELEASE)
