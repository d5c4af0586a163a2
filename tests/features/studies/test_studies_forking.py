"""What does runs is forked off this process only where the fork shares nothing with it but memory."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TRIED = """
import json, sys, threading
from multiprocessing import Pipe
import numpy as np
from coopsim.features.studies import forking

print("begun")
answers = {"alone": forking.can_fork(())}
with open(sys.argv[1], "w") as file:
    answers["file"] = forking.can_fork(())
    answers["file that is closed"] = forking.can_fork([file.fileno()])

forking.serve = lambda study: study.send(np.random.random()) or 7
np.random.seed(1)
links, thrown = [], []
for _ in range(2):
    link, theirs = Pipe()
    process = forking.forked(link, theirs, links)
    links.append(link)
    thrown.append(link.recv())
answers |= {"thrown": thrown, "code": process.wait()}

def fall(study):
    raise ValueError("it fell over")

forking.serve = fall
process = forking.forked(*Pipe(), ())
answers["fallen"] = [process.wait(), process.wait()]
process.kill()

threading.Thread(target=threading.Event().wait, daemon=True).start()
print(json.dumps(answers | {"thread": forking.can_fork(())}))
"""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """What a process of one thread answers, and its complaints."""
    command = [sys.executable, "-c", TRIED, str(tmp_path_factory.mktemp("fork") / "file")]
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    begun, answers = done.stdout.splitlines()  # what was not yet written is not written by both
    assert begun == "begun"
    return json.loads(answers), done.stderr


def test_a_process_with_threads_or_open_files_is_not_forked(tried: tuple[dict[str, Any], str]) -> None:
    answers, _ = tried
    is_linux = Path("/proc/self/task").is_dir()
    assert [answers[name] for name in ("alone", "file that is closed")] == [is_linux, is_linux]
    assert [answers[name] for name in ("file", "thread")] == [False, False]


def test_random_numbers_differ_among_forks(tried: tuple[dict[str, Any], str]) -> None:
    assert len(set(tried[0]["thrown"])) == 2
    assert tried[0]["code"] == 7


def test_a_fork_that_falls_over_says_why_and_ends_with_1(tried: tuple[dict[str, Any], str]) -> None:
    answers, complaints = tried
    assert answers["fallen"] == [1, 1]
    assert "ValueError: it fell over" in complaints
