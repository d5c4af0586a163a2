"""Behaviours that plugins bring: what can be one, and one that fails is switched off and ends no match."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from coopsim import plugins
from coopsim.errors import PluginFailed, SimulationEnded
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.own_behaviours import OwnBehaviours
from coopsim.features.games.sections.behaviour_check import check_behaviour

STOP = RobotCommand("a1", "motors", "stop")


class Salute:
    """Stands still once asked."""

    name, priority, takes = "salute", 7, "nothing"

    def wants(self, intelligence: Any, view: Any) -> bool:
        return bool(intelligence == "ready")

    def act(self, intelligence: Any, view: Any) -> list[RobotCommand]:
        return [STOP]


class WithoutOrders(Salute):
    takes = None  # type: ignore[assignment]


class Torn(Salute):
    def wants(self, intelligence: Any, view: Any) -> bool:
        if intelligence == "over":
            raise SimulationEnded("the run has ended")
        raise ZeroDivisionError("nobody is left")


class Talking(Salute):
    def act(self, intelligence: Any, view: Any) -> list[RobotCommand]:
        return ["stop"]  # type: ignore[list-item]


class Log:
    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str]] = []

    def note(self, source: str, rule: str, text: str) -> None:
        self.lines.append((source, rule, text))


Make = Callable[..., tuple[OwnBehaviours, Log]]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Make:
    def made(kind: type) -> tuple[OwnBehaviours, Log]:
        log = Log()
        monkeypatch.setattr(plugins, "load", lambda group, name: kind)
        squads = [{"name": "a", "behaviours": ["salute"]}, {"name": "b", "behaviours": ["salute"]}, {"name": "c"}]
        return OwnBehaviours(squads, log), log  # type: ignore[arg-type]

    return made


def test_each_squad_that_names_a_behaviour_has_one_of_its_own(make: Make) -> None:
    own, _ = make(Salute)
    assert [len(own.of(squad)) for squad in ("a", "b", "c", "nobody")] == [1, 1, 0, 0]
    (first,), (second,) = own.of("a"), own.of("b")
    assert first is not second
    assert (first.name, first.priority) == ("salute", 7)
    assert own.verbs == {"a": {"salute": "nothing"}, "b": {"salute": "nothing"}, "c": {}}


def test_a_behaviour_without_an_order_is_no_verb(make: Make) -> None:
    own, _ = make(WithoutOrders)
    assert own.verbs["a"] == {}
    assert len(own.of("a")) == 1


def test_a_behaviour_wants_and_acts_as_the_plugin_says(make: Make) -> None:
    (behaviour,) = make(Salute)[0].of("a")
    assert behaviour.wants("ready", None)  # type: ignore[arg-type]
    assert not behaviour.wants("asleep", None)  # type: ignore[arg-type]
    assert behaviour.act("ready", None) == [STOP]  # type: ignore[arg-type]


def test_one_that_fails_is_switched_off_for_all_squads_and_told_once(make: Make) -> None:
    own, log = make(Torn)
    (first,), (second,) = own.of("a"), own.of("b")
    assert not own.is_off("salute")
    assert first.wants("ready", None) is False  # type: ignore[arg-type]
    assert own.is_off("salute")
    assert second.wants("ready", None) is False  # type: ignore[arg-type]
    assert len(own.failures) == len(log.lines) == 1
    assert log.lines[0][:2] == ("salute", "switched off")
    assert "nobody is left" in own.failures[0]


def test_the_end_of_a_run_is_no_fault_of_a_behaviour(make: Make) -> None:
    own, log = make(Torn)
    with pytest.raises(SimulationEnded):
        own.of("a")[0].wants("over", None)  # type: ignore[arg-type]
    assert (own.failures, log.lines) == ([], [])


def test_what_is_no_list_of_commands_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = type("Entry", (), {"places": ("own 1.0",)})()
    monkeypatch.setattr(plugins, "registered", lambda group: {"salute": entry})
    own, _ = make(Talking)
    assert own.of("a")[0].act("ready", None) == []  # type: ignore[arg-type]
    assert "must return a list of RobotCommand, got ['stop']" in own.failures[0]


class Wordless(Salute):
    takes = "words"


class Halved(Salute):
    priority = 0.5  # type: ignore[assignment]


class Named(Salute):
    name = "other"


class Needy(Salute):
    def __init__(self, squad: str) -> None:
        self.squad = squad


class Narrow(Salute):
    def act(self, intelligence: Any) -> list[RobotCommand]:  # type: ignore[override]
        return []


class Deaf:
    name, priority = "salute", 1

    def act(self, intelligence: Any, view: Any) -> list[RobotCommand]:
        return []


def test_a_class_with_both_methods_can_be_a_behaviour() -> None:
    check_behaviour("salute", Salute)
    check_behaviour("salute", WithoutOrders)


@pytest.mark.parametrize(
    ("thing", "says"),
    [
        (
            Salute(),
            "behaviour salute: expected a class with wants(intelligence, view) and act(intelligence, view), got",
        ),
        (Deaf, "wants"),
        (Narrow, "act"),
        (Named, "it is registered as 'salute', so Named needs name = 'salute', got 'other'"),
        (Halved, "Halved needs a whole number as its priority, got 0.5"),
        (Wordless, "takes says what words its order has: None, or one of"),
        (Needy, "Needy() is called for each squad, without arguments"),
    ],
)
def test_what_cannot_be_a_behaviour_is_refused_with_its_place(thing: Any, says: str) -> None:
    with pytest.raises(PluginFailed) as refusal:
        check_behaviour("salute", thing)
    assert says in str(refusal.value)
    if isinstance(thing, type):
        assert re.search(r"test_games_own_behaviours\.py:\d+", str(refusal.value))
