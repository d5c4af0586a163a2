"""Roster of a match: its robots and their abilities, as their modules describe them."""

import math
from collections.abc import Sequence
from typing import Any, TypedDict

from coopsim.client import Client, Stepper
from coopsim.errors import BadArgument
from coopsim.features.games.logic.model import RobotState
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.senses import need_modules
from coopsim.features.matches.abilities import abilities


def enrol(sim: Client, stepper: Stepper, robots: Sequence[str], game: dict[str, Any]) -> list[RobotState]:
    """Return all robots of a match.

    Args:
        sim: The run.
        stepper: Of those that this logic drives.
        robots: Those, and the robots of other logics, in the order of their rows.
        game: Facts of the match.

    Raises:
        BadArgument: One that is driven is of no squad, or the other way round.
    """
    need_modules(stepper, *NEEDS["game"].modules)
    squads = {name: squad for squad in game["squads"] for name in squad["robots"]}
    strangers = sorted({*squads} ^ {*robots})
    if strangers:
        raise BadArgument(f"the robots of the squads must be those that the game drives; not of both: {strangers[0]}")
    numbers = {name: number for number, name in enumerate(sim.robots())}
    sizes = {entity.name: entity.size for entity in sim.scene().entities if entity.kind == "robot"}
    makes: dict[str, RobotMake] = {}
    states = []
    for index, name in enumerate(robots):
        kind, squad = stepper.layout.robots[name], squads[name]
        if kind not in makes:
            makes[kind] = make_of(sim, name, has_fog=bool(game.get("fog")))
        states.append(
            RobotState(
                name=name,
                player=squad["player"],
                squad=squad["name"],
                index=index,
                number=numbers[name],
                health=float(squad["health"]),
                power=float(squad["power"]),
                radius=0.5 * max(sizes[name][:2]),
                is_own=name in stepper.robots,
                has_radio="radio" in stepper.layout.types[kind].gives.modules,
                **makes[kind],
            )
        )
    return states


class RobotMake(TypedDict):
    """Facts about a type of robot, as members of `RobotState`."""

    abilities: frozenset[str]
    damage: float
    range: float
    is_stepwise: bool
    rate: float
    top_speed: float
    speed: float
    turn: float
    reach: float


def abilities_of(sim: Client, robot: str) -> frozenset[str]:
    """Return what a robot, or a device of the environment, can do by what its modules answer to DESCRIBE."""
    modules = [sim.module(name) for name in sim.names(f"/{robot}/")]
    return frozenset(abilities((module.interface, module.parameters) for module in modules))


def make_of(sim: Client, robot: str, *, has_fog: bool) -> RobotMake:
    """Return what robots of the type of one can do: abilities, its shooter, its largest speed [m/s].

    Args:
        sim: The run.
        robot: Its name.
        has_fog: Whether it matters how far its sonars reach.

    Raises:
        NoSuchName: It is gone.
    """
    can = abilities_of(sim, robot)
    damage, reach = _gun(sim, robot) if "shoot" in can else (0.0, 0.0)
    rate, top_speed = _limits_of(sim, robot)
    intelligence = sim.module(f"/{robot}/intelligence").parameters
    return {
        "abilities": can,
        "damage": damage,
        "range": reach,
        "is_stepwise": intelligence["share"] == "commands",
        "rate": rate,
        "top_speed": top_speed,
        "speed": float(intelligence["speed"]),
        "turn": float(intelligence["turn"]),
        "reach": _reach_of(sim, robot) if has_fog else math.inf,
    }


def _reach_of(sim: Client, robot: str) -> float:
    """Return how far the sonars of a robot reach [m]; one without any sees nobody but its own."""
    sonars = [module for name in sim.names(f"/{robot}/") if (module := sim.module(name)).interface.kind == "sonars"]
    return max((float(module.parameters["reach"]) for module in sonars), default=0.0)


def _limits_of(sim: Client, robot: str) -> tuple[float, float]:
    """Return how often a robot shoots [Hz] and how fast it drives [m/s] at most, as its modules tell now."""
    shooters = sim.names(f"/{robot}/shooter")
    rate = float(sim.module(shooters[0]).parameters["rate"]) if shooters else 0.0
    return rate, float(sim.module(f"/{robot}/motors").parameters["max_speed"])


def _gun(sim: Client, robot: str) -> tuple[float, float]:
    """Return damage and range [m] of a robot's shooter."""
    gun = sim.module(f"/{robot}/shooter").parameters
    return float(gun["damage"]), float(gun["range"])
