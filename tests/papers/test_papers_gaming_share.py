"""Swarm gaming (Hristoskova et al. 2012): robots that take one command at a time get whole sequences. G-28, G-27."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from coopsim.client import Client, Stepper
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation

GO_TO, BEEP, PICK_UP = 12.0, 10.0, 14.0
LOSSY = "\n[RADIO]\nloss 0.2\ndelay 0.05\nretries 0\ninterval 0.1\n"


class Played:
    """A match of people whose robots take one command at a time."""

    def __init__(self, sim: Client, stepper: Stepper) -> None:
        self.sim, self.stepper, self.match = sim, stepper, Match(sim, stepper)
        self.model = self.match.model
        self.sent: list[RobotCommand] = []
        carry = self.match.broker.carry
        self.match.broker.carry = lambda those: (self.sent.extend(those), carry(those))[1]  # type: ignore[method-assign]
        stepper.step({})

    def play(self, seconds: float) -> bool:
        """Return whether it is over."""
        return any(self.match.decide(self.stepper.step({})) is None for _ in range(round(10 * seconds)))

    def steps(self, robot: str) -> list[list[float]]:
        """Return the sequences that were sent to a robot, without their ends."""
        sequences = [
            np.reshape(command.values, (-1, 3))
            for command in self.sent
            if command.robot == robot and command.command == "sequence"
        ]
        return [rows[rows[:, 0] > 0.0][:, 0].tolist() for rows in sequences]

    def rules(self) -> list[str]:
        return [entry.rule for entry in self.model.log]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator:
    infantry = find_file("game_infantry", [".robot"]).read_text()
    weak = infantry.replace("type        intelligence", "type intelligence\nshare commands")
    assert weak != infantry
    (tmp_path / "weak.robot").write_text(weak)
    with ExitStack() as stack:

        def begin(radio: str = "", seed: int = 0) -> Played:
            text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
            text = text.replace("game_infantry", "weak").replace("[SIMULATION]", f"[SIMULATION]\nseed {seed}")
            (tmp_path / "match.scenario").write_text(text + radio)
            server = LocalServer(Simulation(load(tmp_path / "match.scenario")), is_hashed=False)
            sim = stack.enter_context(server.connect())
            return Played(sim, stack.enter_context(sim.stepper(every=10)))

        yield begin


def capture(played: Played) -> None:
    """Fetch the flag and bring it home."""
    played.match.order("south_team", "a capture blue")
    is_over = False
    while not is_over and played.model.time < 109.0:
        is_over = played.play(0.1)
        if "picked up" in played.rules() and played.match.intelligences["a"].order.verb == "capture":
            played.match.order("south_team", "a bring south")
    result = played.match.result()
    assert (result["winner"], result["violations"]) == ("south_team", [])


def test_each_step_is_sent_when_the_last_one_is_reported_and_the_flag_is_brought_home_g28(begun) -> None:
    played = begun()
    capture(played)
    sent = [steps for robot in ("a1", "a2", "a3") for steps in played.steps(robot)]
    assert {len(steps) for steps in sent} == {1}
    assert sent.count([PICK_UP]) == 1
    assert sent.count([GO_TO]) > 10
    assert "no path" not in played.rules()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fifth_of_all_messages_is_lost_and_the_flag_is_brought_home_g28(begun, seed: int) -> None:
    played = begun(LOSSY, seed)
    capture(played)
    states = [played.sim.module(f"/{name}/radio").state() for name in ("a1", "a2", "a3")]
    assert sum(state.commands_lost for state in states) > 0


def test_a_step_that_was_lost_is_sent_again_and_no_other_one_before_it_is_done_g28(begun) -> None:
    played = begun("\n[RADIO]\nretries 0\ninterval 0.1\n")
    radio = played.sim.module("/a1/radio")
    radio.set_parameter("loss", 1.0)
    steps = (GO_TO, 0.0, -2.5, BEEP, 0.0, 0.0, GO_TO, 0.5, -2.5, *[0.0] * 39)
    played.match._command("south_team", [RobotCommand("a1", "intelligence", "sequence", steps)])
    played.play(5.0)
    assert played.steps("a1") == [[GO_TO]] * 3
    radio.set_parameter("loss", 0.0)
    played.play(12.0)
    assert [steps for at, steps in enumerate(played.steps("a1")) if steps != played.steps("a1")[at - 1]][-2:] == [
        [BEEP],
        [GO_TO],
    ]
    assert played.model.position(played.model.robots["a1"]).tolist() == pytest.approx([0.5, -2.5], abs=0.1)
    assert played.sim.robot("a1").beeper.state().count == 1.0
    before = len(played.sent)
    played.play(3.0)
    assert len(played.sent) == before


def test_a_new_order_drops_what_is_left_and_squads_know_at_which_step_their_robots_are_g28(begun) -> None:
    played = begun()
    steps = [GO_TO, 0.0, -2.5, GO_TO, 0.5, -2.5, GO_TO, 5.0, -2.5, *[0.0] * 39]
    played.match._command("south_team", [RobotCommand("a1", "intelligence", "sequence", tuple(steps))])
    seen = set()
    while (at := played.match.view.steps[played.model.robots["a1"].index] if seen else 0.0) < 2.0:
        seen.add(at)
        assert not played.play(0.1)
        assert played.match.view.doing[played.model.robots["a1"].index] == GO_TO
        assert played.model.time < 20.0
    assert {*seen} == {0.0, 1.0}
    played.match.order("south_team", "a stop")
    played.play(1.0)
    before = len(played.sent)
    played.play(5.0)
    assert len(played.sent) == before
    assert played.model.position(played.model.robots["a1"])[0] < 1.5


def test_a_robot_that_is_out_or_taken_by_hand_gets_no_further_step_g28(begun) -> None:
    played = begun()
    played.match.order("south_team", "a go_to 5 -4")
    played.play(0.5)
    played.model.robots["a2"].health = 0.0
    assert played.match.order("south_team", "a1 take") == ""
    played.play(0.2)
    before = len(played.sent)
    played.play(8.0)
    assert {command.robot for command in played.sent[before:]} <= {"a3"}
