"""Commentary on a match: sentences with times for who only watches, who holds no seat and gives no order."""

import threading

import pytest

from coopsim.features.games.commands.commentary import comment_on, sentence
from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("b1: out: a1 is out, shot by b1", "a1 is out, shot by b1!"),
        ("west: order: a attack b", "west orders: a attack b"),
        ("a: no path: there is no way to 1.0 2.0", "a: there is no way to 1.0 2.0"),
        ("a1: dropped: red lies at 1.0 2.0", "a1: red lies at 1.0 2.0"),
        ("x: illegal order: squad b is east's", "Illegal order: x: squad b is east's"),
        ("of another form", "of another form"),
    ],
)
def test_lines_of_the_log_become_sentences(line: str, told: str) -> None:
    assert sentence(line) == told


def test_who_watches_hears_orders_and_the_end_and_takes_no_seat(capsys: pytest.CaptureFixture[str]) -> None:
    server = LocalServer(Simulation(load("duel")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as watcher:
        match, ends = Match(sim, stepper), list[bool]()
        match.decide(stepper.step({}))
        match.order("west", "a go_to -5 0")
        thread = threading.Thread(target=lambda: ends.append(comment_on(watcher)))
        thread.start()
        while thread.is_alive():
            match.order("west", "a go_to -5 0")
            match.referee.reason = "the test is over" if len(match.model.log) > 20 else ""
            match.decide(stepper.step({}))
            if match.referee.reason:
                thread.join(0.1)
        assert ends == [True]
        assert {match.intake.seats.holder(player) for player in ("west", "east")} == {""}
    out = capsys.readouterr().out
    assert "s  west orders: a go_to -5 0\n" in out
    assert out.endswith("the test is over\n")
