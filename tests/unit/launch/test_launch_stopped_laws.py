"""Control laws that people stopped: they are no end of the run, those that end by themselves are."""

import sys
import time
from collections.abc import Callable, Iterator

import pytest

from coopsim.launch import controller_processes
from coopsim.launch.controller_processes import ControllerProcesses
from coopsim.launch.controllers import ControllerCommand

WAITS = (sys.executable, "-c", "import time; time.sleep(600)")
ENDS = (sys.executable, "-c", "")


@pytest.fixture
def processes() -> Iterator[ControllerProcesses]:
    processes = ControllerProcesses(lambda name, line: None, lambda complaint: None)
    yield processes
    processes.reap()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60.0
    while not holds():
        assert time.monotonic() < end, "the laws have not ended"


@pytest.mark.parametrize(
    ("stopped", "programs", "are_done"),
    [
        (["a"], {"a": WAITS}, False),
        (["a", "b"], {"a": WAITS, "b": WAITS}, False),
        ([], {"a": ENDS}, True),
        (["a"], {"a": WAITS, "b": ENDS}, True),
    ],
)
def test_laws_are_done_when_one_of_them_ended_by_itself(
    processes: ControllerProcesses, stopped: list[str], programs: dict[str, tuple[str, ...]], *, are_done: bool
) -> None:
    processes.start([ControllerCommand(name, (), words) for name, words in programs.items()], "")
    for name in stopped:
        processes.dismiss_one(name)
    wait_until(lambda: processes.all_ended)
    assert processes.are_done == are_done


def test_laws_are_not_done_while_one_runs_and_done_where_none_could_be_started(processes: ControllerProcesses) -> None:
    processes.start([ControllerCommand("none", (), ("/no/such/program",))], "")
    assert processes.are_done
    processes.start([ControllerCommand("a", (), WAITS)], "")
    assert not processes.are_done


def test_laws_are_not_done_while_one_that_a_person_started_drives_a_robot(processes: ControllerProcesses) -> None:
    by_hand = ControllerCommand("b", ("robot1",), WAITS, is_beside=True)
    program = ControllerCommand("c", (), WAITS, is_beside=True)
    processes.start([ControllerCommand("a", (), ENDS), by_hand, program], "")
    wait_until(lambda: processes.all_ended)
    assert not processes.are_done
    processes.dismiss_one("b")
    wait_until(lambda: processes.are_done)


def test_the_last_lines_of_a_law_are_told_with_their_numbers_and_not_those_of_a_crowd(
    processes: ControllerProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = (sys.executable, "-c", "for k in range(10): print(k, '-' * 300)")
    processes.start([ControllerCommand("a", (), talks)], "")
    wait_until(lambda: processes.all_ended)
    processes.reap()
    (told,) = processes.to_plain()
    assert [(number, line[:2]) for number, _, line in told["said"]] == [(k, f"{k} ") for k in range(2, 10)]
    assert {len(line) for _, _, line in told["said"]} == {200}
    monkeypatch.setattr(controller_processes, "_MOST_HEARD", 0)
    assert processes.to_plain()[0]["said"] == []


def test_who_asks_how_laws_stand_learns_what_starts_the_same_ones_again(processes: ControllerProcesses) -> None:
    given = {"speed": "0.3", "leader": "robot1"}
    processes.start([ControllerCommand("a", ("robot2",), WAITS, law="wander", arguments=given)], "")
    (status,) = processes.to_plain()
    assert (status["law"], status["arguments"], status["robots"]) == ("wander", given, ["robot2"])
