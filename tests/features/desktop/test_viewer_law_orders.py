"""Orders about control laws: what a choice stands for, and that robots have one law at a time."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from coopsim.client.arguments import pack
from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.desktop import law_orders
from coopsim.features.desktop.changes import driven
from coopsim.features.desktop.law_orders import LawOrders
from coopsim.features.desktop.ui import law_form as law_form_module
from coopsim.features.desktop.ui.law_form import LawForm, LawOffers
from coopsim.features.desktop.undoing import EditHistory
from coopsim.features.laws.choosing import LawOrder, choices, drivers, orders, parts, unfit
from coopsim.features.laws.needs import NEEDS
from coopsim.interfaces import CONTROLLERS, Parameter
from coopsim.plugins import registered

TEAM = ("team1/helper", "team1/leader")
LAWS = ("transport_helper", "transport_leader", "wander")


def row(name: str, state: str, *robots: str) -> dict[str, Any]:
    return {"name": name, "state": state, "robots": list(robots)}


class Run:
    """A run whose laws end so many requests for the status after they were stopped."""

    def __init__(self, rows: list[dict[str, Any]], lasting: int = 2) -> None:
        self.rows, self.lasting, self.done, self.notes = rows, lasting, list[Any](), list[str]()
        self.refuses = ""
        facts = SimpleNamespace(standing={"controllers": rows})
        self.link: Any = SimpleNamespace(facts=facts, ask=self.ask_link, call=self.call)
        self.orders = LawOrders(self.link, self.notes.append)
        self.queue: list[Callable[[], None]] = []
        self.stopped: dict[str, int] = {}

    def replace(self, *wanted: LawOrder) -> None:
        robots = [robot for order in wanted for robot in order.robots]
        self.orders.replace(robots, wanted, self.end)

    def end(self, problem: CoopsimError | None) -> None:
        self.notes.append(str(problem or "done").partition("\n")[0])

    def call(self, _target: str, command: str, name: str, *, then: Any) -> None:
        self.done.append((command, name))
        self.stopped[name] = self.lasting

    def ask_link(self, work: Any, *, then: Any, failed: Any) -> None:
        def carry_out() -> None:
            try:
                answer = work(SimpleNamespace(module=lambda _: self))
            except BadArgument as problem:
                failed(problem)
            else:
                then(answer)

        self.queue.append(carry_out)

    def status(self) -> Any:
        for name, left in self.stopped.items():
            self.stopped[name] = left - 1
            for law in self.rows:
                if law["name"] == name and left <= 0:
                    law["state"] = "stopped"
        return SimpleNamespace(status=json.dumps({"controllers": self.rows}))

    def start(self, *values: Any) -> Any:
        if self.refuses:
            raise BadArgument(self.refuses)
        law, arguments, *robots = map(str, pack(CONTROLLERS.command("start"), values, {})[0])
        self.done.append((law, json.loads(arguments), tuple(robots), [law["state"] for law in self.rows]))
        return SimpleNamespace(name=law)

    def serve(self, most: int = 50) -> None:
        for _ in range(most):
            if not self.queue:
                return
            self.queue.pop(0)()


def test_what_drives_a_robot_is_what_runs_and_else_what_ended_last() -> None:
    rows = [
        row("a", "ended", "r1"),
        row("b", "running", "r1", "r2"),
        row("c", "failed", "r2"),
        row("d", "failed", "r3"),
    ]
    assert [law["name"] for law in drivers(rows, ["r1"])] == ["b"]
    assert [law["name"] for law in drivers(rows, ["r3", "r4"])] == ["d"]
    assert [law["name"] for law in drivers([rows[0], rows[2]], ["r1", "r2"])] == ["c"]
    assert drivers(rows, ["r4"]) == []


@pytest.mark.parametrize(
    ("robots", "laws", "is_offered"),
    [
        (TEAM, LAWS, True),
        (TEAM[:1], LAWS, False),
        (("team1/leader", "team2/helper"), LAWS, False),
        (("team1/a", "team1/b"), LAWS, False),
        (TEAM, ("wander",), False),
        ((), LAWS, False),
    ],
)
def test_transport_is_offered_to_a_whole_team_alone(
    robots: tuple[str, ...], laws: tuple[str, ...], *, is_offered: bool
) -> None:
    assert ("transport" in choices(laws, robots)) == is_offered
    assert set(laws) <= set(choices(laws, robots))


def test_transport_is_a_law_for_the_leader_and_one_for_the_others() -> None:
    robots = ("team1/h1", "team1/leader", "team1/h2")
    assert parts("transport", robots) == {"transport_leader": robots[1:2], "transport_helper": (robots[0], robots[2])}
    assert parts("wander", robots) == {"wander": robots}


def test_only_values_that_differ_are_sent_and_only_to_the_law_that_has_them() -> None:
    declared = {"transport_leader": [Parameter("target", str, "red"), Parameter("speed", float, 0.3)]}
    given = {"transport_leader": {"target": "blue", "speed": 0.3, "gone": 1}, "transport_helper": {"target": "blue"}}
    leading, helping = orders("transport", TEAM, declared, given)
    assert leading.arguments == {"target": "blue"}
    assert helping.arguments == {}


def test_a_law_starts_only_when_what_drove_its_robots_has_ended() -> None:
    run = Run([row("seek", "running", "r1"), row("guard", "running", "r2")])
    run.replace(LawOrder("wander", ("r1",), {"speed": 0.2}))
    assert run.orders.is_waiting
    run.serve()
    assert run.done == [("stop", "seek"), ("wander", {"speed": 0.2}, ("r1",), ["stopped", "running"])]
    assert not run.orders.is_waiting
    assert run.notes == ["done"]


def test_several_laws_start_one_after_the_other_each_with_all_its_robots() -> None:
    """C-50: a law is chosen for a team."""
    run, team = Run([]), ("team1/helper1", "team1/helper2", "team1/leader")
    run.replace(*orders("transport", team, {}, {}))
    run.serve()
    assert run.notes == ["done"]
    assert [(law, robots) for law, _, robots, _ in run.done] == [
        ("transport_leader", team[2:]),
        ("transport_helper", team[:2]),
    ]


def test_a_law_that_does_not_end_is_named_and_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run([row("seek", "running", "r1")], lasting=1000)
    now = [0.0]
    monkeypatch.setattr(law_orders.time, "monotonic", lambda: now.__setitem__(0, now[0] + 1.0) or now[0])
    run.replace(LawOrder("wander", ("r1",), {}))
    run.serve(100)
    assert run.done == [("stop", "seek")]
    assert run.notes == ["the law seek was asked to end and still runs; stop it, then start again"]
    assert not run.orders.is_waiting


def test_a_refused_law_is_told_and_another_can_be_started() -> None:
    run = Run([])
    run.refuses = "no law is called that\nhint"
    run.replace(LawOrder("wandr", ("r1",), {}), LawOrder("next", ("r2",), {}))
    run.serve()
    assert run.notes == ["no law is called that"]
    assert not run.orders.is_waiting
    assert run.done == []


def test_a_law_that_was_started_is_taken_back_and_what_it_replaced_drives_again() -> None:
    run = Run([row("seek", "running", "r1") | {"law": "seek", "arguments": {"target": "red"}}], lasting=0)
    look: Any = SimpleNamespace(obstacle="", entity=lambda name: name == "r1" or None)
    history = EditHistory(run.link, look, run.notes.append)
    wanted = [LawOrder("wander", ("r1",), {"speed": 0.2})]
    history.do(driven(["r1"], run.rows, wanted))
    run.serve()
    assert (history.next_undo, history.has_unsaved) == ("start wander for r1", True)
    run.done.clear()
    run.rows.append(row("wander", "running", "r1"))
    history.undo()
    run.serve()
    assert [words[:2] for words in run.done] == [("stop", "wander"), ("seek", {"target": "red"})]
    assert (history.next_redo, history.has_unsaved) == ("start wander for r1", False)
    assert run.notes == []
    look.entity = lambda _: None
    history.redo()
    assert run.notes == ["r1 is gone: no control law drives it"]


def form(*targets: str) -> LawForm:
    rows = [SimpleNamespace(name=name) for name in targets]
    model = SimpleNamespace(of_kind={"target": rows})
    return LawForm(SimpleNamespace(model=model), lambda _: None)  # type: ignore[arg-type]


def test_a_whole_team_is_proposed_to_carry_and_what_a_person_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    law_form, wanted = form(), [""]
    law_form._session.link = SimpleNamespace(names=())  # type: ignore[assignment]
    monkeypatch.setattr(LawForm, "_parameters_of", lambda *_: ((), ""))
    monkeypatch.setattr(law_form_module, "imgui", MagicMock())
    monkeypatch.setattr(law_form_module, "remember", lambda _: None)
    monkeypatch.setattr(law_form_module, "choice", lambda *words: wanted[0] or words[2])

    def proposed(*robots: str) -> str:
        law_form._choose(robots, {"laws": LAWS})
        return law_form._law

    assert (proposed(*TEAM), proposed("robot1"), proposed(*TEAM)) == ("transport", "wander", "transport")
    wanted[0] = "transport_leader"
    assert proposed(*TEAM) == "transport_leader"
    wanted[0] = ""
    assert proposed(*TEAM) == "transport_leader"


def test_no_target_is_proposed_that_is_not_there() -> None:
    def target_of(law_form: LawForm, law: str, *robots: str) -> Any:
        law_form._law = law
        return [dict(order.arguments).get("target") for order in law_form._wanted(robots)]

    team = ("team1/leader", "team1/helper")
    assert target_of(form("red", "blue"), "transport", *team) == ["red", None]
    assert target_of(form("red", "magenta"), "transport", *team) == [None, None], "the usual one is there"
    assert target_of(form(), "seek", "robot1") == [None], "the law says that there is none"
    assert target_of(form("blue"), "wander", "robot1") == [None]
    given = form("red", "blue")
    given._given["seek"] = {"target": "blue"}
    assert target_of(given, "seek", "robot1") == ["blue"], "chosen by hand"


MODULES = {
    "robot1": ("bumpers", "motors", "odometry", "sonars", "target"),
    "arm": ("gripper", "joints", "pose", "tool"),
    "q": ("autopilot", "pose", "potentials", "rotors"),
}
TARGETS = [f"/{robot}/{module}" for robot, modules in MODULES.items() for module in modules]
ALL_LAWS = ("mine", "orca", "reach", "seek", "shadow", "sphere", "wander")


@pytest.mark.parametrize(
    ("robots", "offered"),
    [
        (("robot1",), ["orca", "seek", "shadow", "wander", "mine"]),
        (("arm",), ["reach", "mine"]),
        (("q",), ["sphere", "mine"]),
        (("robot1", "arm"), ["mine"]),
        (("robot1", "unknown"), ["orca", "seek", "wander", "mine"]),
    ],
)
def test_laws_that_fit_the_modules_come_first_and_others_have_a_reason(
    robots: tuple[str, ...], offered: list[str]
) -> None:
    """C-50: an arm is offered what drives arms."""
    assert choices(ALL_LAWS, robots, TARGETS) == offered
    refused = unfit(ALL_LAWS, robots, TARGETS)
    assert sorted([*offered, *refused]) == sorted(ALL_LAWS)
    assert ("wander" in refused) == ("arm" in robots or "q" in robots)
    assert refused.get("wander", "needs motors, sonars") == "needs motors, sonars"


def test_the_needs_of_all_laws_are_known_but_of_those_that_a_file_decides() -> None:
    assert set(registered("controllers")) - set(NEEDS) == {"components", "policy"}
    assert set(NEEDS) <= set(registered("controllers"))


def test_a_robot_that_no_law_drives_has_nothing_to_start() -> None:
    offers = LawOffers()
    assert offers.of(("seek", "wander"), ("arm",), tuple(TARGETS)) == (
        [],
        {"seek": "needs motors, sonars, target", "wander": "needs motors, sonars"},
    )
    assert offers.of(("seek", "wander"), ("robot1",), tuple(TARGETS)) == (["seek", "wander"], {})
