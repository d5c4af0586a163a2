"""Furnishes the simulation and saves it: `python scene.py [FILE.scenario]`.

Lines of the file that say what did not change stay as they are, comments included.
"""

import math
import sys

from coopsim.client import connect


def crate(number: int, of: int) -> str:
    """Return the section of one of the crates of a ring."""
    angle = 2.0 * math.pi * number / of
    x, y = 2.0 * math.cos(angle), 2.0 * math.sin(angle)
    keys = ("type box", f"name ring_{number}", "size 0.3 0.3 0.3", f"position {x:.3f} {y:.3f} 0", "mass 2")
    return "\n".join((f"[OBJECT_{number + 1}]", *keys, ""))


def main(file: str = "ring.scenario") -> None:
    with connect() as sim:
        world = sim.world
        (names,) = world.insert("".join(crate(number, 6) for number in range(6)))
        world.update(names[0], "color red")
        world.remove(names[3])
        print("inserted", ", ".join(name for name in names if name != names[3]))
        for written in world.save(file, overwrite=1).files:
            print("wrote", written)


if __name__ == "__main__":
    main(*sys.argv[1:])
