"""Swarm gaming (Hristoskova et al. 2012): a squad and an automatic door of its surroundings. Part of G-96."""

from pathlib import Path

import numpy as np
import pytest
from two_squads import two_squads

from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.roster import abilities_of
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

PASSAGE = f"""\
[WORLD]
file passage.world
[AREA_1]
type border
points -5.8 -2.8  5.8 -2.8  5.8 2.8  -5.8 2.8
[ROBOT_1]
type door
name door
position 0 0.62 0
[ROBOT_2]
type game_infantry
name a
count 3
grid 1x3 0.8
position -3 0 0
[ROBOT_3]
type game_infantry
name b1
position 5 2 0
{two_squads("formation line")}"""


@pytest.mark.parametrize("senses", [True, False])
def test_a_squad_passes_a_door_that_opens_for_it_and_none_that_stays_shut_g96(tmp_path: Path, senses: bool) -> None:
    (tmp_path / "passage.scenario").write_text(PASSAGE)
    server = LocalServer(Simulation(load(str(tmp_path / "passage.scenario"))), is_hashed=False)
    with server.connect() as sim, sim.stepper(["a1", "a2", "a3", "b1"], every=10) as stepper:
        assert "open" in abilities_of(sim, "door")
        door = sim.module("/door/driver")
        door.parameters["range"] = 1.5 if senses else 0.0
        match, has_opened = Match(sim, stepper), False
        match.decide(stepper.step({}))
        assert match.order("one", "a go_to 3.5 0") == ""
        for _ in range(260):
            match.decide(stepper.step({}))
            has_opened = has_opened or door.state().open == 1.0
        places = np.array([match.model.position(robot) for robot in match.model.squads["a"].robots])
        assert has_opened == senses
        assert (places[:, 0] > 0.5).tolist() == [senses] * 3
        assert senses or np.all((places[:, 0] > -0.8) & (places[:, 0] < 0.0))  # they stand before it
        assert match.referee.violations == set()
