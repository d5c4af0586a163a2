"""Swarm gaming (Hristoskova et al. 2012): its measurements, and computer players. G-12, G-16, G-19, G-85 to G-94."""

from coopsim.features.games.commands import computer_player
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.seats import Seats
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.own_bench import swarm
from coopsim.testkit.own_bench.measuring.squad_orders import OrderTimes

TIMES = [OrderTimes(1.0, 2.0, 0.5, 10.0), OrderTimes(3.0, 4.0, 1.5, 12.0)]


def test_the_rows_of_table_3_stand_beside_what_the_paper_prints() -> None:
    rows = {row["case"]: row for row in swarm.table_3(TIMES)}
    mean = rows["table 3: swarm intelligence, mean"]
    assert (mean["value"], mean["printed"]) == (3.0, 570)
    assert [row["printed"] for row in rows.values() if "printed" in row] == [
        9,
        3,
        6,
        15,
        570,
        109,
        365,
        756,
        7,
        6,
        2,
        24,
    ]
    whole, work = (rows[f"order from the {name} to the last robot, median"] for name in ("player", "look"))
    assert (whole["value"], whole["ok"], work["value"], work["ok"]) == (6.0, True, 4.0, True)
    assert "ratio" not in {column for row in rows.values() for column in row}  # another machine: nothing to divide by


def test_the_rows_of_table_4_have_every_interval() -> None:
    rows = [row for interval in swarm.TABLE_4 for row in swarm.table_4(interval, 10, TIMES)]
    assert {row["value"] for row in rows[2::3]} == {2}
    assert [row["printed"] for row in rows[::3]] == [1059, 740, 362, 270, 375, 173, 182, 314, 190]
    assert [row["printed"] for row in rows[1::3]] == [629, 696, 603, 657, 500, 627, 597, 587, 551]
    assert {row["value"] for row in rows if "printed" in row} == {3.0, 11.0}


def test_the_rows_of_table_5_are_as_printed_up_to_more_than_two_seconds() -> None:
    assert list(swarm.TABLE_5) == [5, 10, 15, 20]
    assert max(value for row in swarm.TABLE_5.values() for value in row) == 2240
    assert [len(row) for row in swarm.TABLE_5.values()] == [len(swarm.SIZES)] * 4


def test_a_computer_player_is_a_client_as_any_other_g12_g80(monkeypatch, capsys) -> None:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as client:
        match = Match(sim, stepper)
        match.bots = []

        def beats(_sim, _player, _words):
            for number in range(4):
                match.referee.reason = "the test is over" if number == 3 else ""
                match.decide(stepper.step({}))
                yield

        monkeypatch.setattr(computer_player, "_beats", beats)
        computer_player.play_by_computer(client, "south_team", "normal")
        assert str(match.intelligences["a"].order) == "a capture blue"
    out = capsys.readouterr().out
    assert "a capture blue" in out
    assert out.endswith("nobody wins after 0.4 s\n")


def test_four_players_with_two_squads_each_are_one_match_g8_g16_g19() -> None:
    server = LocalServer(Simulation(load("four_players")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=5) as stepper:
        match = Match(sim, stepper)
        for _ in range(5):
            assert match.decide(stepper.step({})) is not None
        assert match.model.players() == ["red_team", "blue_team", "green_team", "yellow_team"]
        ordered = {
            intelligence.squad.player for intelligence in match.intelligences.values() if intelligence.order is not None
        }
        assert ordered == {*match.model.players()}
        assert isinstance(match.intake.seats, Seats)
