"""Exercise 4: two robots keep their places behind a third one, on its way past obstacles."""

import numpy as np
from attractor import BEARINGS, speed, turn_rate

from coopsim.client import connect

STEP = 0.1  # s
TEAM = ["robot1", "robot2", "robot3"]  # the first one leads
PLACES = {"robot2": (-0.7, 0.4), "robot3": (-0.7, -0.4)}  # ahead and left of the leader [m]


def follow(leader, place, ranges, leader_speed):
    """Return (v, w) of a robot that sees its leader at (x, y), ahead and to the left [m], and has a place to keep."""
    # yours
    x, y = leader[0] + place[0], leader[1] + place[1]
    v = min(leader_speed + 1.0 * x, speed(ranges, 10.0, 0.5))
    w = turn_rate(ranges, np.arctan2(y, 0.4 + max(x, 0.0)))
    # end of yours
    return max(v, 0.0), w


def seen_at(sighting):
    """Return where a robot is, ahead and to the left [m], from its distance and bearing."""
    distance, bearing, _ = sighting
    return np.array([distance * np.cos(bearing), distance * np.sin(bearing)])


def without_mates(ranges, sightings):
    """Return what the sonars read with the echoes of teammates taken out."""
    ranges = ranges.copy()
    for distance, bearing, is_seen in sightings:
        if is_seen and distance < 2.0:
            hidden = np.abs(BEARINGS - bearing) < 0.25 + np.arcsin(min(1.0, 0.25 / distance))
            ranges[hidden & (np.abs(ranges - distance + 0.5) < 0.3)] = 3.0
    return ranges


def commands(seen):
    """Return the commands of the team: the leader goes to the target, the others after it."""
    mates = {name: seen[name].target.table("robots") for name in TEAM}
    ranges = {name: without_mates(seen[name].sonars.ranges, mates[name]) for name in TEAM}
    distance, bearing, _ = seen["robot1"].target.table("targets")[0]
    v = speed(ranges["robot1"], distance, 0.25)
    speeds = [(v, turn_rate(ranges["robot1"], bearing))]
    for name, place in PLACES.items():
        speeds.append(follow(seen_at(mates[name][0]), place, ranges[name], v))
    return speeds


def main():
    """Drive the three robots of the scene `formation` to their target, in lockstep."""
    errors = []
    with connect() as sim:
        sim.clock.set_mode("lockstep")
        sim.world.load("formation")
        sim.clock.set_step(STEP)
        for name in TEAM:  # in the first slot the leader
            mates = [mate for mate in TEAM if mate != name]
            sim.robot(name).target.parameters["robots"] = " ".join(mates)
        with sim.stepper(TEAM) as stepper:
            seen = stepper.step([(0.0, 0.0)] * 3)
            distance = 10.0
            while distance > 0.3 and len(errors) < 600:
                seen = stepper.step(commands(seen))
                distance = seen["robot1"].target.table("targets")[0, 0]
                errors.append(
                    [np.hypot(*seen_at(seen[name].target.table("robots")[0]) + place) for name, place in PLACES.items()]
                )
    print(f"{distance:.1f} m from the target after {len(errors) * STEP:.1f} s, places kept to {np.mean(errors):.2f} m")


if __name__ == "__main__":
    main()
