"""What stands where it fell, or in the way, and who shoots: squads plan around all of them."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.games.logic.avoiding import FreeSquad
from coopsim.features.games.logic.behaviours import AttackSquad, BringSquad
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.ways import leads_to_enemies
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation

POST = (4.0, 0.0)


@pytest.fixture
def match() -> Iterator[Match]:
    """Of robots where a test puts them: squad a is a1 alone, beside the lake."""
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        match.observe(stepper.step({}))
        match.view.velocities[:], match.view.steps[:] = 0.0, 0.0
        for name in ("a2", "a3"):
            put(match, name, (-5.5, -5.0), health=0.0)
        put(match, "a1", (4.0, -3.0))
        yield match


def put(match: Match, name: str, place: tuple[float, float], health: float = 100.0) -> None:
    robot = match.model.robots[name]
    match.model.positions[robot.index], robot.health = place, health
    match.view = replace(match.view)  # who is out is looked up once a look


def nearest(match: Match, place: tuple[float, float]) -> float:
    """Return how near the way of a1 leads by a place [m]."""
    way = np.vstack((match.model.position(match.model.robots["a1"]), match.intelligences["a"].ways["a1"]))
    return float(np.hypot(*(np.linspace(way[:-1], way[1:], 200).reshape(-1, 2) - place).T).min())


def decide(match: Match, order: SquadOrder) -> None:
    match.intelligences["a"].accept(order)
    match.arbitrators["a"].decide(match.intelligences["a"], match.view)


def test_ways_lead_around_robots_that_are_out(match: Match) -> None:
    put(match, "b1", POST, health=0.0)
    decide(match, SquadOrder("a", "go_to", point=(4.0, 3.0)))
    assert nearest(match, POST) > 0.3
    assert match.intelligences["a"].ways["a1"][-1].tolist() == [4.0, 3.0]
    put(match, "b1", (-5.5, 5.0), health=0.0)
    decide(match, SquadOrder("a", "go_to", point=(4.0, 3.0)))
    assert nearest(match, POST) < 0.1


def test_who_is_stuck_goes_around_whoever_stands_there(match: Match) -> None:
    intelligence, row = match.intelligences["a"], match.model.robots["a1"].index
    put(match, "b1", POST)
    put(match, "a1", (4.0, -0.5))
    intelligence.ways = {"a1": np.array([(4.0, 3.0)])}
    match.view.stuck[row], match.view.doing[row] = 7.0, 12.0
    free = FreeSquad()
    assert free.wants(intelligence, match.view)
    assert [command.robot for command in free.act(intelligence, match.view)] == ["a1"]
    assert nearest(match, POST) > 0.3


def test_attackers_who_hit_nobody_go_to_another_side(match: Match) -> None:
    put(match, "b1", (4.0, 3.0))
    put(match, "a2", (3.0, -3.0))
    intelligence, attack = match.intelligences["a"], AttackSquad()
    decide(match, SquadOrder("a", "attack", "b1"))
    before = intelligence.ways["a2"][-1].copy()
    match.view.doing[:] = 0.0
    match.model.time = intelligence.planned_at + 5.0
    assert not attack.wants(intelligence, match.view)
    match.model.time = intelligence.planned_at + 7.0
    assert attack.wants(intelligence, match.view)
    match.model.robots["a1"].shot_at = match.model.time - 1.0
    assert not attack.wants(intelligence, match.view)
    match.model.robots["a1"].shot_at = 0.0
    attack.act(intelligence, match.view)
    assert np.hypot(*(intelligence.ways["a2"][-1] - before)) > 0.25
    assert not attack.wants(intelligence, match.view)


@pytest.mark.parametrize(("side", "passes"), [(4.0, -4.0), (-4.5, 1.5)])
def test_a_flag_is_carried_home_on_the_side_where_no_enemies_are(match: Match, side: float, passes: float) -> None:
    put(match, "a1", (0.0, 4.0))
    match.model.robots["a1"].holding = "blue"
    for number, name in enumerate(("b1", "b2", "b3")):
        put(match, name, (side, -1.0 + 0.6 * number))
    intelligence, bring = match.intelligences["a"], BringSquad()
    decide(match, SquadOrder("a", "bring", "south"))
    xs = intelligence.ways["a1"][:, 0]
    assert (xs.min() < passes) if passes < 0.0 else (xs.max() > passes)
    assert not leads_to_enemies(intelligence, match.view)
    for name in ("b1", "b2", "b3"):
        put(match, name, (-side, 0.0))
    match.model.time = intelligence.planned_at + 2.0
    assert not bring.wants(intelligence, match.view)  # not at each look
    match.model.time = intelligence.planned_at + 4.0
    assert bring.wants(intelligence, match.view)


def test_a_flag_under_a_robot_that_is_out_is_picked_up_from_beside_it(tmp_path: Path) -> None:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
    for before, after in (("0 -3 0", "0 2.2 0"), ("-0.57 -3.17 0", "-0.6 2 0"), ("0.57 -3.17 0", "0.6 2 0")):
        text = text.replace(f"position    {before}", f"position    {after}")
    (tmp_path / "match.scenario").write_text(text.replace("-5.0 4.6 0", "0 4 0"))
    with ExitStack() as stack:
        sim = stack.enter_context(LocalServer(Simulation(load(tmp_path / "match.scenario")), is_hashed=False).connect())
        stepper = stack.enter_context(sim.stepper(every=10))
        match = Match(sim, stepper)
        stepper.step({})
        for name in ("b1", "b2", "b3"):
            match.model.robots[name].health = 0.0 if name == "b1" else 1000.0
            match.model.robots[name].power = 0.0
        match.order("south_team", "a capture blue")
        while not match.model.flags["blue"].carrier:
            assert match.model.time < 25.0
            match.decide(stepper.step({}))
        assert [entry.rule for entry in match.model.log if entry.rule.startswith("illegal")] == []
