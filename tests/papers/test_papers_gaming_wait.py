"""Swarm gaming (Hristoskova et al. 2012), section 5: orders wait 300 ms. G-89 to G-92, G-106."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from test_papers_gaming_match import Played

from coopsim.features.games.logic.match import Match
from coopsim.robots import find_file

PAUSE = 0.1
"""Between looks of the logic [s]."""


@pytest.fixture
def begun(tmp_path: Path) -> Iterator:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
    (tmp_path / "match.scenario").write_text(text)
    with ExitStack() as stack:

        def begin(wait: float) -> Played:
            played = Played(tmp_path / "match.scenario", stack)
            played.match.close()
            played.match = Match(played.sim, played.stepper, wait)
            played.model = played.match.model
            carry = played.match.broker.carry
            played.match.broker.carry = lambda those: (played.sent.extend(those), carry(those))[1]  # type: ignore[method-assign]
            return played

        yield begin


def carried_out(played: Played) -> list[float]:
    """Return when robots of squad a got a sequence since the last time [s]."""
    new = [played.model.time for command in played.sent if command.robot == "a1" and command.command == "sequence"]
    played.sent.clear()
    return new


def test_an_order_waits_once_and_no_robot_gets_a_command_before_g91(begun) -> None:
    played = begun(0.3)
    played.play(PAUSE)
    played.match.order("south_team", "a go_to 4 -4")
    begin = played.model.time
    while not played.sent:
        assert played.model.time < begin + 1.0
        played.play(PAUSE)
    assert played.model.time - begin == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("wait", [0.0, 0.3])
def test_a_squad_that_gets_an_order_every_tenth_of_a_second_goes_on_g90_g91_g92_g106(begun, wait: float) -> None:
    played, times = begun(wait), []
    played.play(PAUSE)
    start = played.model.middle(played.model.squads["a"])
    for _ in range(100):
        assert played.match.order("south_team", "a go_to 4.5 -4 line") == ""
        played.play(PAUSE)
        times += carried_out(played)
    gaps = np.diff(times)
    assert gaps.max() < wait + 2.5 * PAUSE  # none starts the wait anew
    assert gaps.min() > wait - 0.5 * PAUSE
    assert np.hypot(*(played.model.middle(played.model.squads["a"]) - start)) > 2.5


def test_of_orders_that_wait_together_the_last_one_counts_g75_g91_g92(begun) -> None:
    played = begun(0.3)
    played.play(PAUSE)
    for x in (1.0, 2.0, 3.0):
        played.match.order("south_team", f"a go_to {x:g} -4 line")
        played.play(PAUSE)
    assert carried_out(played) == [pytest.approx(played.model.time)]
    assert played.match.intelligences["a"].planned_for.tolist() == [3.0, -4.0]
    played.play(1.0)
    assert carried_out(played) == []
