"""What a program needs of a refusal is in its params, number by number."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from server_fakes import ask

from coopsim.errors import BadFile, all_errors
from coopsim.message import Message
from coopsim.scene import read_world
from coopsim.transport import Answer

LAYOUT, STEP, SKIP, CLAIM, CLAIM_WITH, RELEASE = range(10, 16)
REGISTER = 12
SILENT_IN_PARAMS = {101, 103, 302, 501, 502, 503}
"""Numbers of replies that tell all there is to tell, or have a text for people alone."""


def step(*robots: str, data: object = (0, 0), tick: int = 0, generation: int = 1, number: int = 1) -> Message:
    return ask("/sim/step", STEP, generation, *robots, data=data, tick=tick, number=number)


def said(reply: Message | None) -> tuple[int, tuple[object, ...]]:
    assert reply is not None
    return reply.error, reply.params


def lose_robot2(run: object) -> None:
    """Let client `a`, which owns both robots, lose robot2 for want of commands."""
    run.ask(ask("/sim/step", CLAIM, "robot1", "robot2"))
    run.send(ask("/sim/step", CLAIM, "plain1"), "b")
    for client, robots in (("a", ("robot1", "robot2")), ("b", ("plain1",))):
        run.send(step(*robots, data=(0, 0) * len(robots)), client)
    run.pump()
    run.send(step("robot1"))
    run.send(step("plain1"), "b")
    run.now = 1.0
    run.modules.turn(run.now)
    run.pump()
    run.got()


def test_a_name_that_is_not_there_is_told(bench: Callable) -> None:
    run = bench("real-time")
    assert said(run.send(ask("/robot7/motors", 10))) == (201, ("/robot7/motors",))
    assert said(run.send(step("robot1", "robot7", data=(0, 0, 0, 0)))) == (201, ("robot7",))
    assert said(run.send(ask("/sim/world", 15, "box"))) == (201, ("box",))
    assert said(run.send(ask("/sim/names", 11, "/box"))) == (201, ("/box",))
    assert said(run.ask(ask("/sim/clock", 18, "box"))) == (201, ("box",))


def test_a_command_or_a_parameter_that_is_not_there_is_told(bench: Callable) -> None:
    run = bench("real-time")
    assert said(run.send(ask("/robot1/motors", 99))) == (202, (99,))
    assert said(run.send(ask("/robot1/motors", 2, "colour"))) == (202, ("colour",))


def test_whose_robot_it_is_is_told(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    assert said(run.send(step("robot1", "robot2", data=(0, 0, 0, 0)))) == (204, ("robot2", "b"))
    assert said(run.send(ask("/sim/step", RELEASE, "robot2"))) == (204, ("robot2", "b"))


def test_a_name_that_somebody_else_registered_is_told(bench: Callable) -> None:
    run = bench("real-time")
    run.send(ask("/sim/names", REGISTER, "/arm", "tcp://127.0.0.1:9", ""), "b")
    reply = run.send(ask("/sim/names", REGISTER, "/arm", "tcp://127.0.0.1:8", ""))
    assert said(reply) == (204, ("/arm", "tcp://127.0.0.1:9"))
    assert said(run.send(ask("/arm", 0))) == (207, ("tcp://127.0.0.1:9", ""))


def test_the_robots_that_were_lost_are_told_and_no_other_is_refused(bench: Callable) -> None:
    run = bench(patience=0.5, policy="evict")
    lose_robot2(run)
    assert run.send(step("robot1", number=5)) is None  # it still owns that one
    run.send(step("plain1"), "b")
    run.pump()
    assert [(reply.id, reply.error) for reply in run.got()] == [(5, 0)]
    assert said(run.send(ask("/robot1/motors", 10, data=(0.1, 0)))) == (0, ())
    assert said(run.send(step("robot1", "robot2", data=(0, 0, 0, 0)))) == (205, ("robot2",))
    assert run.send(step("robot2")) is None  # said once; the command takes it back


def test_who_names_no_robot_is_told_first_which_it_lost(bench: Callable) -> None:
    run = bench(patience=0.5, policy="evict")
    lose_robot2(run)
    assert said(run.send(ask("/sim/step", SKIP))) == (205, ("robot2",))
    assert said(run.send(ask("/sim/step", SKIP))) == (0, ())


def test_a_claim_of_one_robot_does_not_hide_that_another_was_lost(bench: Callable) -> None:
    run = bench(patience=0.5, policy="evict")
    lose_robot2(run)
    run.send(ask("/sim/step", CLAIM, "robot1"))
    assert said(run.send(step("robot2"))) == (205, ("robot2",))


def test_the_generation_now_is_told_and_0_stands_for_any(bench: Callable) -> None:
    run = bench("real-time")
    assert said(run.send(step("robot1", generation=7))) == (206, (1,))
    assert said(run.send(ask("/sim/step", STEP))) == (206, (1,))
    run.send(step("robot1", generation=0))
    run.source.tick()
    run.pump()
    assert [said(reply) for reply in run.got()] == [(0, (1,))]


def test_the_next_stamp_is_told(bench: Callable) -> None:
    run = bench()
    assert run.ask(step("robot1", tick=1)).tick == 1
    assert said(run.send(step("robot1", tick=1))) == (301, (2,))
    assert said(run.send(step("robot1", tick=9))) == (203, ("tick", 2))


def test_what_was_released_before_the_step_is_told(bench: Callable) -> None:
    run = bench()
    run.send(ask("/sim/step", CLAIM, "robot2"), "b")
    run.send(step("robot1"))
    run.send(ask("/sim/step", RELEASE))
    assert [said(reply) for reply in run.got()] == [(304, ("robot1",))]


@pytest.mark.parametrize("how", ["step", "skip", "set"])
def test_robots_that_had_been_stopped_are_told_without_an_error(bench: Callable, how: str) -> None:
    run = bench(patience=0.5)
    for robot, client in (("robot1", "a"), ("robot2", "b")):
        run.send(ask("/sim/step", CLAIM, robot), client)
    for robot, client in (("robot1", "a"), ("robot2", "b")):
        run.send(step(robot), client)
    run.pump()
    run.send(step("robot1"))
    run.now = 1.0
    run.modules.turn(run.now)
    run.pump()
    again = {"step": step("robot2"), "skip": ask("/sim/step", SKIP), "set": ask("/robot2/motors", 10, data=(0, 0))}
    run.got("b")
    reply = run.send(again[how], "b")
    if reply is None:
        run.send(step("robot1"))
        run.pump()
        (reply,) = run.got("b")
    assert said(reply) == (0, (1, "robot2") if how == "step" else ("robot2",))
    assert "robot2 had been stopped" in reply.text


def test_a_recording_says_that_it_is_one(bench: Callable) -> None:
    run = bench("real-time", is_recording=True)
    for generation in (1, 7):
        assert said(run.send(step("robot1", generation=generation))) == (303, ("recording",))


def test_a_refusal_has_the_newest_tick(bench: Callable) -> None:
    run = bench("real-time")
    for _ in range(3):
        run.source.tick()
    run.pump()
    wrong = [
        ask("/robot7/motors", 10),
        ask("/robot1/motors", 99),
        ask("/robot1/motors", 10, data=(1, 2, 3)),
        step("robot1", generation=9),
        ask("/sim/world", 13, "box"),
        replace(ask("/robot1/motors", 10), run=1),
    ]
    assert [run.ask(request).tick for request in wrong] == [3] * len(wrong)
    run.source.silent_edits = True
    for request in (ask("/sim/clock", 14), ask("/sim/recorder", 11)):
        assert run.send(request) is None
    run.source.serve()
    run.modules.refuse_all()
    assert [(reply.error, reply.tick) for reply in run.got()] == [(501, 3)]


def test_a_refusal_of_the_source_brings_its_params(bench: Callable) -> None:
    run = bench("real-time")
    assert said(run.ask(ask("/sim/world", 13, "box"))) == (201, ("box",))


def test_every_number_says_what_its_params_hold() -> None:
    on_the_wire = {number: error for number, error in all_errors().items() if 100 < number < 700 and number % 100}
    mute = {number for number, error in on_the_wire.items() if not error.brings and not 504 <= number < 600}
    assert mute == SILENT_IN_PARAMS


def test_a_reply_takes_its_params_from_the_problem() -> None:
    problem = all_errors()[301]("late").bring(7)
    assert replace(ask("/robot1/motors", 10), id=3).refusal(problem, tick=2).params == (7,)


def test_a_mistake_in_a_file_tells_file_line_column_and_what(tmp_path: Path) -> None:
    path = tmp_path / "lab.world"
    path.write_text("[OBJECT_1]\nname crate\nmass x\n")
    with pytest.raises(BadFile) as caught:
        read_world(path)[1].raise_any()
    places = list(zip(*[iter(caught.value.params)] * 4, strict=True))
    assert (str(path), 3, 6) in [place[:3] for place in places]
    for file, line, column, what in places:
        assert f"{file}:{line}:{column}: {what}" in str(caught.value)
    problem = Answer(BadFile.code, str(caught.value), caught.value.params).problem()
    assert problem is not None
    assert problem.params == caught.value.params
