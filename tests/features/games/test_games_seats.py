"""Who may command a player: seats, floods, and players that vanish."""

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from coopsim.errors import OwnedByAnother
from coopsim.features.games.logic.intake import OrderIntake
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.seats import MOST_ORDERS, PATIENCE, REPEATED, Seats
from coopsim.inprocess import LocalServer
from coopsim.message import ChannelEvent
from coopsim.robots import load
from coopsim.simulation import Simulation

ORDERS, SEATS = "/game/orders/south_team", "/game/seats/south_team"


@pytest.fixture
def seats() -> Seats:
    return Seats(["ann", "bob"], {"bob": "bobs_key"})


def test_a_seat_belongs_to_one_connection(seats: Seats) -> None:
    assert seats.claim("ann", "client 1", 0.0, keeps=False) == ""
    assert seats.claim("ann", "client 2", 1.0, keeps=True) == "the seat of ann is held by client 1"
    assert seats.claim("ann", "client 1", 2.0, keeps=False) == ""
    assert seats.give_back("ann", "client 2") == "client 2 does not hold the seat of ann"
    assert seats.give_back("ann", "client 1") == ""
    assert seats.claim("ann", "client 2", 3.0, keeps=True) == ""
    assert seats.holder("ann") == "client 2"


def test_a_seat_with_a_key_belongs_to_it_and_players_that_do_not_exist_have_none(seats: Seats) -> None:
    """G-16: the logic connects players with their robots, and with those of nobody else."""
    assert seats.claim("bob", "client 1", 0.0, keeps=True) == "the seat of bob belongs to the key bobs_key"
    assert seats.claim("bob", "bobs_key", 0.0, keeps=True) == ""
    assert seats.claim("eve", "client 1", 0.0, keeps=True) == "there is no player eve"
    assert seats.give_back("eve", "client 1") == "client 1 does not hold the seat of eve"


def test_who_is_silent_for_long_may_be_replaced_and_who_said_it_is_there_has_vanished(seats: Seats) -> None:
    """G-8, G-16: players come and go."""
    seats.claim("ann", "client 1", 0.0, keeps=False)
    assert seats.vanished(PATIENCE + 1.0) == []
    assert seats.claim("ann", "client 2", PATIENCE + 1.0, keeps=True) == ""
    assert seats.vanished(2.0 * PATIENCE) == []
    assert seats.vanished(2.0 * PATIENCE + 2.0) == ["ann"]
    assert seats.holder("ann") == ""


@pytest.fixture(scope="module")
def running() -> Iterator:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        yield server, sim, stepper


class Hall:
    """A match, and a clock that a test turns."""

    def __init__(self, sim, stepper) -> None:
        self.now, self.match, self.stepper = 0.0, Match(sim, stepper), stepper
        self.match.intake = OrderIntake(sim, self.match.game, self.match.model, lambda: self.now)

    def observe(self) -> list[tuple[str, str, str]]:
        """Let the match look once; return what it logged."""
        before = len(self.match.model.log)
        assert self.match.decide(self.stepper.step({})) is not None
        return [(entry.source, entry.rule, entry.text) for entry in self.match.model.log[before:]]


@pytest.fixture
def hall(running) -> Hall:
    _, sim, stepper = running
    return Hall(sim, stepper)


