"""Managers of pages: laws in the place of others, teams as a whole, names; refused where they cannot be."""

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.client.arguments import pack
from coopsim.errors import BadArgument, NoReply, NoSuchName, NotAllowed
from coopsim.features.beginnings.crews import put
from coopsim.features.laws.choosing import CONTROLLERS
from coopsim.features.web import managing
from coopsim.features.web.managing import PageManagers
from coopsim.features.web.replies import parameter_facts, plain, standing_facts, words_of
from coopsim.interfaces import CONTROLLERS as LAWS_INTERFACE
from coopsim.interfaces import Parameter

TEAM = "team1/leader", "team1/helper", "team1/bar"
LAWS = "transport_helper", "transport_leader", "wander"
TEXT = """\
[ROBOT_1]
type transport
name team1/leader
position 0 1 0

[JOINT_2]
type support
bodies team1/leader team1/bar
anchor 0 0 0.34
"""


class StandIn:
    """A run: laws begin at once, and end so many requests after they were stopped."""

    def __init__(self, lasting: int = 2, *, has_laws: bool = True) -> None:
        self.rows, self.done, self.lasting, self.has_laws = list[dict[str, Any]](), list[Any](), lasting, has_laws
        self.ends: dict[str, int] = {}
        self.sections: dict[str, str] = {}

    async def names(self, prefix: str) -> list[str]:
        return [prefix] if self.has_laws else []

    def module(self, target: str) -> Any:
        return SimpleNamespace(call=lambda command, *values: self.call(target, command, values))

    async def call(self, target: str, command: str, values: tuple[Any, ...]) -> Any:
        match command:
            case "status":
                return SimpleNamespace(status=json.dumps({"controllers": self.report(), "laws": LAWS}))
            case "section":
                own = TEXT.replace("team1/leader", str(values[0]))
                return SimpleNamespace(text=self.sections.get(str(values[0]), own))
            case "start":
                law, arguments, *robots = map(str, pack(LAWS_INTERFACE.command("start"), values, {})[0])
                self.done.append(("start", law, json.loads(arguments), robots))
                name = f"{law}{len(self.rows)}"
                row = {"name": name, "law": law, "arguments": json.loads(arguments), "robots": robots}
                self.rows.append(row | {"state": "running", "reason": ""})
                return name
            case _:
                self.done.append((command, *values))
                self.ends[str(values[0])] = self.lasting
                return None

    def report(self) -> list[dict[str, Any]]:
        for row in self.rows:
            if row["name"] in self.ends:
                self.ends[row["name"]] -= 1
                row["state"] = "stopped" if self.ends[row["name"]] <= 0 else row["state"]
        return [dict(row) for row in self.rows]


def ask(run: StandIn, verb: str, **request: Any) -> Any:
    async def owner_for(target: str, _command: str) -> Any:
        assert target == CONTROLLERS
        return run

    sim: Any = run
    return asyncio.run(PageManagers(sim, {"robot1", *TEAM}, owner_for).answer(verb, request))


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(managing, "_LOOK_AGAIN", 0.0)
    return


def test_a_law_takes_the_place_of_the_one_that_drives_the_robot_and_gets_what_differs() -> None:
    run = StandIn()
    (first,) = ask(run, "start-law", robots=["robot1"], law="wander", given={"wander": {"speed": 1}})
    assert run.done == [("start", "wander", {"speed": 1.0}, ["robot1"])]
    (second,) = ask(run, "start-law", robots=["robot1"], law="wander")
    assert run.done[1:] == [("stop", first), ("start", "wander", {}, ["robot1"])]
    assert ask(run, "stop-laws", robots=["robot1"]) == [second]
    assert ask(run, "stop-laws", robots=["robot2"]) == []


