"""Reads the distances around a robot, and changes how far it sees."""

from coopsim_client import Client

RESET, RANGES, GET_PARAMETER, SET_PARAMETER = 14, 10, 2, 3

with Client() as sim:
    sim.ask("/sim/world", RESET)
    ranges = sim.ask("/robot1/sonars", RANGES).data
    print("ranges", *(f"{distance:.3f}" for distance in ranges))
    (reach,) = sim.ask("/robot1/sonars", GET_PARAMETER, ["reach"]).params
    (changed,) = sim.ask("/robot1/sonars", SET_PARAMETER, ["reach", 2.0]).params
    print(f"reach was {reach:.1f} m, is {changed:.1f} m")
    sim.ask("/robot1/sonars", SET_PARAMETER, ["reach", reach])
