"""Squads that are commanded by radio: `[RADIO]` of a match."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import check, find_file, load
from coopsim.simulation import Simulation

RADIO = """
[RADIO]
loss 0.2
delay 0.1
interval 0.1

[RADIO_1]
player north_team
loss 0.3
"""


def match(folder: Path, radio: str) -> Path:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
    (folder / "match.scenario").write_text(text + radio)
    return folder / "match.scenario"


def test_the_flag_is_brought_home_although_a_fifth_of_all_packets_is_lost(tmp_path: Path) -> None:
    with ExitStack() as stack:
        simulation = Simulation(load(match(tmp_path, RADIO)))
        sim = stack.enter_context(LocalServer(simulation, is_hashed=False).connect())
        stepper = stack.enter_context(sim.stepper(every=10))
        played = Match(sim, stepper)
        stepper.step({})
        played.order("south_team", "a capture blue")
        is_over = False
        while not is_over and played.model.time < 109.0:
            is_over = played.decide(stepper.step({})) is None
            if (
                "picked up" in [entry.rule for entry in played.model.log]
                and played.intelligences["a"].order.verb == "capture"
            ):
                played.order("south_team", "a bring south")
        result = played.result()
        assert (is_over, result["winner"], result["violations"]) == (True, "south_team", [])
        state = [sim.module(f"/a{number}/radio").state() for number in (1, 2, 3)]
        assert sum(radio.commands_sent for radio in state) >= 6
        lost = sum(radio.readings_lost for radio in state) / sum(radio.readings_sent for radio in state)
        assert lost < 0.02  # three retries
        assert sim.module("/b1/radio").get_parameter("loss") == pytest.approx(0.3)


@pytest.mark.parametrize("delay", ["0.1", "0.5"])
def test_nobody_is_accused_and_no_flag_is_moved_by_readings_that_have_not_arrived(tmp_path: Path, delay: str) -> None:
    with ExitStack() as stack:
        file = match(tmp_path, f"\n[RADIO]\ndelay {delay}\n")
        file.write_text(file.read_text().replace("position    -5.0 4.6 0", "position    0.5 -4 0"))  # b1, near red
        simulation = Simulation(load(file))
        sim = stack.enter_context(LocalServer(simulation, is_hashed=False).connect())
        stepper = stack.enter_context(sim.stepper(every=2))
        played = Match(sim, stepper)
        flags = {name: flag.place for name, flag in played.model.flags.items()}
        for _ in range(40):
            assert played.decide(stepper.step({})) is not None
        assert [entry for entry in played.model.log if "illegal" in entry.rule or "pick" in entry.rule] == []
        assert {name: flag.place for name, flag in played.model.flags.items()} == flags
        assert played.result()["refused"] == 0


def test_a_recording_of_an_older_rule_begins_as_it_did(tmp_path: Path) -> None:
    simulation = Simulation(load(match(tmp_path, "\n[RADIO]\ndelay 0.1\n")))
    held = simulation.layout.robot["a1"].type.module("intelligence").interface.readings
    column = [field.name for field in held].index("holding")
    for rule, expected in ((3, -1.0), (2, 0.0)):
        simulation.hash_rule = rule
        simulation.start_over()
        assert simulation.reading("a1", "intelligence")[column] == 0.0, "before the first tick it says nothing"
        simulation.tick()
        assert simulation.reading("a1", "intelligence")[column] == expected


def test_links_of_a_player_who_does_not_play_are_told_with_their_place(tmp_path: Path) -> None:
    file = match(tmp_path, "\n[RADIO_1]\nplayer north_taem\nloss 0.1\n")
    (problem,) = check(file)
    assert str(problem).startswith(f"{file}:")
    assert "no player 'north_taem'" in str(problem)
    assert "north_team" in str(problem)
