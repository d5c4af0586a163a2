"""Orders that are secret without fog, too: sealed by who plays, kept for the end against it, in clear elsewhere."""

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from coopsim.features.games.commands.playing import seated
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.model import LogEntry
from coopsim.features.games.logic.secrecy import Secrecy
from coopsim.features.matches.events import KEYS_TOPIC, LOG_TOPIC
from coopsim.features.matches.sealing import ORDERS, SEALED, SEATS, SealedTalk
from coopsim.features.matches.stream import MatchStream
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


class OpenDuel:
    """A match without fog that computer players play, until somebody takes a seat."""

    def __init__(self) -> None:
        self.server, self.stack = LocalServer(Simulation(load("duel")), is_hashed=False), ExitStack()
        self.sim = self.stack.enter_context(self.server.connect())
        self.stepper = self.stack.enter_context(self.sim.stepper(every=10))
        self.match = Match(self.sim, self.stepper)

    def play(self, rounds: int = 3) -> None:
        """Let the logic decide some times."""
        for _ in range(rounds):
            self.match.decide(self.stepper.step({}))


@pytest.fixture
def duel() -> Iterator[OpenDuel]:
    played = OpenDuel()
    with played.stack:
        yield played
        played.match.close()


def test_orders_of_who_plays_and_of_computer_players_against_it_are_heard_by_nobody_else_until_the_end(
    duel: OpenDuel,
) -> None:
    with duel.server.connect() as ann, duel.server.connect() as bob, duel.server.connect() as spy:
        own, rival = (MatchStream(sim, sim.info()["game"]) for sim in (ann, bob))
        everything = spy.listen("/game/*", "/game/orders/*", "/game/log/*")
        ann.publish(f"{SEATS}west", "claim")
        duel.play()
        _lines(own)
        for event in own.talk.order("west", "a go_to -3 0"):
            ann.publish(*event)
        duel.play()
        duel.match.model.note("east", "order", "b go_to 3 0")  # its computer player
        duel.play()
        assert "west: order: a go_to -3 0" in _lines(own)
        texts = [event.text for event in iter(lambda: everything.hear(0.0), None) if event is not None]
        assert sum(text.startswith(SEALED) for text in texts) >= 2, "an order, and an answer"
        assert not any("go_to -3" in text or "go_to 3" in text for text in [*texts, *_lines(rival)])
        duel.match.publisher.publish(duel.match.result(), {"west": "", "east": ""})
        assert {"west: order: a go_to -3 0", "east: order: b go_to 3 0"} <= {*_lines(rival)}
        own.close()
        rival.close()


def test_a_match_that_nobody_plays_is_told_as_it_goes_on(duel: OpenDuel) -> None:
    with duel.server.connect() as guest, MatchStream(guest, guest.info()["game"]) as stream:
        duel.play()
        assert {line.split(": ")[0] for line in _lines(stream) if ": order: " in line} == {"west", "east"}


@pytest.mark.parametrize(
    ("seats", "keyed", "fog", "heard"),
    [
        ({}, (), False, ["west", "east"]),
        ({"west": "ann"}, (), False, ["west", "east"]),  # its orders came in clear
        ({"west": "ann"}, ("ann",), False, []),
        ({"west": "ann", "east": "bob"}, ("ann",), False, ["east"]),
        ({"west": "ann", "east": "bob"}, ("ann", "bob"), False, []),
        ({}, ("ann",), False, ["west", "east"]),  # who has left
        ({"west": "ann"}, (), True, []),
    ],
)
def test_whose_orders_everybody_hears(
    duel: OpenDuel, seats: dict[str, str], keyed: tuple[str, ...], fog: bool, heard: list[str]
) -> None:
    secrecy = Secrecy(duel.match.model, has_fog=fog)
    secrecy.keys = {source: SealedTalk().key for source in keyed}
    entries = [LogEntry(1.0, player, "order", "stop") for player in ("west", "east")]
    everybody = {"west": "", "east": ""} | seats
    events = list(secrecy.events(entries, everybody, is_over=False))
    assert [text.split(":")[0] for topic, text, _ in events if topic == LOG_TOPIC] == heard
    assert [topic for topic, _, _ in events if topic != LOG_TOPIC] == [
        f"{LOG_TOPIC}/{player}" for player, holder in seats.items() if holder in keyed
    ]
    later = [text.split(":")[0] for _, text, _ in secrecy.events([], everybody, is_over=True)]
    assert sorted(heard + later) == ["east", "west"]


def test_who_sat_down_before_the_logic_was_there_names_its_key_with_the_first_order(duel: OpenDuel) -> None:
    talk = SealedTalk()
    assert talk.introduction("west") == []
    assert talk.order("west", "a stop") == [(f"{ORDERS}west", "a stop")], "nothing can be sealed yet"
    assert not talk.is_told
    talk.learn(json.dumps({"key": duel.match.secrecy.talk.key}))
    introduction, (topic, text) = talk.order("west", "a stop")
    assert introduction == (f"{SEATS}west", talk.announcement)
    assert topic == f"{ORDERS}west"
    assert duel.match.secrecy.talk.open(text, talk.key) == "a stop"
    assert len(talk.order("west", "a stop")) == 1, "once"
    assert talk.introduction("east") == [(f"{SEATS}east", talk.announcement)]
    talk.learn(json.dumps({"key": SealedTalk().key}))
    assert len(talk.order("west", "a stop")) == 2, "a logic that begins anew knows no key"


def test_several_logics_seal_nothing_and_say_so(duel: OpenDuel) -> None:
    (event,) = Secrecy(duel.match.model, is_sealing=False).key_events()
    assert event[:2] == (KEYS_TOPIC, '{"key": ""}')
    talk = SealedTalk()
    talk.learn(event[1])
    assert talk.is_told
    assert talk.order("west", "a stop") == [(f"{ORDERS}west", "a stop")]
    duel.match.secrecy.is_sealing = False
    with duel.server.connect() as ann:
        ann.publish(f"{SEATS}west", talk.announcement)
        duel.play(1)
        assert duel.match.intake.seats.holder("west"), "a key is a sign of life"
        assert duel.match.secrecy.keys == {}


def _lines(stream: MatchStream) -> list[str]:
    events = iter(lambda: stream.hear(0.0), None)
    return [event.text for event in events if event is not None and event.topic == LOG_TOPIC]


def test_who_holds_a_seat_names_its_key_as_soon_as_the_logic_has_one(duel: OpenDuel) -> None:
    talk = SealedTalk()
    with duel.server.connect() as ann, seated(ann, "west", talk) as sit:
        sit()
        duel.play()
        assert duel.match.secrecy.keys == {}
        talk.learn(json.dumps({"key": duel.match.secrecy.talk.key}))
        sit()
        sit()
        duel.play()
        assert [*duel.match.secrecy.keys.values()] == [talk.key]
