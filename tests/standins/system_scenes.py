"""Scenes with systems of components on board of robots."""

from pathlib import Path

from coopsim.robots import load
from coopsim.simulation import Simulation

ROVER = "[ROBOT_1]\ntype rover\nname rover\nposition 0 0 0\n"
LEADER = "[ROBOT_2]\ntype rover\nname leader\nposition 1.5 0 0\n"
PLAIN = "[ROBOT_3]\ntype single\nname plain\nposition 4 0 0\n"
FOLLOWING = """
[SYSTEM_1]
file challenge_physics
robots rover
input posXLeader leader.gps.x 10
input posYLeader leader.gps.y 10
input posXFollower gps.x 10
input posYFollower gps.y 10
input followerheading compass.heading
output motors.set_wheel_speeds normalizedPowerLeft normalizedPowerRight 0.015
output leader.motors.set_wheel_speeds leaderSpeedLeft leaderSpeedRight 0.1
"""
ALONE = "\n[SYSTEM_1]\nfile challenge\nrobots rover\n"
STRANGE = """
import time

from coopsim.features.amsa.components import Behavior


class Counter(Behavior):
    def initialize(self):
        self.count = 0

    def do_step(self, inputs, parameters):
        self.count += 1
        if self.count == parameters.fails:
            raise ValueError("no more")
        return float("nan") if self.count == parameters.odd else self.count


class Keeper(Behavior):
    def initialize(self):
        self.kept = {"a": 1}

    def do_step(self, inputs, parameters):
        return 1.0


def slow(inputs, parameters):
    until = time.thread_time() + 0.003
    while time.thread_time() < until:
        pass
    return 1.0


def seen(inputs, parameters):
    return 1.0 if parameters.flag is True else -1.0


PLUGINS = {"components": {"Counter": Counter, "Keeper": Keeper, "Slow": slow, "Seen": seen}}
"""
STRANGE_MODEL = """
Template Counter { output out parameter { int fails = 0; int odd = 0; } }
Template Keeper { output out }
Template Slow { output out }
Template Seen { output out parameter { bool flag = 0; } }
System strange {
    environment counter : Counter @ 100 Hz { out -> counted; }
    environment keeper : Keeper @ 10 Hz { out -> kept; }
    environment slow : Slow @ 1000 Hz { out -> slowed; }
    environment seen : Seen @ 50 Hz { out -> noticed; }
}
"""


def simulation(folder: Path, text: str, seed: int = 0) -> Simulation:
    """Return a simulation of the scenario of a text."""
    path = folder / "scene.scenario"
    path.write_text(text, encoding="utf-8")
    return Simulation(load(path), seed=seed)


def run(made: Simulation, ticks: int) -> None:
    """Do some ticks."""
    for _ in range(ticks):
        made.tick()


def data(made: Simulation, name: str) -> float:
    """Return the newest value of data of the rover."""
    return float(made.reading("rover", f"data/{name}")[0])
