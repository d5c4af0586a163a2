"""Remarks on what a scene probably does not mean: overlaps, what is off the floor or inside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from coopsim.geometry import rotation_matrix
from coopsim.robots.blueprint import RunSpec
from coopsim.robots.placed_solid import PlacedSolid, overlap
from coopsim.robots.section_family import Extras
from coopsim.scene import Floor, LinkSpec, ObjectPart, Problems, Span, quoted

_LEAST = 0.005
"""Less than that two bodies may overlap where a run is saved while they touch [m]."""
_MOST = 3
"""Remarks of one kind on one section: with `count` it may have thousands of robots."""
_MOST_SECTIONS = 8
"""Sections with remarks of one kind: a scene may have thousands, and the cause is the same in most."""

_DIGITS = 4  # of a height [m]


def remark(spec: RunSpec, problems: Problems) -> None:
    """Warn of bodies that overlap as the run begins, of those off the floor, and of players out of the field."""
    bodies, scenario = solids(spec), spec.scenario
    _remark_floor(bodies, scenario.world.floor, problems)
    _remark_depth(spec, problems)
    joints = [joint for joint in (*scenario.world.joints, *scenario.joints) if joint.kind != "spring"]
    joined = {frozenset((joint.a, joint.b)) for joint in joints}
    wholes = {node.name: node.soft.whole for node in scenario.world.objects if node.soft}
    pairs: dict[Span, list[str]] = {}
    for first, second, depth in overlaps(bodies):
        if {first.name, second.name} in joined or (
            first.name in wholes and wholes[first.name] == wholes.get(second.name)
        ):
            continue
        text = f"{quoted(first.name)} and {quoted(second.name)} overlap by {depth:.2g} m and will be pushed apart"
        pairs.setdefault(first.span, []).append(text)
    _warn_sections(pairs, ("so do", "more pairs"), problems)
    Extras(scenario.extras, problems).warn(spec)


def _remark_floor(bodies: Sequence[PlacedSolid], floor: Floor, problems: Problems) -> None:
    """Warn of bodies off the floor."""
    off: dict[Span, dict[str, str]] = {}
    for solid in bodies:
        where = off_floor(solid, floor)
        if where:
            text = f"{quoted(solid.name)} is off the floor: {where}"
            off.setdefault(solid.span, {}).setdefault(solid.name, text)
    _warn_sections({span: list(texts.values()) for span, texts in off.items()}, ("so are", "more"), problems)


def _remark_depth(spec: RunSpec, problems: Problems) -> None:
    """Warn of upright robots that begin inside the floor, such as models whose origin is in their middle."""
    deep: dict[Span, list[str]] = {}
    bottoms = {name: min(map(bottom, kind.links), default=0.0) for name, kind in spec.types.items()}
    for robot in spec.scenario.robots:
        low = robot.position[2] + bottoms[robot.type]
        if low < -_LEAST and not any(robot.orientation[:2]):
            stands = round(robot.position[2] - low, _DIGITS)
            text = f"{quoted(robot.name)} begins {-low:.2g} m inside the floor; it stands on it at z {stands:g}"
            deep.setdefault(robot.span, []).append(text)
    _warn_sections(deep, ("so do", "more"), problems)


def _warn_sections(remarks: Mapping[Span, list[str]], words: tuple[str, str], problems: Problems) -> None:
    """Warn of the first sections, and say of the last of these how many remarks there are on others.

    Args:
        remarks: Of one kind, by section.
        words: Before and after how many more there are: `so are`, `more`.
        problems: Gets the warnings.
    """
    begin, end = words
    rest = sum(map(len, list(remarks.values())[_MOST_SECTIONS:]))
    for number, (span, texts) in enumerate(list(remarks.items())[:_MOST_SECTIONS], 1):
        if rest and number == _MOST_SECTIONS:
            texts[min(len(texts), _MOST) - 1] += f"; {begin} {rest} {end} of later sections"
        _warn(span, texts, f"{begin} {len(texts) - _MOST} {end} of this section", problems)


def _warn(span: Span, texts: Sequence[str], rest: str, problems: Problems) -> None:
    """Warn of the first ones of a section, which may have thousands, and say of the last of these how many follow."""
    few = list(texts[:_MOST])
    if len(texts) > _MOST:
        few[-1] += f"; {rest}"
    for text in few:
        problems.warn(span, text)


def solids(spec: RunSpec) -> list[PlacedSolid]:
    """Return what has a body as the run begins: objects, then robots, in their order."""
    scenario = spec.scenario
    placed_solids: list[PlacedSolid] = []
    for thing in scenario.world.objects:
        placed_solids += PlacedSolid.all_of(thing, is_fixed=thing.mass == 0.0)
    for robot in scenario.robots:
        kind = spec.types[robot.type]
        place = (robot.position, robot.orientation, robot.span)
        if kind.hull is not None:
            placed_solids += PlacedSolid.all_of_part(robot, kind.hull, is_fixed=False)
            continue
        placed_solids.append(PlacedSolid.of(robot.name, kind.shape, kind.size, *place, is_fixed=False))
    return placed_solids


def bottom(link: LinkSpec) -> float:
    """Return how high the lowest point of a link is above the origin of its robot [m]."""
    axes, lows = rotation_matrix(*link.orientation), []
    for part in link.parts or (ObjectPart(link.shape, link.size),):
        if part.points is not None and part.shape == "box":  # a convex hull
            corners = np.reshape(part.points, (-1, 3)) @ rotation_matrix(*part.orientation).T + part.position
            lows.append(float((corners @ axes.T)[:, 2].min()) + link.position[2])
        else:
            solid = replace(part, points=None, shape=part.shape if part.points is None else "box")
            boxes = PlacedSolid.all_of_part(link, solid, is_fixed=False)
            lows += [float(box.middle[2] - box.reach[2]) for box in boxes]
    return min(lows)


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
        for neighbour in near[((low[near] < high[place]) & (low[place] < high[near])).all(axis=1)].tolist():
            # two that move are met twice
            if neighbour > place or (neighbour < place and solid.is_fixed):
                depth = overlap(solids[neighbour], solid) if solids[neighbour].name != solid.name else 0.0
                if depth > _LEAST:
                    yield solids[neighbour], solid, depth
