"""What was seen, and time in one control, without a window."""

from collections import deque
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_standins import StandinLink

from coopsim.features.desktop.history import History
from coopsim.features.desktop.playback_facts import PlaybackFacts, is_elsewhere
from coopsim.features.desktop.server_marks import CommandCounter
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.time_control import TimeSpan
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


def state(seconds: float, x: float = 0.0, generation: int = 1, *, is_paused: bool = False) -> Any:
    raw = SimpleNamespace(generation=generation, run=1, is_paused=is_paused, flat=np.zeros(10))
    return SimpleNamespace(names=("a",), poses=np.array([[x, 0, 0, 1.0, 0, 0, 0]]), time=seconds, raw=raw)


@pytest.fixture
def link() -> StandinLink:
    return StandinLink()


@pytest.fixture
def session(link: StandinLink) -> ViewerSession:
    """A live run of ten seconds."""
    session = ViewerSession(link)  # type: ignore[arg-type]
    for number in range(101):
        link.stand((number / 10, 0.0), (2.0, -1.0), time=number / 10, arrived=100.0 + number / 10)
        session.update(100.0 + number / 10)
    return session


def box(session: ViewerSession) -> float:
    session.update(111.0)
    return float((session.pose("box1") or (np.nan,))[0])


def test_a_history_is_in_order_however_it_was_seen_and_between_two_states_bodies_move() -> None:
    history = History()
    for seconds in (1.0, 0.2, 0.6):
        assert history.add(state(seconds, x=seconds))
    assert history.times == [0.2, 0.6, 1.0]
    names, poses = history.poses_at(0.8) or ((), np.zeros(0))
    assert names == ("a",)
    assert poses[0, 0] == pytest.approx(0.8)


def test_a_history_keeps_no_more_than_its_memory_and_no_states_that_nobody_tells_apart() -> None:
    history = History(most_bytes=20_000)
    for number in range(1000):
        history.add(state(number * 0.1))
    assert 5 < len(history) < 30
    assert history.times[-1] == pytest.approx(99.9)
    assert not history.add(state(99.901))
    assert history.add(state(99.901, is_paused=True))


def test_between_two_scenes_nothing_is_on_the_way() -> None:
    history = History()
    history.add(state(0.0, x=0.0))
    history.add(state(0.1, x=1.0, generation=2))
    _, poses = history.poses_at(0.09) or ((), np.zeros((1, 7)))
    assert poses[0, 0] == 0.0


def test_the_past_of_a_live_run_is_scrubbed_while_the_run_goes_on(session: ViewerSession, link: StandinLink) -> None:
    session.seek(4.05)
    assert box(session) == pytest.approx(4.05)
    assert session.time == pytest.approx(4.05)
    assert session.time_control.is_past
    assert link.asked == []
    session.time_control.follow()
    assert box(session) == pytest.approx(10.0)


def test_the_past_is_played_backward_and_ends_at_its_beginning(session: ViewerSession) -> None:
    session.seek(4.0)
    session.update(200.0)
    session.set_speed(-2.0)
    session.update(201.0)
    assert session.time == pytest.approx(2.0)
    session.update(210.0)
    assert session.time == pytest.approx(0.0)
    assert not session.time_control.is_playing


def test_the_past_that_is_played_to_its_end_is_live_again(session: ViewerSession) -> None:
    session.seek(9.5)
    session.update(200.0)
    session.set_speed(4.0)
    session.update(201.0)
    assert not session.time_control.is_past


def test_a_part_of_the_past_is_repeated(session: ViewerSession) -> None:
    session.update(200.0)
    session.time_control.repeat(TimeSpan(2.0, 4.0))
    session.update(203.0)
    assert session.time == pytest.approx(3.0)
    session.time_control.repeat(None)
    session.update(204.0)
    assert session.time == pytest.approx(4.0)


def test_steps_go_from_state_to_state_in_the_past_and_by_the_clock_in_the_present(
    session: ViewerSession, link: StandinLink
) -> None:
    session.step()
    assert link.asked == [("/sim/clock", "step", 1)]
    session.step(-1)
    assert box(session) == pytest.approx(9.9)
    session.step()
    assert box(session) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("mode", "state", "owners", "modes"),
    [
        ("lockstep", "ended", (), ["real-time"]),
        ("lockstep", "failed", ("robot1", "client 2"), []),
        ("lockstep", "running", (), []),
        ("free", "ended", (), []),
    ],
)
def test_a_run_whose_laws_have_ended_goes_on_in_real_time_where_lockstep_would_wait_for_ever(
    session: ViewerSession, link: StandinLink, mode: str, state: str, owners: tuple[str, ...], modes: list[str]
) -> None:
    chosen: list[str] = []
    modules = {
        "/sim/step": SimpleNamespace(owners=lambda: SimpleNamespace(owners=owners)),
        "/sim/clock": SimpleNamespace(set_mode=chosen.append),
    }
    link.ask = lambda work, **_: work(SimpleNamespace(module=modules.get))  # type: ignore[method-assign]
    link.facts = replace(link.facts, mode=mode, paused=True, standing={"controllers": [{"state": state}]})
    session.toggle_play()
    assert chosen == modes
    assert link.asked == [("/sim/clock", "continue_")]