def test_what_drove_robots_drives_them_again_with_what_it_was_given() -> None:
    run = StandIn()
    ask(run, "start-law", robots=["robot1", "robot2"], law="wander", given={"wander": {"speed": 1}})
    orders = ask(run, "law-orders", robots=["robot1"])
    assert orders == [{"law": "wander", "robots": ["robot1", "robot2"], "arguments": {"speed": 1.0}}]
    (second,) = ask(run, "start-law", robots=["robot1"], law="wander")
    ask(run, "drive", robots=["robot1", "robot2"], orders=orders)
    assert run.done[-2:] == [("stop", second), ("start", "wander", {"speed": 1.0}, ["robot1", "robot2"])]
    ask(run, "drive", robots=["robot1", "robot2"], orders=[])
    assert ask(run, "law-orders", robots=["robot1", "robot2"]) == []
    assert len(run.rows) == 3


def test_a_program_that_is_no_law_is_named_before_anything_is_stopped() -> None:
    run = StandIn()
    ask(run, "start-law", robots=["robot1"], law="wander")
    mine = [{"law": "python3 mine.py", "robots": ["robot1"], "arguments": {}}]
    with pytest.raises(BadArgument, match=r"'python3 mine\.py' is a program that the file of the scene starts"):
        ask(run, "drive", robots=["robot1"], orders=mine)
    assert [order[0] for order in run.done] == ["start"]


@pytest.mark.parametrize("orders", [None, {}, ["wander"], [{"law": "wander", "robots": []}]])
def test_orders_are_a_list_of_laws_with_robots(orders: object) -> None:
    with pytest.raises(BadArgument, match="expected a list of"):
        ask(StandIn(), "drive", robots=["robot1"], orders=orders)


def test_a_team_is_offered_the_law_that_stands_for_two_with_the_parameters_of_both() -> None:
    run = StandIn()
    offered = ask(run, "laws", robots=list(TEAM[:2]), law="transport")
    assert offered["choices"] == ["transport", *LAWS]
    assert [(part["law"], part["robots"]) for part in offered["parts"]] == [
        ("transport_leader", ["team1/leader"]),
        ("transport_helper", ["team1/helper"]),
    ]
    assert all(part["parameters"] and not part["problem"] for part in offered["parts"][:1])
    ask(run, "start-law", robots=list(TEAM[:2]), law="transport")
    assert [row["law"] for row in run.rows] == ["transport_leader", "transport_helper"]
    shown = ask(run, "laws", robots=["team1/helper"])
    assert [(row["law"], row["state"]) for row in shown["drivers"]] == [("transport_helper", "running")]
    assert shown["parts"] == []


def test_a_law_that_does_not_end_keeps_its_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(managing, "PATIENCE", 0.0)
    run = StandIn(lasting=1000)
    ask(run, "start-law", robots=["robot1"], law="wander")
    with pytest.raises(NoReply, match="was asked to end and still runs"):
        ask(run, "start-law", robots=["robot1"], law="wander")
    assert len(run.rows) == 1


def test_a_run_without_laws_offers_none() -> None:
    run = StandIn(has_laws=False)
    assert ask(run, "laws", robots=["robot1"]) == {"choices": [], "drivers": [], "parts": []}
    with pytest.raises(BadArgument, match="no law 'wander' drives 'robot1'"):
        ask(run, "start-law", robots=["robot1"], law="wander")


@pytest.mark.parametrize("robots", [[], None, "robot1", ["r"] * 1001])
def test_an_order_names_robots(robots: object) -> None:
    with pytest.raises(BadArgument, match="a list of 1 to 1000 robots"):
        ask(StandIn(), "laws", robots=robots)


def test_a_link_that_may_not_edit_starts_nothing() -> None:
    async def refuse(_target: str, _command: str) -> Any:
        raise NotAllowed("this link may watch alone")

    run = StandIn()
    sim: Any = run
    with pytest.raises(NotAllowed):
        asyncio.run(PageManagers(sim, {"robot1"}, refuse).answer("start-law", {"robots": ["robot1"], "law": "wander"}))
    assert not run.done


def test_a_team_is_told_with_all_its_sections_and_gets_a_name_that_nobody_has() -> None:
    team = ask(StandIn(), "team", team="team1")
    assert set(team["members"]) == set(TEAM)
    assert team["members"][-1] == "team1/leader"
    renamed = ask(StandIn(), "renamed", text=team["text"], before="team1", name="porters")
    assert ("team1/" in renamed, renamed.count("porters/")) == (False, team["text"].count("team1/"))
    with pytest.raises(NoSuchName, match="no team 'team7'"):
        ask(StandIn(), "team", team="team7")