def test_orders_of_who_does_not_hold_the_seat_are_refused_and_logged_with_their_source(running, hall: Hall) -> None:
    server, _, _ = running
    with server.connect() as player, server.connect() as cheat:
        player.publish(SEATS, "claim")
        cheat.publish(ORDERS, "a go_to 4 4")
        cheat.publish(SEATS, "claim")
        cheat.publish(SEATS, "release")
        cheat.publish("/game/orders/nobody", "a stop")
        player.publish(ORDERS, "a go_to 1 -4")
        player.publish(SEATS, "dance")
        entries = [entry for entry in hall.observe() if not entry[0].endswith("_team") or entry[1] != "order"]
        assert str(hall.match.intelligences["a"].order) == "a go_to 1 -4"
    (me, seated, _), *refused, last = entries
    assert seated == "seat"
    (who, rule, text), claim, release, stranger = refused
    assert (rule, text) == ("illegal order", f"the seat of south_team is held by {me}")
    assert who != me
    assert claim == (who, "illegal claim", f"the seat of south_team is held by {me}")
    assert release == (who, "illegal claim", f"{who} does not hold the seat of south_team")
    assert stranger == (who, "illegal order", "there is no player nobody")
    assert last == (me, "illegal claim", "seats understand claim, here, ready and release, got 'dance'")


def test_robots_of_a_match_obey_nobody_else(running, hall: Hall) -> None:
    server, _, _ = running
    with server.connect() as cheat:
        for command in ("go_to", "pick_up"):
            with pytest.raises(OwnedByAnother):
                getattr(cheat.robot("b1").intelligence, command)(*([1.0] * (2 if command == "go_to" else 1)))
        with pytest.raises(OwnedByAnother):
            cheat.robot("b1").shooter.shoot(cheat.robots().index("a1"))
    hall.observe()
    assert hall.stepper.readings["b1"].intelligence.holding == -1.0


def test_who_vanishes_leaves_the_seat_to_its_computer_player_and_the_match_goes_on(running, hall: Hall) -> None:
    server, _, _ = running
    with server.connect() as player:
        player.publish(SEATS, "claim")
        hall.observe()
        assert [bot.player for bot in hall.match.bots] == ["north_team"]
        hall.now = PATIENCE - 1.0
        player.publish(SEATS, "here")
        hall.observe()
    hall.now = 2.0 * PATIENCE
    assert [entry[1] for entry in hall.observe() if entry[0] == "south_team"] == ["vanished", "order"]
    assert [bot.player for bot in hall.match.bots] == ["north_team", "south_team"]
    with server.connect() as other_client:
        other_client.publish(ORDERS, "a stop")
        assert ("south_team", "order", "a stop") in hall.observe()


def test_a_flood_is_cut_and_counted_and_others_are_heard(running, hall: Hall) -> None:
    server, _, _ = running
    with server.connect() as player, server.connect() as flood:
        player.publish(SEATS, "claim")
        flood.publish_all([(ORDERS, "a stop", ())] * 500)
        player.publish(ORDERS, "a go_to 1 -4")
        entries = hall.observe()
        assert ("south_team", "order", "a go_to 1 -4") in entries
        assert [entry[1] for entry in entries].count("illegal order") == 1, "the same is not told again"
        (said,) = [entry for entry in hall.observe() if entry[1] == "flood"]
        assert said[2] == f"{500 - MOST_ORDERS} events too many at once were not read"
        for _ in range(3):
            flood.publish_all([(ORDERS, "a stop", ())] * 100)
            assert [entry for entry in hall.observe() if entry[1] in {"flood", "illegal order"}] == []
        hall.now = REPEATED
        player.publish_all([(ORDERS, "a go_to 1 -3", ())] * 15)  # who plays fills no log, either
        later = hall.observe()
        counts = [entry[2].partition(" ")[0] for entry in later if entry[1] in {"illegal order", "flood"}]
        assert counts == [str(4 * MOST_ORDERS - 1), str(3 * (100 - MOST_ORDERS))]
        assert later.count(("south_team", "order", "a go_to 1 -3")) == 1


def test_no_look_reads_without_end(hall: Hall) -> None:
    endless = ChannelEvent(ORDERS, "a stop", (), "client 99", 0)
    hall.match.intake._heard = SimpleNamespace(hear=lambda _: endless)
    hall.observe()
    assert len(hall.match.model.log) < 3 * MOST_ORDERS
    assert np.isfinite(hall.match.model.positions).all()
