"""Swarm gaming (Hristoskova et al. 2012): behaviours of one's own, by one interface. G-30, G-31 and G-41."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.app.main import run as coopsim
from coopsim.client import connect
from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import load, plug
from coopsim.simulation import Simulation
from coopsim.testkit import Run

STARTS = """
from coopsim.features.games.logic.orders import RobotCommand


class Startled:
    name, priority, takes = "startled", 90, "nothing"

    def wants(self, intelligence, view):
        return intelligence.order is not None and intelligence.order.verb == self.name

    def act(self, intelligence, view):
        intelligence.order = None
        return {}


PLUGINS = {"behaviours": {"startled": Startled}}
"""


@pytest.fixture(autouse=True)
def _own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    yield
    for loose in plugins.loose_files():
        plugins.forget(loose.path)


@pytest.fixture
def begun() -> Iterator:
    """Begin the match of a new behaviour in this process, with `act` in the place of that which was written."""
    with ExitStack() as stack:

        def begin(act: str) -> Match:
            assert coopsim(["new", "behaviour", "startled"]) == 0
            Path("startled.py").write_text(STARTS.replace("return {}", act))
            plug("startled.py")
            server = LocalServer(Simulation(load("startled.scenario")), is_hashed=False)
            sim = stack.enter_context(server.connect())
            return Match(sim, stack.enter_context(sim.stepper(every=10)))

        yield begin


def test_a_new_behaviour_plays_a_match_and_its_order_is_taken_g30_g31_g41(capsys: pytest.CaptureFixture[str]) -> None:
    assert coopsim(["new", "behaviour", "patrol"]) == 0
    with Run("patrol.scenario", "--plugin", "patrol.py", "--record", "patrol.mcap") as run:
        with connect(run.endpoint) as sim, sim.listen("/game/log") as log:
            said = []
            while not any("order:" in line for line in said):
                sim.publish("/game/orders/red", "a patrol 2 2")
                if (event := log.hear(1.0)) is not None:
                    said.append(event.text)
            assert said[-1] == "red: order: a patrol 2 2"
            while sim.robot("a1").pose.pose().position[0] < 0.0:
                assert sim.clock.status().time < 60.0
        assert run.stop() == 130
    capsys.readouterr()
    assert coopsim(["verify", "patrol.mcap"]) == 4  # neither identical nor different: nobody can tell
    said_missing = capsys.readouterr().out
    assert said_missing.endswith("cannot tell\n")
    assert "add --plugin patrol.py" in said_missing
    assert "behaviour patrol" in said_missing
    assert coopsim(["verify", "patrol.mcap", "--plugin", "patrol.py"]) == 0


def test_only_squads_that_name_a_behaviour_understand_its_order_g30(begun) -> None:
    match = begun("return [RobotCommand(it.name, 'beeper', 'beep') for it in intelligence.squad.alive]")
    assert "squads do not know 'startled'" in match.order("blue", "b startled")
    assert match.order("red", "a startled now") == "startled takes nothing, got 1 words"
    assert match.order("red", "a startled") == ""
    stepper = match._stepper
    match.decide(stepper.step({}))
    assert match.intelligences["a"].active == "startled"
    readings = stepper.step({})
    assert [readings[name].beeper.count for name in ("a1", "a2", "b1")] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("return {}[1]", "startled.py:13: behaviour startled: KeyError: 1"),
        ("return [1]", "act(intelligence, view) must return a list of RobotCommand, got [1]"),
        ("return None", "act(intelligence, view) must return a list of RobotCommand, got None"),
    ],
)
def test_a_behaviour_that_fails_is_switched_off_and_the_match_goes_on_g26_g30(begun, act: str, said: str) -> None:
    match = begun(act)
    match.order("red", "a startled")
    stepper = match._stepper
    match.decide(stepper.step({}))
    assert [(entry.source, entry.rule) for entry in match.model.log[1:]] == [("startled", "switched off")]
    assert said in match.own.failures[0]
    match.order("red", "a go_to 1 1")
    match.decide(stepper.step({}))
    assert (match.intelligences["a"].active, len(match.own.failures)) == ("go_to", 1)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("'b1', 'beeper', 'beep'", "b1 is blue's"),
        ("'a1', 'cannon', 'beep'", "a1 has no cannon"),
        ("'a1', 'beeper', 'sing'", "/a1/beeper knows no sing"),
        ("'a1', 'intelligence', 'go_to', (1.0,)", "a1: "),
    ],
)
def test_commands_of_a_behaviour_that_robots_do_not_know_are_refused_and_logged_g23_g26(begun, command, said) -> None:
    match = begun(f"return [RobotCommand({command})]")
    match.order("red", "a startled")
    match.decide(match._stepper.step({}))
    assert (match.model.log[-1].source, match.model.log[-1].rule) == ("red", "illegal")
    assert said in match.model.log[-1].text
    assert match.own.failures == []


def test_a_match_whose_behaviour_failed_ends_with_code_1_and_file_and_line_g26(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert coopsim(["new", "behaviour", "startled"]) == 0
    broken = Path("startled.py").read_text().replace("is_meant = ", "is_meant = view.nothing or ")
    Path("startled.py").write_text(broken)
    scenario = Path("startled.scenario")
    scenario.write_text(scenario.read_text().replace("time        120", "time 1"))
    words = ["run", "startled.scenario", "--plugin", "startled.py", "--mode", "lockstep", "--duration", "3", "--json"]
    assert coopsim([*words, "--port", "0", "--no-gui"]) == 1
    printed = capfd.readouterr()
    assert "startled: AttributeError: 'MatchView' object has no attribute 'nothing'" in printed.err
    assert "startled.py:" in printed.err
    assert json.loads(printed.out.splitlines()[-1])["ticks"] >= 100
