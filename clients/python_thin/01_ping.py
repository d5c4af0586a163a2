"""Asks what is there, and for something that is not."""

from coopsim_client import Client, Refused

LIST = 10

with Client() as sim:
    kind, *_ = sim.ask("/robot1/motors", 0).params
    print(f"/robot1/motors is a {kind}")
    for name in sim.ask("/sim/names", LIST, ["/robot1/"]).params:
        print(name)
    try:
        sim.ask("/robotX/motors", 0)
    except Refused as refusal:
        print(f"refused with {refusal.number}")
