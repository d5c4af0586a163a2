"""What the referee finds: places that are forbidden, shots and flags against the rules, and the end."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.referee import Referee, RobotReports
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

PLACES = np.array([(0.0, -3.0), (-0.6, -3.2), (0.6, -3.2), (-5.0, 4.6), (-5.0, 3.8), (-5.0, 3.0)])
A1, A2, B1 = 0, 1, 3


@pytest.fixture(scope="module")
def running() -> Iterator:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        yield sim, stepper


@pytest.fixture
def match(running) -> Match:
    match = Match(*running)
    match.model.positions = PLACES.copy()
    for robot in match.model.robots.values():  # these tests put robots anywhere, and let them shoot at once
        robot.range, robot.rate, robot.top_speed = 100.0, math.inf, math.inf
    match.referee.__post_init__()
    match.broker.force = lambda command: None  # type: ignore[method-assign]
    return match


def judged(match: Match, **told: tuple[int, float]) -> Referee:
    """Let the referee look at what robots tell: by reading the row that tells it, and its value."""
    match.referee.judge(reports(**told))
    return match.referee


def reports(**told: tuple[int, float]) -> RobotReports:
    usual = {"shots": np.zeros(6), "targets": np.full(6, -1.0), "holding": np.full(6, -1.0), "doing": np.zeros(6)}
    for reading, (row, value) in told.items():
        usual[reading][row] = value
    return RobotReports(**usual)


def test_who_is_out_and_goes_on_is_stopped_again(match: Match) -> None:
    sent: list[RobotCommand] = []
    match.broker.force = sent.append  # type: ignore[method-assign]
    match.model.robots["b1"].health = 1.0
    match.referee.judge(reports(shots=(A1, 1.0), targets=(A1, float(match.model.robots["b1"].number))))
    stops = [RobotCommand("b1", module, "stop") for module in ("intelligence", "shooter")]
    assert sent == stops
    row, shot = match.model.robots["b1"].index, {"shots": (A1, 1.0)}
    match.model.time += 0.5
    match.referee.judge(reports(doing=(row, 12.0), **shot))
    assert sent == stops  # what it tells may be older
    match.model.time += 1.0
    match.referee.judge(reports(doing=(row, 12.0), **shot))
    assert sent == 2 * stops
    match.model.time += 2.0
    match.referee.judge(reports(**shot))
    assert sent == 2 * stops


@pytest.mark.parametrize(
    ("row", "place", "what"),
    [(A1, (-3.0, 0.0), "in water"), (A1, (0.0, -5.6), "outside"), (A1, (-0.5, -3.2), "overlap")],
)
def test_robots_where_they_must_not_be_are_violations_told_once(match, row, place, what) -> None:
    assert judged(match).violations == set()
    match.model.positions[row] = place
    judged(match)
    violations = judged(match).violations
    assert (what, "a1") in violations
    assert {violation for violation, _ in violations} == {what}
    assert [entry.source for entry in match.model.log].count("a1") == 1


def test_amphibians_may_be_in_water(match) -> None:
    match.model.robots["a1"].abilities |= {"swim"}
    match.referee.__post_init__()
    match.model.positions[A1] = (-3.0, 0.0)
    assert judged(match).violations == set()


def test_shots_cost_power_and_the_victim_health_until_it_is_out(match) -> None:
    a1, b1 = match.model.robots["a1"], match.model.robots["b1"]
    judged(match, shots=(A1, 2.0), targets=(A1, float(b1.number)))
    assert (a1.power, b1.health) == (18.0, 100.0 - 2 * a1.damage)
    judged(match, shots=(A1, 10.0), targets=(A1, float(b1.number)))
    assert (b1.health, b1.is_alive, match.model.log[-1].rule) == (0.0, False, "out")
    assert match.result()["casualties"] == {"south_team": 0, "north_team": 1}


@pytest.mark.parametrize("victim", ["a2", "nobody"])
def test_shots_at_friends_and_nobody_are_logged_and_hurt_nobody(match, victim) -> None:
    """G-23: the rules block shots at one's own robots."""
    robots = match.model.robots
    number = float(robots[victim].number) if victim in robots else 99.0
    judged(match, shots=(A1, 1.0), targets=(A1, number))
    assert [(entry.source, entry.rule) for entry in match.model.log] == [("a1", "illegal shot")]
    assert {robot.health for robot in robots.values()} == {100.0}


def test_who_falls_drops_the_flag_where_it_is(match) -> None:
    robots, blue = match.model.robots, match.model.flags["blue"]
    match.model.positions[A1] = (0.3, 4.0)
    judged(match, holding=(A1, 1.0))
    assert (blue.carrier, robots["a1"].holding) == ("a1", "blue")
    robots["a1"].health = 1.0
    judged(match, holding=(A1, 1.0), shots=(B1, 1.0), targets=(B1, float(robots["a1"].number)))
    assert (blue.carrier, blue.place, robots["a1"].holding) == ("", (0.3, 4.0), "")


@pytest.mark.parametrize(
    ("flag", "place", "said"),
    [
        (0.0, (0.0, -4.0), "red is its own flag"),
        (1.0, (0.0, 3.3), "blue is 0.70 m away"),
        (7.0, (0.0, 4.0), "number 7"),
    ],
)
def test_a_pick_up_against_the_rules_is_refused(match, flag, place, said) -> None:
    match.model.positions[A1] = place
    judged(match, holding=(A1, flag))
    assert said in match.model.log[-1].text
    assert [flag.carrier for flag in match.model.flags.values()] == ["", ""]


def test_a_match_without_a_winner_at_its_end_is_a_draw_else_the_healthiest_wins(match) -> None:
    match.model.time = 110.0
    assert (judged(match).winner, match.referee.reason) == ("", "the time is over")
    match.model.robots["a1"].health = 50.0
    assert judged(match).winner == "north_team"


def test_the_last_shot_of_a_robot_of_another_logic_counts_though_it_arrives_when_that_robot_is_out(
    match: Match,
) -> None:
    model = match.model
    shooter, victim = model.robots["a1"], model.robots["b1"]
    shooter.is_own = False
    match.referee._eliminate(shooter, victim)
    shooter.health, model.time = 0.0, model.time + 0.2
    judged(match, shots=(A1, 1.0), targets=(A1, float(victim.number)))
    assert victim.health < 100.0
    hurt, model.time = victim.health, model.time + 0.4
    judged(match, shots=(A1, 2.0), targets=(A1, float(victim.number)))
    assert victim.health == hurt
    assert model.log[-1].rule == "illegal shot"


def test_who_is_out_here_has_not_shot_since(match: Match) -> None:
    shooter, victim = match.model.robots["a1"], match.model.robots["b1"]
    match.referee._eliminate(shooter, victim)
    judged(match, shots=(A1, 1.0), targets=(A1, float(victim.number)))
    assert (victim.health, match.model.log[-1].rule) == (100.0, "out"), "it may not know yet that it is out"
    match.model.time += 0.6
    judged(match, shots=(A1, 2.0), targets=(A1, float(victim.number)))
    assert (victim.health, match.model.log[-1].rule) == (100.0, "illegal shot")
