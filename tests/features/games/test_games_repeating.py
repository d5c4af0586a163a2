"""What a radio loses is said again, also where packets are never tried twice."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from coopsim.client import Client, Stepper
from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation

RADIO = "\n[RADIO]\nretries 0\ninterval 0.1\n"


class Linked:
    """A match of people; nothing arrives while its radio is silent."""

    def __init__(self, sim: Client, stepper: Stepper) -> None:
        self.sim, self.stepper, self.match = sim, stepper, Match(sim, stepper)
        stepper.step({})

    def lose(self, loss: float) -> None:
        for name in self.match.model.squads["a"].robots:
            self.sim.module(f"/{name.name}/radio").set_parameter("loss", loss)

    def play(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            assert self.match.decide(self.stepper.step({})) is not None

    def positions(self) -> np.ndarray:
        return np.array([self.match.model.position(robot) for robot in self.match.model.squads["a"].robots])


@pytest.fixture
def linked(tmp_path: Path) -> Iterator[Linked]:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
    (tmp_path / "match.scenario").write_text(text + RADIO)
    with ExitStack() as stack:
        server = LocalServer(Simulation(load(tmp_path / "match.scenario")), is_hashed=False)
        sim = stack.enter_context(server.connect())
        yield Linked(sim, stack.enter_context(sim.stepper(every=10)))


def test_a_way_that_was_lost_is_said_again_and_that_of_who_is_there_is_not(linked: Linked) -> None:
    linked.lose(1.0)
    linked.match.order("south_team", "a go_to 2 -4")
    linked.play(1.0)
    before = linked.positions()
    linked.lose(0.0)
    linked.play(10.0)
    assert linked.match.intelligences["a"].active != "repeat"
    after = linked.positions()
    assert np.hypot(*(after - before).T).min() > 1.0
    assert after.mean(axis=0).tolist() == pytest.approx([2.0, -4.0], abs=0.6)
    sent = linked.match.broker.sent
    linked.play(4.0)
    assert linked.match.broker.sent == sent


def test_a_stop_that_was_lost_is_said_again(linked: Linked) -> None:
    linked.match.order("south_team", "a go_to 5 -4")
    linked.play(3.0)
    linked.lose(1.0)
    linked.match.order("south_team", "a stop")
    linked.play(0.5)
    linked.lose(0.0)
    linked.play(3.0)
    before = linked.positions()
    linked.play(1.0)
    assert np.hypot(*(linked.positions() - before).T).max() < 0.02
    assert linked.positions()[:, 0].max() < 4.0
