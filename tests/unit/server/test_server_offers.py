"""Modules that programs offer to each other: who writes, who reads, from when on, and until when."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from coopsim.client import Client, aio
from coopsim.errors import BadArgument, NoSuchName, OwnedByAnother
from coopsim.inprocess import LocalServer
from coopsim.interfaces import Parameter
from coopsim.robots import load
from coopsim.server.offers import MOST_OFFERS
from coopsim.simulation import Simulation
from coopsim.state import Record
from coopsim.state.edits import AppliedEdit, OfferModule, TuneModule, WithdrawModule, WriteModule

INTENT = "/robot1/intent"
VALUES = {"x": "m", "turn": "rad/s", "state": ""}
GAIN = Parameter("gain", float, 1.0, "1/s", 0.0, 5.0, "how eagerly")


@dataclass
class Talk:
    """Two programs and the records of their simulation."""

    server: LocalServer
    leader: Client
    helper: Client
    records: list[Record]

    def step(self) -> None:
        """Do one tick."""
        self.leader.robot("robot1").motors.stop()

    def edits(self) -> list[AppliedEdit]:
        """Return everything that the records hold."""
        return [AppliedEdit.from_plain(edit) for record in self.records for edit in record.edits]


@pytest.fixture
def talk() -> Iterator[Talk]:
    records: list[Record] = []
    server = LocalServer(Simulation(load("single")), published=records.append)
    with server.connect() as leader, server.connect() as helper:
        yield Talk(server, leader, helper, records)


def test_what_is_told_is_in_force_from_the_next_tick_for_everybody(talk: Talk) -> None:
    intent = talk.leader.offer(INTENT, VALUES, summary="Where the leader goes.")
    heard = talk.helper.module(INTENT)
    assert tuple(heard.read()) == (0.0, 0.0, "", 0.0, 0.0)
    intent.write(1.5, -0.2, "turning")
    assert heard.read().count == intent.read().count == 0.0
    talk.step()
    intent.write(x=2.5, turn=0.0, state="going")
    assert tuple(heard.read()) == (1.5, -0.2, "turning", 1.0, pytest.approx(0.01))
    talk.step()
    assert tuple(heard.read())[:4] == (2.5, 0.0, "going", 2.0)
    assert heard.read().tick == 2


def test_the_newest_of_a_tick_wins_and_the_last_one_stays(talk: Talk) -> None:
    intent = talk.leader.offer(INTENT, {"x": "m"})
    for x in (1.0, 2.0, 3.0):
        intent.write(x)
    for _ in range(5):
        talk.step()
    said = talk.helper.module(INTENT).read()
    assert (said.x, said.count) == (3.0, 3.0)
    assert said.age == pytest.approx(0.05)
    assert [edit.edit.values for edit in talk.edits() if isinstance(edit.edit, WriteModule)] == [{"x": 3.0}]


def test_an_offered_module_is_a_module_like_others(talk: Talk) -> None:
    talk.leader.offer(INTENT, VALUES, [GAIN], summary="Where the leader goes.")
    assert INTENT in talk.helper.names("/robot1/")
    module = talk.helper.robot("robot1").intent
    assert module.ping().kind == "message"
    assert module.interface.summary == "Where the leader goes."
    assert [command.name for command in module.interface.commands] == ["read", "write", "settings"]
    assert talk.helper.module("/sim/names").lookup(INTENT) == talk.helper.module("/sim/names").lookup("/robot1/motors")


def test_parameters_are_changed_by_others_within_their_range(talk: Talk) -> None:
    intent = talk.leader.offer("/robot1/law", {}, [GAIN, Parameter("side", str, "left", choices=("left", "right"))])
    parameters = talk.helper.module("/robot1/law").parameters
    assert (parameters["gain"], intent.settings().side) == (1.0, "left")
    parameters["gain"], parameters["side"] = 2.5, "right"
    assert tuple(intent.settings()) == (2.5, "right")
    for name, value in (("gain", 6.0), ("side", "up")):
        with pytest.raises(BadArgument, match=name):
            parameters[name] = value
    talk.step()
    assert [edit.edit.value for edit in talk.edits() if isinstance(edit.edit, TuneModule)] == [2.5, "right"]


def test_only_its_program_writes_and_withdraws_it(talk: Talk) -> None:
    talk.leader.offer(INTENT, {"x": "m"})
    with pytest.raises(OwnedByAnother, match="by the program that offers it"):
        talk.helper.module(INTENT).write(1.0)
    for command in ("withdraw", "offer"):
        with pytest.raises(OwnedByAnother, match="another program"):
            talk.helper.module("/sim/names").call(command, INTENT, *["{}"] * (command == "offer"))
    talk.leader.module("/sim/names").withdraw(INTENT)
    with pytest.raises(NoSuchName):
        talk.helper.module(INTENT).read()
    with pytest.raises(NoSuchName, match="not offered"):
        talk.leader.module("/sim/names").withdraw(INTENT)


def test_a_program_that_vanishes_takes_its_modules_with_it_and_another_may_offer_them(talk: Talk) -> None:
    talk.leader.offer(INTENT, {"x": "m"})
    heard = talk.helper.module(INTENT)
    assert heard.read().count == 0.0
    talk.leader.close()
    with pytest.raises(NoSuchName):
        heard.read()
    assert INTENT not in talk.helper.names()
    talk.helper.offer(INTENT, {"y": "m"}).write(1.0)
    talk.helper.robot("robot1").motors.stop()
    assert talk.helper.module(INTENT).read().y == 1.0
    kinds = [type(edit.edit) for edit in talk.edits() if not isinstance(edit.edit, WriteModule)]
    assert kinds == [OfferModule, WithdrawModule, OfferModule]


def test_the_simulation_takes_no_notice(talk: Talk) -> None:
    plain = Simulation(load("single"))
    intent = talk.leader.offer(INTENT, {"x": "m"})
    for x in range(3):
        intent.write(float(x))
        talk.step()
        plain.command("robot1", "motors", 12, ())
        plain.tick()
    assert talk.records[-1].header.state_hash == plain.state_hash()
    ticks = [record.tick for record in talk.records]
    assert ticks == [0, 1, 2, 3], "messages need no records of their own"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("/robot1/motors", {}, "module of the simulation"),
        ("/sim/mine", {}, "the simulation's own"),
        ("intent", {}, "one to four parts"),
        (INTENT, [], "an offer must be a JSON object"),
        (INTENT, {"kind": "No Word"}, "kind must be a small word"),
        (INTENT, {"values": [{"name": "2x"}]}, "like `heading_rate`"),
        (INTENT, {"values": [{"name": "age", "unit": "s"}]}, "twice or taken: age"),
        (INTENT, {"values": [{"name": f"v{n}"} for n in range(17)]}, "a list of at most 16"),
        (INTENT, {"parameters": [{"name": "gain", "default": 2.0, "high": 1.0}]}, "gain"),
        (INTENT, {"parameters": [{"name": "gain", "type": "bool", "default": 1}]}, "must be one of float, int, str"),
        (INTENT, {"parameters": [{"name": "gain"}]}, "needs a default"),
        (INTENT, {"summary": "x" * 20_000}, "at most 16384 characters"),
    ],
)
def test_what_cannot_be_offered_is_refused_in_words(talk: Talk, name: str, content: Any, problem: str) -> None:
    with pytest.raises(BadArgument, match=problem):
        talk.leader.module("/sim/names").offer(name, json.dumps(content))
    assert INTENT not in talk.helper.names()


def test_there_are_limits_to_texts_and_numbers_of_modules(talk: Talk) -> None:
    intent = talk.leader.offer(INTENT, {"state": ""})
    with pytest.raises(BadArgument, match="at most 256 bytes"):
        intent.write("x" * 257)
    for number in range(MOST_OFFERS - 1):
        talk.leader.offer(f"/many/m{number}", {})
    with pytest.raises(BadArgument, match="100 modules are offered already"):
        talk.leader.offer("/many/more", {})


def test_a_name_is_either_offered_or_registered_elsewhere(talk: Talk) -> None:
    names = talk.helper.module("/sim/names")
    names.register("/arm/gripper", "tcp://127.0.0.1:6000")
    with pytest.raises(OwnedByAnother, match="registered for tcp"):
        talk.leader.offer("/arm/gripper", {})
    talk.leader.offer("/arm/plan", {})
    with pytest.raises(OwnedByAnother, match="offered by a program"):
        names.register("/arm/plan", "tcp://127.0.0.1:6000")


def test_programs_of_asyncio_offer_in_the_same_words(talk: Talk) -> None:
    async def use() -> float:
        async with aio.connect(talk.server) as sim:
            intent = await sim.offer("/robot1/plan", {"x": "m"}, [GAIN])
            await intent.write(4.0)
            talk.step()
            return float((await sim.module("/robot1/plan").read()).x)

    assert asyncio.run(use()) == 4.0
