"""Costs of games: the intelligence on board of many robots, and a whole match.

Source: swarm gaming, sections 4.4 and 5.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from coopsim.devices.program import OnBoardProgram
from coopsim.features.games.interfaces.games import INTELLIGENCE
from coopsim.features.games.tournaments.trials import play_matches
from coopsim.interfaces import command_numbers
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation

_FIELD = """\
[SIMULATION]
step 0.02
[ROBOT_1]
type game_infantry
name a
count {robots}
grid {lines}x40 1.5
[AREA_1]
type border
points -40 -40  40 -40  40 40  -40 40
"""
_LINE = 40  # robots side by side
_WARM, _TOGETHER = 20, 25  # ticks; what is timed together is longer than the clock is coarse
_MATCH, _JITTER = "battle", 0.2  # jitter, or each match would be the same


def on_board(robots: int, repeats: int) -> float:
    """Return what the intelligence of robots costs that all go somewhere, processor time of a robot and tick [us].

    Args:
        robots: How many.
        repeats: How often it is measured; the median counts.
    """
    simulation = Simulation(_field(robots))
    noise, go_to = np.random.default_rng(1), command_numbers(INTELLIGENCE).go_to
    for place in simulation.layout.robots:
        x, y = noise.uniform(-38.0, 38.0, 2).tolist()
        simulation.command(place.name, "intelligence", go_to, (x, y))
    for _ in range(_WARM):
        simulation.tick()
    blocks = [device for block in simulation.tables.blocks for device in block.devices.values()]
    programs = [block for block in blocks if isinstance(block, OnBoardProgram)]
    return float(np.median([_spent(simulation, programs) for _ in range(repeats)])) / robots * 1e6


def _field(robots: int) -> RunSpec:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "field.scenario")
        file.write_text(_FIELD.format(robots=robots, lines=-(-robots // _LINE)), encoding="utf-8")
        return load(file)


def _spent(simulation: Simulation, programs: list[OnBoardProgram]) -> float:
    """Return the processor time of the programs in a tick [s]."""
    dt, tick = simulation.step_ns * 1e-9, simulation.tick_count
    begun = time.process_time()
    for k in range(_TOGETHER):
        for program in programs:
            program.run(tick + k, dt)
    spent = time.process_time() - begun
    simulation.tick()
    return spent / _TOGETHER


def match_speed(seed: int) -> float:
    """Return how many times as fast as real time a match of sixty against sixty is, by processor time.

    Players, squads, referee and physics are in this process; nothing is waited for.
    """
    begun = time.process_time()
    matches = play_matches(_MATCH, [seed], _JITTER)
    return float(matches["results"][0]["time"]) / (time.process_time() - begun)
