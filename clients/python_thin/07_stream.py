"""Sees every state of a robot without asking for it."""

from coopsim_client import Client, state_of

RESET, SUBSCRIBE, CLAIM, STEP, RELEASE = 14, 11, 13, 11, 15

with Client() as sim:
    sim.ask("/sim/world", RESET)
    sim.ask("/sim/step", CLAIM, ["robot1"])
    sim.ask("/sim/info", SUBSCRIBE, ["/robot1"])
    for number in range(1, 51):
        tick = sim.ask("/sim/step", STEP, [0, "robot1"], [0.4, 0.1]).tick
        state = state_of(sim.state())
        while state.tick < tick:
            state = state_of(sim.state())
        if number % 10 == 0:
            x, y = state.poses[0][:2]
            print(f"step {number}: {state.names[0]} is at x {x:.3f} m, y {y:.3f} m")
    sim.ask("/sim/step", RELEASE)
