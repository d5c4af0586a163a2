"""What a scene says without a mistake and yet probably does not mean: overlaps, what is off the floor."""

from collections.abc import Iterator, Sequence

import numpy as np

from coopsim.robots.blueprint import RunSpec
from coopsim.robots.placed_solid import PlacedSolid, overlap
from coopsim.robots.section_family import Extras
from coopsim.scene import Floor, Problems, quoted

_LEAST = 0.005
"""Less than that two bodies may overlap where a run is saved while they touch [m]."""


def remark(spec: RunSpec, problems: Problems) -> None:
    """Warn of bodies that overlap as the run begins, of those off the floor, and of players out of the field."""
    found = solids(spec)
    for solid in found:
        where = off_floor(solid, spec.scenario.world.floor)
        if where:
            problems.warn(solid.span, f"{quoted(solid.name)} is off the floor: {where}")
    scenario = spec.scenario
    joints = [joint for joint in (*scenario.world.joints, *scenario.joints) if joint.kind != "spring"]
    joined = {frozenset((joint.a, joint.b)) for joint in joints}
    wholes = {it.name: it.soft.whole for it in scenario.world.objects if it.soft}
    for one, other, depth in overlaps(found):
        if {one.name, other.name} in joined or (one.name in wholes and wholes[one.name] == wholes.get(other.name)):
            continue
        text = f"{quoted(one.name)} and {quoted(other.name)} overlap by {depth:.2g} m and will be pushed apart"
        problems.warn(one.span, text)
    Extras(scenario.extras, problems).warn(spec)


def solids(spec: RunSpec) -> list[PlacedSolid]:
    """Return what has a body as the run begins: objects, then robots, in their order."""
    scenario = spec.scenario
    found: list[PlacedSolid] = []
    for it in scenario.world.objects:
        found += PlacedSolid.all_of(it, is_fixed=it.mass == 0.0)
    for robot in scenario.robots:
        kind = spec.types[robot.type]
        place = (robot.position, robot.orientation, robot.span)
        found.append(PlacedSolid.of(robot.name, kind.shape, kind.size, *place, is_fixed=False))
    return found


def off_floor(solid: PlacedSolid, floor: Floor) -> str:
    """Return where a solid is that does not stand on the floor, "" if it does; of a fixed one no part may do so."""
    slack = solid.reach if solid.is_fixed else np.zeros(3)
    for axis, place, size, room in zip("xy", solid.middle, floor.size, slack, strict=False):
        if abs(place) - room > size / 2:
            return f"{axis} {place:.4g} m, and the floor ends at {np.copysign(size / 2, place):g} m"
    return ""


def overlaps(solids: Sequence[PlacedSolid]) -> Iterator[tuple[PlacedSolid, PlacedSolid, float]]:
    """Yield pairs that overlap, of which one moves, and how deep [m]; the later one of each pair comes first."""
    moving = [place for place, solid in enumerate(solids) if not solid.is_fixed]
    if not moving:
        return
    reach = np.array([solid.reach for solid in solids])
    middle = np.array([solid.middle for solid in solids])
    low, high = middle - reach + _LEAST / 2, middle + reach - _LEAST / 2
    order = np.array(sorted(moving, key=lambda place: low[place, 0]))
    starts, widest = low[order, 0], 2.0 * float(reach[order, 0].max())
    for place, solid in enumerate(solids):
        begin, end = np.searchsorted(starts, (low[place, 0] - widest, high[place, 0]))
        near = order[begin:end]
        for other in near[((low[near] < high[place]) & (low[place] < high[near])).all(axis=1)].tolist():
            # two that move are met twice
            if other > place or (other < place and solid.is_fixed):
                depth = overlap(solids[other], solid) if solids[other].name != solid.name else 0.0
                if depth > _LEAST:
                    yield solids[other], solid, depth
