"""The same scene, seed, commands and edits have the same states: in every process, with every Python that is there."""

import sys
import threading
from pathlib import Path

import pytest
from determinism_child import TICKS, states
from determinism_pythons import Outcome, comparison_text, is_bound, others, ran

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
PROCESSES = {
    "another order of hashes": ({"PYTHONHASHSEED": "1"}, []),
    "yet another order of hashes": ({"PYTHONHASHSEED": "4711"}, []),
    "one thread for kernels": ({"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}, []),
    "no assertions": ({}, ["-O"]),
    "another place and language": ({"LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONUTF8": "0"}, []),
}


@pytest.mark.parametrize("process", PROCESSES)
def test_another_process_has_the_same_states(process: str, here: Outcome, tmp_path: Path) -> None:
    environment, options = PROCESSES[process]
    outcome = ran([sys.executable, *options], tmp_path, **environment)
    assert outcome.problem == ""
    assert outcome.states == here.states


def test_a_second_run_in_another_thread_of_a_process_has_the_same_states(here: Outcome) -> None:
    hashes: list[str] = []
    thread = threading.Thread(target=lambda: hashes.extend(states()))
    thread.start()
    thread.join()
    assert hashes == here.states


def test_the_scene_goes_on_changing_so_that_its_states_prove_something(here: Outcome) -> None:
    assert len(set(here.states)) == TICKS // 10


def test_other_pythons_have_the_same_states_with_the_same_packages(here: Outcome, report: list[str]) -> None:
    """Where packages differ, or are missing, the end of the test run says what became of it."""
    outcomes = {python: ran([python]) for python in others()}
    report += [comparison_text(python, outcome, here) for python, outcome in outcomes.items()]
    bound = {python: outcome for python, outcome in outcomes.items() if is_bound(outcome, here)}
    assert [python for python, outcome in bound.items() if outcome.states != here.states] == []


def test_what_other_pythons_made_of_it_is_told_in_words() -> None:
    mine = Outcome(["a", "b", "c"], {"python": "3.11", "numpy": "2.0"})
    same = Outcome(["a", "b", "c"], {"python": "3.12", "numpy": "2.0"})
    outcome = Outcome(["a", "x", "y"], {"python": "3.13", "numpy": "2.1"})
    assert comparison_text("p", same, mine) == "p (3.12): the same states"
    assert comparison_text("p", outcome, mine) == "p (3.13, numpy 2.1): other states from tick 10 to 20 on"
    assert comparison_text("p", Outcome(problem="no numpy"), mine) == "p: cannot take part: no numpy"
    assert [is_bound(result, mine) for result in (same, outcome, Outcome(problem="no numpy"))] == [True, False, False]