def test_a_team_gets_another_load_and_no_other_keys() -> None:
    run = StandIn()
    bar = "[OBJECT_3]\ntype box\nname team1/bar\nsize 0.1 1.5 0.05\nposition 0 0 0.3\nmass 2\n"
    run.sections["team1/bar"] = bar
    text = ask(run, "load-team", team="team1", entries={"length": 2, "carriers": 3})
    assert text.startswith("[ROBOT_1]\ntype team2\nname team1\nposition 0 0 0\n")
    assert {"length 2", "mass 2", "carriers 3"} <= set(text.splitlines())
    assert ask(run, "team", team="team1")["load"]["length"] == "1.5"
    for entries in ({}, {"name": 3}, {"length": "x\n[Y]"}, {"length": None}, [1]):
        with pytest.raises((BadArgument, ValueError, TypeError)):
            ask(run, "load-team", team="team1", entries=entries)
    with pytest.raises(BadArgument, match="carries nothing"):
        ask(StandIn(), "load-team", team="team1", entries={"length": 2})
    with pytest.raises(NoSuchName):
        ask(run, "load-team", team="nobody", entries={"length": 2})


@pytest.mark.parametrize("name", ["", "a/b", "robot1", "team1"])
def test_a_name_that_is_taken_or_none_is_refused(name: str) -> None:
    with pytest.raises(BadArgument, match="keeps its name"):
        ask(StandIn(), "renamed", text=TEXT, before="crate", name=name)


def test_a_team_is_turned_about_its_middle_and_its_joints_stay_as_they_are() -> None:
    text = ask(StandIn(), "put-team", text=TEXT, middle=[0, 0], to=[3, -1], turn=np.pi / 2)
    assert "position 2 -1 0\norientation 0 0 90" in text
    assert text.endswith("[JOINT_2]\ntype support\nbodies team1/leader team1/bar\nanchor 0 0 0.34\n")
    back = put(text, (3.0, -1.0), (0.0, 0.0), -np.pi / 2)
    assert "position 0 1 0\norientation 0 0 0" in back


@pytest.mark.parametrize("middle", [None, [1], [1, "x"], [1, 2e6], [float("nan"), 0]])
def test_a_place_of_a_team_is_two_numbers(middle: object) -> None:
    with pytest.raises((BadArgument, ValueError)):
        ask(StandIn(), "put-team", text=TEXT, middle=middle, to=[0, 0], turn=0.0)


def test_parameters_and_answers_are_plain_json() -> None:
    facts = parameter_facts(Parameter("reach", float, 3.0, unit="m", low=0.1, summary="far"), np.float64(2.0))
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["kind"], facts["value"], facts["low"]) == ("float", 2.0, 0.1)
    assert plain((1.5, float("inf"), np.array([np.nan, np.inf]))) == [1.5, None, [0.0, 1e9]]
    assert words_of(SimpleNamespace(_asdict=lambda: {"names": ("a",)})) == {"names": ["a"]}


@pytest.mark.parametrize(
    ("rows", "result"),
    [
        ([("game", "ended", "has ended: game: west wins after 3 s: east is out")], "west wins after 3 s: east is out"),
        ([("game", "running", "")], ""),
        ([("game", "ended", "has ended: game: west wins"), ("game", "running", "")], ""),
        ([("game", "stopped", "was stopped")], ""),
        ([("seek", "ended", "has ended: game: a word of its own")], ""),
    ],
)
def test_the_result_of_a_match_is_told_to_pages_once_its_logic_has_ended(
    rows: list[tuple[str, str, str]], result: str
) -> None:
    laws = [{"name": law, "law": law, "state": state, "reason": reason, "ended": None} for law, state, reason in rows]
    assert standing_facts({"begins": 1, "controllers": laws})["result"] == result
