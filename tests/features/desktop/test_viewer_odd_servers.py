"""A server may answer anything: the thread that follows it goes on, and the window says what is wrong."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from coopsim.errors import CoopsimError, MalformedMessage
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.mesh_source import LocalMeshes
from coopsim.features.desktop.served_meshes import ServedMeshes
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

DEADLINE = 60.0


def until(holds: Callable[[], bool]) -> None:
    """Let the link work until something holds."""
    end, never = time.monotonic() + DEADLINE, threading.Event()
    while not holds():
        assert time.monotonic() < end
        never.wait(0.005)


@contextmanager
def following(monkeypatch: pytest.MonkeyPatch, *problems: Exception) -> Iterator[ViewerLink]:
    """Yield a link to which these happen, one after the other, before all is well."""
    waiting = deque(problems)

    def attend(link: ViewerLink, simulation: Any) -> None:
        if waiting:
            raise waiting.popleft()
        link.facts = replace(link.facts, connection="live", problem="")
        while not link._closing.wait(0.005):
            link._carry_out(simulation)

    monkeypatch.setattr(ViewerLink, "_attend", attend)
    link = ViewerLink(LocalServer(Simulation(load("single"))))
    try:
        yield link
    finally:
        link.close()
        assert not link._thread.is_alive()


@pytest.mark.parametrize("problem", [AttributeError("mode"), OSError(5, "Input/output error"), RecursionError()])
def test_answers_that_nobody_foresaw_are_said_and_the_link_comes_back(
    problem: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with following(monkeypatch, problem, problem) as link:
        until(lambda: link.facts.connection == "lost")
        assert type(problem).__name__ in link.facts.problem
        until(lambda: link.facts.connection == "live")
    assert len([record for record in caplog.records if "Traceback" in record.getMessage()]) == 1


def test_a_request_that_fails_in_an_odd_way_is_refused_in_words_and_the_next_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusals: list[CoopsimError] = []
    answers: list[int] = []
    with following(monkeypatch) as link:
        link.ask(lambda _: 1 / 0, failed=refusals.append)
        link.ask(lambda _: 7, then=lambda _: answers.append(1 // 0))
        link.ask(lambda _: 7, then=answers.append)

        def is_told() -> bool:
            link.deliver_answers()
            return bool(answers)

        until(is_told)
    assert [type(problem) for problem in refusals] == [MalformedMessage]
    assert "ZeroDivisionError" in str(refusals[0])
    assert "showing an answer failed: ZeroDivisionError" in link.facts.problem


def test_a_mesh_that_cannot_be_made_is_missed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Any:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(LocalMeshes, "find", fail)
    meshes = ServedMeshes()
    meshes._wanted.append("/proc/self/mem")
    meshes._told = {}
    meshes.advance(None)  # type: ignore[arg-type]  # nothing is asked of it
    with pytest.raises(CoopsimError, match="/proc/self/mem: cannot be drawn: OSError"):
        meshes.find("/proc/self/mem")
    assert not meshes.is_busy
