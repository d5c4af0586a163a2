"""Swarm gaming (Hristoskova et al. 2012): what robots can do is found out, and decides who does what. G-95."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from coopsim.app.main import run as coopsim
from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation
from coopsim.testkit import Run

LAKE = "[AREA_1]\ntype border\npoints -8 -5  8 -5  8 5  -8 5\n[AREA_2]\ntype water\npoints 0 -5  4 -5  4 5  0 5\n"
TEAMS = """[TARGET]
red -7 0 0
blue 7 0 0
[GAME]
rules death_match
budget 1000
[PLAYER_1]
name one
flag red
[PLAYER_2]
name two
flag blue
"""
PLACES = {"a": (-5, 0), "c": (-6, 3), "d": (-6, -3), "e": (6, 3)}


def scenario(**kinds: str) -> str:
    """Return a match: squads of two robots of a type each; e is the enemy's."""
    text, names = LAKE + TEAMS, []
    for number, (squad, kind) in enumerate(kinds.items(), 1):
        x, y = PLACES[squad]
        text += f"[ROBOT_{number}]\ntype {kind}\nname {squad}\ncount 2\ngrid 1x2 0.8\nposition {x} {y} 0\n"
        player = "two" if squad == "e" else "one"
        power = 0 if squad == "e" else 9
        text += f"[SQUAD_{number}]\nname {squad}\nplayer {player}\nrobots {squad}1 {squad}2\n"
        text += f"formation line\nspacing 1.2\npower {power}\n"
        names += [f"{squad}1", f"{squad}2"]
    return text + f"[CONTROLLER_1]\nrun game\nrobots {' '.join(names)}\n"


@pytest.fixture
def begun(tmp_path: Path) -> Iterator:
    """Begin a match of squads; `porter` is an infantry without a shooter, `watched` one without commands."""
    infantry = find_file("game_infantry", [".robot"]).read_text()
    gun = infantry[infantry.index("[DEVICE_6]") : infantry.index("[DEVICE_7]")]
    unarmed = infantry.replace(gun, "").replace("DEVICE_7", "DEVICE_6").replace("DEVICE_8", "DEVICE_7")
    (tmp_path / "porter.robot").write_text(unarmed)
    (tmp_path / "watched.robot").write_text(infantry + "share reflexes\n")
    with ExitStack() as stack:

        def begin(**kinds: str) -> Match:
            (tmp_path / "match.scenario").write_text(scenario(**kinds))
            simulation = Simulation(load(str(tmp_path / "match.scenario")))
            sim = stack.enter_context(LocalServer(simulation, is_hashed=False).connect())
            match = Match(sim, stack.enter_context(sim.stepper(every=10)))
            play(match, 0.1)
            return match

        yield begin


def play(match: Match, seconds: float) -> None:
    for _ in range(round(10 * seconds)):
        match.decide(match._stepper.step({}))  # the match has no other door


def texts_of(match: Match, rule: str) -> list[str]:
    return [entry.text for entry in match.model.log if entry.rule == rule]


def test_what_robots_can_do_is_found_out_by_what_their_modules_describe_g95(begun) -> None:
    match = begun(a="porter", c="game_amphibian", d="watched", e="game_tank")
    can = {name[0]: robot.abilities for name, robot in match.model.robots.items()}
    assert can["a"] == {"drive", "go_to", "pick_up"}
    assert can["c"] == {"drive", "go_to", "pick_up", "shoot", "swim"}
    assert can["d"] == {"drive", "shoot"}
    assert can["e"] == {"drive", "go_to", "pick_up", "shoot"}


def test_abilities_are_published_by_describe_g95(capsys: pytest.CaptureFixture[str]) -> None:
    assert coopsim(["describe", "game_amphibian"]) == 0
    assert "can: drive, go_to, pick_up, shoot, swim\n" in capsys.readouterr().out
    with Run("door", "--mode", "lockstep", "--no-controllers") as run:
        assert coopsim(["describe", "/door", "--endpoint", run.endpoint]) == 0
    printed = capsys.readouterr().out
    assert "/door can: see, open\n" in printed
    assert "/door/presence" in printed


def test_an_order_that_a_squad_cannot_carry_out_goes_to_one_that_can_and_is_logged_g95(begun) -> None:
    match = begun(a="porter", c="game_amphibian", d="game_amphibian", e="game_tank")
    assert match.order("one", "d go_to -6 -4") == ""
    play(match, 0.2)
    assert match.order("one", "a attack e") == ""
    play(match, 0.2)
    assert texts_of(match, "reassigned") == ["a attack e: none of its robots can shoot; c does it"]
    assert [match.intelligences[name].order for name in "ac"] == [None, match.intelligences["c"].order]
    assert str(match.intelligences["c"].order) == "c attack e"


def test_where_nobody_can_the_order_is_refused_with_the_reason_g95(begun) -> None:
    match = begun(a="porter", c="porter", e="game_tank")
    assert match.order("one", "a attack e") == (
        "squad a cannot attack: none of its robots can shoot, and no other squad can"
    )
    assert match.intelligences["a"].order is match.intelligences["c"].order is None


def test_what_lies_behind_water_is_for_those_that_swim_g95(begun) -> None:
    match = begun(a="game_infantry", c="game_amphibian", d="game_infantry", e="game_tank")
    assert match.order("one", "a capture blue") == ""
    play(match, 0.3)
    assert texts_of(match, "no path") == ["there is no way to 7.0 0.0"]
    assert texts_of(match, "reassigned") == ["a capture blue: a has no way there; c does it"]
    play(match, 45.0)
    assert match.model.flags["blue"].carrier in {"c1", "c2"}


def test_where_no_squad_has_a_way_the_log_says_so_and_the_squad_stands_g95(begun) -> None:
    match = begun(a="game_infantry", d="game_infantry", e="game_tank")
    match.order("one", "a go_to 6 0")
    play(match, 0.5)
    assert texts_of(match, "impossible") == ["a go_to 6 0: a has no way there; nobody else can do it"]
    assert match.intelligences["a"].order is None


def test_another_robot_picks_up_in_the_place_of_one_that_is_out_g95(begun) -> None:
    match = begun(a="game_amphibian", e="game_tank")
    match.order("one", "a capture blue")
    play(match, 1.0)
    (picker,) = match.intelligences["a"].tasks
    (substitute,) = {"a1", "a2"} - {picker}
    match.model.robots[picker].health = 0.0
    play(match, 0.2)
    assert texts_of(match, "reassigned") == [f"{substitute} picks up blue in the place of {picker}"]
    play(match, 40.0)
    assert match.model.flags["blue"].carrier == substitute
    place = match.model.position(match.model.robots[substitute])
    assert np.hypot(*(place - match.model.flags["blue"].place)) < 0.1
