"""The controller that drives robots for other tests: three ways to command, the same robots, the same world."""

from collections.abc import Callable

import pytest
import xxhash

from coopsim.errors import Evicted, Late, NoReply
from coopsim.inprocess import connect
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit import driving
from coopsim.testkit.driver import Driver

ROBOTS = ("robot1", "robot2", "robot3")
PROGRAM = """
import signal, sys, time
def say(word):
    print(word, flush=True)
say("driving")
what = "WHAT"
if what == "waits":
    signal.pause()
if what == "fails":
    sys.exit("it fell over")
say("did 3 steps and saw nothing")
"""


def driven(how: str, steps: int, scene: str = "formation") -> tuple[str, list[list[float]], int]:
    """Return what a controller saw, where its robots are, and how many ticks were made."""
    simulation, seen = Simulation(load(scene)), xxhash.xxh3_128()
    robots = ROBOTS if scene == "formation" else ROBOTS[:1]
    with connect(simulation) as client:
        step = driving._steps(client, robots, how, seen)
        for _ in range(steps):
            step()
    rows = [simulation.engine.names.index(robot) for robot in robots]
    return seen.hexdigest(), simulation.engine.planar[rows].tolist(), simulation.tick_count


def test_one_message_for_all_or_one_for_each_drive_alike() -> None:
    batched = driven("batched", 25)
    assert batched == driven("batched", 25)
    assert driven("batched", 25, "single") == driven("per-robot", 25, "single")
    assert batched[2] == 25
    moved = [abs(row[3]) + abs(row[4]) for row in batched[1]]
    assert min(moved) > 0.05


def test_the_naive_way_makes_the_same_ticks_by_single_calls() -> None:
    digest, places, ticks = driven("naive", 10)
    assert ticks == 10
    assert digest != driven("naive", 9)[0]
    assert places == driven("naive", 10)[1]


@pytest.mark.parametrize(
    ("nearest", "right", "speed", "turn"), [(0.3, 1.0, 0.13, 0.8), (0.69, 1.0, 0.169, 0.8), (0.7, 1.5, 0.17, 0.3)]
)
def test_near_things_make_robots_slow_and_turn(nearest: float, right: float, speed: float, turn: float) -> None:
    assert driving._law(nearest, right) == pytest.approx((speed, turn))


@pytest.mark.parametrize(("problem", "claims"), [(Late("late"), 0), (Evicted("lost"), 1)])
def test_a_late_step_is_passed_over_and_lost_robots_are_claimed_again(
    monkeypatch: pytest.MonkeyPatch, problem: Exception, claims: int
) -> None:
    claimed: list[str] = []
    with connect(Simulation(load("formation"))) as client:
        stepper = client.stepper(ROBOTS)
        real: Callable[..., object] = stepper.step
        problems = [problem]
        stepper_type = type(stepper)
        monkeypatch.setattr(stepper_type, "claim", lambda _: claimed.append("claimed"))
        monkeypatch.setattr(client, "stepper", lambda *_, **__: stepper)
        step = driving._steps(client, ROBOTS, "batched", xxhash.xxh3_128())

        def failing(*arguments: object, **more: object) -> object:
            if problems:
                raise problems.pop()
            return real(*arguments, **more)

        monkeypatch.setattr(stepper, "step", failing)
        step()
        step()
    assert len(claimed) == claims


def standing_in(what: str) -> Driver:
    """A driver whose program does little; the words of the real one are arguments that it never reads."""
    import sys

    return Driver("tcp://nowhere", "robot1", within=(sys.executable, "-S", "-c", PROGRAM.replace("WHAT", what)))


def test_a_driver_is_waited_for_by_its_words_and_by_its_end() -> None:
    with standing_in("ends") as driver:
        driver.until("driving")
        assert driver.end() == "did 3 steps and saw nothing\n"
        assert driver.printed.startswith("driving\n")
        with pytest.raises(NoReply, match="the driver never printed 'silent', but 'driving"):
            driver.until("silent")


def test_a_driver_that_fails_says_what_it_printed() -> None:
    with standing_in("fails") as driver, pytest.raises(NoReply, match="exit code 1: driving\nit fell over"):
        driver.end()


def test_a_driver_is_stopped_resumed_and_killed() -> None:
    with standing_in("waits") as driver:
        driver.until("driving").stop()
        state = _state(driver.pid, "T")
        driver.resume()
        assert (state, _state(driver.pid, "S")) == ("T", "S")
        driver.kill()
        with pytest.raises(NoReply, match="exit code -9"):
            driver.end()


def _state(pid: int, wanted: str) -> str:
    """Return the state of a process once it is the wanted one, or after many looks."""
    from pathlib import Path

    state = ""
    for _ in range(100_000):
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        if state == wanted:
            break
    return state
