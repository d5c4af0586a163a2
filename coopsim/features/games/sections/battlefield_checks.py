"""Checks of where a match begins: flags that nobody can fetch, robots that stand where they must not be."""

from collections.abc import Mapping, Sequence

import numpy as np

from coopsim.features.games.sections.game_spec import GameSpec, PlayerSpec
from coopsim.geometry import in_polygon
from coopsim.robots.blueprint import RobotBlueprint, RunSpec
from coopsim.robots.placed_solid import PlacedSolid
from coopsim.scene import Area, Problems, Scenario, TargetSpec, find_entry, quoted

_WITHIN = 1e-9  # m; what rounding leaves of a point on a face
Place = Sequence[float]


def check_flags(game: GameSpec, spec: RunSpec, problems: Problems) -> None:
    """Find flags of two players, and those that lie where none of the others can be."""
    scenario = spec.scenario
    targets = {target.name: target for target in scenario.targets}
    owners: dict[str, str] = {}
    for player in (player for player in game.players if player.flag in targets):
        entry = find_entry(player.entries, "flag")
        span = entry.value_spans[0] if entry else player.span
        if player.flag in owners:
            text = f"{quoted(player.flag)} is the flag of player {quoted(owners[player.flag])} already"
            problems.add(span, text)
            continue
        owners[player.flag] = player.name
        where = _out_of_reach(targets[player.flag], player, game, spec)
        if where:
            problems.add(span, f"the flag {quoted(player.flag)} lies {where}: put it where robots of others can be")


def remark_robots(game: GameSpec, spec: RunSpec, problems: Problems) -> None:
    """Warn of robots of a match that begin where they must not be."""
    scenario = spec.scenario
    playing = {robot for squad in game.squads for robot in squad.robots}
    for robot in (robot for robot in scenario.robots if robot.name in playing):
        where = _outside(robot.position, scenario)
        if not where and not swims(spec.types[robot.type]):
            where = _in_water(robot.position, scenario)
        if where:
            problems.warn(robot.span, f"{quoted(robot.name)} begins {where}, which the rules of the match forbid")


def swims(kind: RobotBlueprint) -> bool:
    """Return whether water is no border for robots of a type."""
    return any(device.kind == "border" and bool(device.settings["swims"]) for device in kind.devices)


def _out_of_reach(flag: TargetSpec, player: PlayerSpec, game: GameSpec, spec: RunSpec) -> str:
    """Return where a flag lies that nobody of the others can fetch, "" where somebody can."""
    scenario = spec.scenario
    where = _outside(flag.position, scenario) or _in_object(flag.position, scenario)
    if where:
        return where
    enemies = {robot for squad in game.squads if squad.player != player.name for robot in squad.robots}
    kinds: Mapping[str, RobotBlueprint] = {
        robot.type: spec.types[robot.type] for robot in scenario.robots if robot.name in enemies
    }
    return "" if any(map(swims, kinds.values())) else _in_water(flag.position, scenario)


def _areas(scenario: Scenario, kind: str) -> list[Area]:
    return [area for area in (*scenario.world.areas, *scenario.areas) if area.kind == kind]


def _outside(place: Place, scenario: Scenario) -> str:
    borders = _areas(scenario, "border")
    is_within = any(_holds(border, place) for border in borders)
    return "" if is_within or not borders else f"outside of the border {quoted(borders[0].name)}"


def _in_water(place: Place, scenario: Scenario) -> str:
    water = next((area for area in _areas(scenario, "water") if _holds(area, place)), None)
    return "" if water is None else f"in the water {quoted(water.name)}"


def _holds(area: Area, place: Place) -> bool:
    return bool(in_polygon(np.array([place[:2]]), np.array(area.points))[0])


def _in_object(place: Place, scenario: Scenario) -> str:
    for thing in (thing_placed for thing_placed in scenario.world.objects if thing_placed.mass == 0.0):
        for solid in PlacedSolid.all_of(thing, is_fixed=True):
            point = np.array([place[0], place[1], solid.middle[2]])
            if float(np.linalg.norm(solid.nearest(point) - point)) < _WITHIN:
                return f"in {quoted(thing.name)}"
    return ""
