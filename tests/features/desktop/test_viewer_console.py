"""The console and plots, with modules that answer in this process."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from viewer_standins import StandinLink

from coopsim.client import Client
from coopsim.errors import CoopsimError
from coopsim.features.desktop.console import ConsoleModel
from coopsim.features.desktop.curves import Curves, PlotChannel
from coopsim.features.desktop.keeping_time import TimeKeeping
from coopsim.features.desktop.marks import Mark, Marks
from coopsim.features.desktop.session import ViewerSession
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


class AnsweringLink(StandinLink):
    """Does jobs at once, with a simulation of this process."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client, self.names = client, client.names()

    def ask(self, work: Any, *, then: Any = None, failed: Any = None) -> None:
        try:
            answer = work(self._client)
        except CoopsimError as problem:
            if failed is not None:
                failed(problem)
        else:
            if then is not None:
                then(answer)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with LocalServer(Simulation(load("single"))).connect() as client:
        yield client


@pytest.fixture
def console(client: Client) -> ConsoleModel:
    link = AnsweringLink(client)
    return ConsoleModel(lambda: link)  # type: ignore[arg-type,return-value]


def test_a_message_is_sent_and_its_reply_is_a_line(console: ConsoleModel) -> None:
    console.send("robot1/sonars get_parameter reach")
    console.send("/sim/clock status")
    assert [(line.level, line.text) for line in console.lines][:2] == [
        ("sent", "robot1/sonars get_parameter reach"),
        ("reply", "value 3"),
    ]
    assert "mode " in console.lines[-1].text


def test_a_refusal_is_told_in_words(console: ConsoleModel) -> None:
    for text, expected in (
        ("/robot1/motors fly", "no command fly"),
        ("/robot1/motors set_velocity fast 0", "must be a number, got 'fast'"),
        ("/robot9/motors ping", "robot9"),
        ("nothing", "expected NAME COMMAND VALUES"),
    ):
        console.send(text)
        assert console.lines[-1].level == "refused"
        assert expected in console.lines[-1].text


def test_names_commands_and_parameters_are_completed(console: ConsoleModel) -> None:
    assert console.completed("robot1/mo") == "/robot1/motors "
    assert "set_velocity" in console.hints("/robot1/motors se")
    assert console.completed("/robot1/motors set_v") == "/robot1/motors set_velocity "
    assert console.hints("/robot1/motors set_velocity ") == ["v [m/s]", "w [rad/s]"]
    assert console.hints("/robot1/sonars set_parameter re") == ["reach"]
    assert console.hints("/robot7") == []


def test_another_run_is_asked_anew_how_its_modules_describe_themselves(client: Client) -> None:
    link = AnsweringLink(client)
    session = ViewerSession(link)  # type: ignore[arg-type]
    interface = session.console.interface("/robot1/sonars")
    assert interface is session.console.interface("/robot1/sonars") is not None
    client.module("/robot1/sonars")._interface = replace(interface, summary="of another run")
    session.attend(link)  # type: ignore[arg-type]
    assert session.console.interface("/robot1/sonars").summary == "of another run"


def test_lines_are_found_by_their_words_and_old_ones_are_given_up(console: ConsoleModel) -> None:
    for number in range(1200):
        console.append("note", f"line {number}")
    assert len(console.lines) == 1000
    assert [line.text for line in console.found("LINE 777")] == ["line 777"]


def test_a_pose_is_a_curve_over_what_was_seen_and_a_parameter_from_now_on(client: Client) -> None:
    link = AnsweringLink(client)
    session = ViewerSession(link)  # type: ignore[arg-type]
    link.samples.clear()
    pose, parameter = PlotChannel("box1", "", "x"), PlotChannel("robot1", "sonars", "reach", is_parameter=True)
    session.curves.toggle(pose)
    session.curves.toggle(parameter)
    for number in range(20):
        link.stand((number / 10, 0.0), (2.0, -1.0), time=number / 10, arrived=100.0 + number / 10)
        link.samples[-1].state.pose = lambda name, at=number: np.array([at / 10, 0, 0, 1, 0, 0, 0])  # type: ignore[union-attr]
        session.update(100.0 + number / 10)
    assert session.curves.chosen[pose].values == pytest.approx(np.arange(20) / 10)
    asked = session.curves.chosen[parameter]
    assert set(asked.values.tolist()) == {3.0}
    assert 3 <= len(asked.times) <= 5
    session.curves.toggle(pose)
    assert pose not in session.curves.chosen


def test_curves_of_long_runs_have_a_bounded_number_of_points() -> None:
    link = StandinLink()
    session = ViewerSession(link)  # type: ignore[arg-type]
    for number in range(9000):
        session.history.times.append(number / 10)
        session.history.states.append(link.samples[-1].state)
    curves = Curves(session.history, lambda: link)  # type: ignore[arg-type,return-value]
    curves.toggle(PlotChannel("box1", "", "x"))
    curves.update(time.monotonic(), 0.0)
    (curve,) = curves.chosen.values()
    assert 2000 < len(curve.times) <= 4500
    assert np.isnan(curve.values).all()


def test_what_others_change_is_a_mark_and_a_line() -> None:
    link = StandinLink()
    session = ViewerSession(link)  # type: ignore[arg-type]
    session.update(1.0)
    link.facts = replace(link.facts, mode="lockstep", paused=True)
    session.update(1.1)
    assert link.scene is not None
    link.scene = replace(link.scene, generation=2, entities=link.scene.entities[:-1])
    link.commanded.append(("robot1", 0.5, 1.0))
    link.happened.append(Mark(0.7, "collision", "robot1 is touched"))
    session.update(1.2)
    texts = [mark.text for mark in session.marks.marks]
    assert {"mode: lockstep", "paused: True", "removed: robot1", "robot1 is touched"} <= set(texts)
    assert session.marks.commands["robot1"] == [(0.5, 1.0)]
    assert any(line.level == "edit" and "removed" in line.text for line in session.console.lines)


def test_marks_are_kept_once_in_order_and_no_more_than_there_is_room_for() -> None:
    marks = Marks()
    for number in (*range(2500), *range(2490, 2500)):
        marks.add(Mark(float(number), "edit", "moved"))
        marks.command("robot1", number * 1.0, number + 0.1)
    assert len(marks.marks) == 2000
    assert len(marks.commands["robot1"]) <= 2000
    marks.command("robot2", 1.0, 1.1)
    marks.command("robot2", 1.2, 1.3)
    assert marks.commands["robot2"] == [(1.0, 1.3)]


def test_the_pace_of_a_free_run_tells_what_there_is_room_for() -> None:
    link, keeping = StandinLink(), TimeKeeping()
    for number in range(100):
        link.stand((0.0, 0.0), (0.0, 0.0), time=number / 100, arrived=number * (0.010 if number < 50 else 0.0102))
        keeping.add(link.samples[-1])
    spread = keeping.spread()
    assert spread is not None
    assert spread.middle == pytest.approx(0.010, abs=0.0003)
    keeping.pace("real-time", 1.0, 0.01, 10)
    assert keeping.largest(0.01, 1.0) is None
    keeping.pace("free", 20.0, 0.01, 10)
    keeping.pace("real-time", 1.0, 0.01, 10)
    assert keeping.load(0.01, 2.0) == pytest.approx(0.1)
    assert keeping.largest(0.01, 1.0) == 160
    keeping.pace("real-time", 1.0, 0.01, 11)
    assert keeping.load(0.01, 1.0) is None
