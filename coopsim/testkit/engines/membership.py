"""Checks of bodies that come, go, and are put elsewhere."""

import numpy as np

from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import DT, launch, push, robot, state, wall, world


def _rows(make: Make) -> CheckResult:
    engine = make(world(robot("m", 1.0), wall("b_wall", 0.0, 5.0, 1.0, 1.0), robot("c", 3.0), robot("z", 5.0)))
    first = list(engine.names)
    engine.add(robot("a", 7.0))
    grown = list(engine.names)
    engine.remove("m")
    shapes = {array.shape for array in (engine.wrench, engine.twists, engine.planar)}
    return worst(
        measured(first == ["c", "m", "z"], f"rows {first}, expected ['c', 'm', 'z']"),
        measured(grown == ["c", "m", "z", "a"], f"after add {grown}, expected the new one last"),
        measured(list(engine.names) == ["c", "z", "a"], f"after remove {list(engine.names)}"),
        measured(shapes == {(3, 6)}, f"arrays of shapes {sorted(shapes)}, expected (3, 6)"),
        within("x off by", float(np.abs(engine.planar[:, 0] - (3.0, 5.0, 7.0)).max()), 1e-3),
    )


def _forces_follow(make: Make) -> CheckResult:
    engine = make(world(*(robot(name, 2.0 * k) for k, name in enumerate("abcd"))))
    engine.remove("a")
    engine.wrench[:, 1] = 20.0, 40.0, 60.0
    engine.step(DT)
    off = float(np.abs(engine.planar[:, 4] - (DT, 2.0 * DT, 3.0 * DT)).max())
    return within("velocities off by", off, 1e-4, "m/s")


def _others_go_on(make: Make) -> CheckResult:
    engine = make(world(robot("a"), robot("b", 3.0), robot("c", 6.0)))
    launch(engine, "c", 0.5, 0.0, 0.1)
    push(engine, 0.1)
    before = state(engine, "c")
    engine.remove("a")
    engine.add(wall("wall", 0.0, 20.0, 1.0, 1.0))
    engine.add(robot("d", -9.0))
    jumped = float(np.abs(state(engine, "c") - before).max())
    push(engine, 0.9)
    return worst(within("jumped by", jumped, 1e-9), within("off by", abs(state(engine, "c")[0] - 6.5), 2e-3))


def _fixed_ones(make: Make) -> CheckResult:
    engine = make(world(robot("robot")))
    engine.add(wall("wall", 0.5, 0.0, 0.1, 3.0))
    launch(engine, "robot", 0.5)
    push(engine, 1.0)
    held = state(engine, "robot")[0]
    engine.remove("wall")
    launch(engine, "robot", 0.5)
    push(engine, 1.0)
    moved = state(engine, "robot")[0]
    return worst(
        within("went into a wall that was added by", held - 0.2, 0.01),
        measured(moved > 0.5, f"came to {moved:.3g} m when the wall was removed, at least 0.5 m"),
    )


def _put_elsewhere(make: Make) -> CheckResult:
    engine = make(world(*(robot(f"r{k}", 2.0 * k) for k in range(4))))
    wanted = np.array([[5.0, 6.0, 0.1, 0.1, 0.2, 0.3], [7.0, 8.0, -0.2, 0.0, 0.0, 0.0]])
    engine.set_state(np.array([2, 0]), wanted)
    off = float(np.abs(engine.planar[[2, 0]] - wanted).max())
    neighbour = abs(state(engine, "r1")[0] - 2.0)
    return worst(within("off by", off, 1e-6), within("another one moved by", neighbour, 1e-6))


def _empty(make: Make) -> CheckResult:
    engine = make(world())
    engine.step(DT)
    shape, touching = engine.planar.shape, len(engine.contacts().pairs)
    engine.add(robot("robot", 1.0))
    return worst(
        measured(shape == (0, 6), f"planar of shape {shape}, expected (0, 6)"),
        measured(touching == 0, f"{touching} contacts, expected none"),
        measured(list(engine.names) == ["robot"], f"rows {list(engine.names)} after add, expected ['robot']"),
    )


CHECKS = (
    Check("rows are in the order of names, new ones last, without gaps", _rows),
    Check("forces keep to their bodies when others go", _forces_follow),
    Check("others go on undisturbed when bodies come and go", _others_go_on),
    Check("fixed bodies come and go", _fixed_ones, unless="passage"),
    Check("bodies can be put elsewhere", _put_elsewhere),
    Check("an empty world works", _empty),
)