def test_a_clock_that_is_reset_begins_a_new_past(session: ViewerSession, link: StandinLink) -> None:
    session.seek(3.0)
    link.stand((0.0, 0.0), (2.0, -1.0), time=0.0, arrived=120.0)
    session.update(121.0)
    assert len(session.history) == 1
    assert not session.time_control.is_past


def test_a_recording_is_moved_by_its_server(session: ViewerSession, link: StandinLink) -> None:
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 20.0, 5.0, True, 1.0, (1.0, 2.0)))
    control = session.time_control
    assert control.span == TimeSpan(0.0, 20.0)
    assert control.loop == TimeSpan(1.0, 2.0)
    control.toggle_play()
    control.set_speed(-8.0)
    control.repeat(TimeSpan(3.0, 4.0))
    control.repeat(None)
    control.follow()
    called = [("pause",), ("speed", -8.0), ("loop", 3.0, 4.0), ("unloop",), ("seek", 20.0)]
    assert link.asked == [("/sim/playback", *call) for call in called]


def test_a_run_goes_on_beside_this_one_from_recordings_alone(
    session: ViewerSession, link: StandinLink, tmp_path: Any
) -> None:
    begun: list[Any] = []
    session.continue_from_here()
    assert "cannot start" in session.notes[-1]
    session.begin_beside = lambda *given: begun.append(given)
    session.continue_from_here()
    assert "record this one first" in session.notes[-1]
    link.facts = replace(link.facts, recording=str(tmp_path / "gone.mcap"))
    session.continue_from_here()
    assert "another machine" in session.notes[-1]
    file = tmp_path / "a.mcap"
    file.touch()
    link.facts = replace(link.facts, recording=str(file))
    session.seek(4.0)
    session.update(111.0)
    session.continue_from_here()
    assert begun == [(file, 400)]
    # run again: the same times come once more, under other ticks
    link.stand((0.0, 0.0), (2.0, -1.0), time=4.0, arrived=120.0, tick=1500)
    session.update(121.0)
    session.continue_from_here()
    assert begun[1:] == [(file, 1500)]
    assert session.notes[-1] == "a run that goes on from 4.000 s begins in another window"


def test_nothing_is_edited_while_the_past_is_shown_and_that_is_said(session: ViewerSession, link: StandinLink) -> None:
    session.seek(4.0)
    session.update(111.0)
    session.select("box1")
    session.editor.move({"box1": (5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)})
    session.insert("sphere")
    session.editor.history.undo()
    assert link.asked == []
    assert session.chosen == ("box1",)
    assert "nothing is edited in the past" in session.notes[-1]
    session.time_control.follow()
    session.update(111.0)
    session.editor.move({"box1": (5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)})
    assert link.asked[-1][:3] == ("/sim/world", "update", "box1")


def test_names_of_a_crowd_are_asked_once_for_all_counts_until_robots_come_or_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("coopsim.features.desktop.server_marks._EVERY", 0.0)
    server, generation, asked = LocalServer(Simulation(load("formation"))), [1], list[str]()
    counter = CommandCounter(deque(), lambda: generation[0])
    with server.connect() as watching:
        robots = watching.robots

        def counted_robots() -> tuple[str, ...]:
            asked.append("robots")
            return robots()

        monkeypatch.setattr(watching, "robots", counted_robots)
        for _ in range(3):
            counter.read(watching)
        assert asked == ["robots"]
        generation[0] = 2
        counter.read(watching)
        assert asked == ["robots", "robots"]


def test_commands_of_a_live_run_are_seen_however_they_are_sent_and_questions_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("coopsim.features.desktop.server_marks._EVERY", 0.0)
    server = LocalServer(Simulation(load("formation")))
    commands: deque[tuple[str, float, float]] = deque()
    counter = CommandCounter(commands)
    with server.connect() as sim, server.connect() as watching:
        counter.read(watching)
        with sim.stepper(["robot1", "robot2"]) as stepper:
            stepper.step([(0.2, 0.0)] * 2)
            counter.read(watching)
            assert {robot for robot, *_ in commands} == {"robot1", "robot2"}
            commands.clear()
        for _ in range(3):
            watching.robot("robot3").motors.state()
        counter.read(watching)
        assert "robot3" not in {robot for robot, *_ in commands}


def test_a_place_on_the_line_is_simulated_time_until_a_recording_says_otherwise(
    session: ViewerSession, link: StandinLink
) -> None:
    control = session.time_control
    assert control.on_line(3.0) == 3.0
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 10.0, 8.0, False, 1.0, None, 6.0))
    assert [control.on_line(seconds) for seconds in (2.0, 9.0, -7.0)] == [8.0, 10.0, 0.0]


def test_only_states_that_do_not_follow_each_other_have_the_line_asked_for() -> None:
    first, second, third = (state(seconds) for seconds in (5.0, 5.2, 0.1))
    assert not is_elsewhere(None, first)
    assert [is_elsewhere(first, second), is_elsewhere(second, third)] == [False, True]
