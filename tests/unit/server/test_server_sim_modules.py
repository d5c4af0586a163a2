"""Modules under `/sim`: clock, world, names, info. C-22, C-51."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from server_fakes import ask

import coopsim
from coopsim import version
from coopsim.errors import BadArgument, NoSuchCommand, NoSuchName
from coopsim.geometry import quaternion
from coopsim.interfaces import CLOCK
from coopsim.message import Message
from coopsim.server.poses import with_angles
from coopsim.server.speed_meter import SpeedMeter
from coopsim.state import RecordHeader


def test_status_tells_everything_about_the_clock(bench: Callable) -> None:
    run = bench("lockstep")
    run.send(ask("/sim/step", 13, "robot1", "robot2"))
    run.now = 3.0
    reply = run.send(ask("/sim/clock", 10))
    assert reply.params == ("lockstep", 0, '{"robot1": 3.0, "robot2": 3.0}', "stop")
    names = [field.name for field in CLOCK.command("status").gives if field.unit]
    status = dict(zip(names, reply.data, strict=True))
    assert (status["tick"], status["step"], status["speed"], status["patience_fired"]) == (0.0, 0.01, 1.0, 0.0)


def test_status_says_when_nobody_has_claimed_anything(bench: Callable) -> None:
    run = bench("lockstep")
    run.now = 2.0
    assert json.loads(run.send(ask("/sim/clock", 10)).params[2]) == {"": 2.0}


@pytest.mark.parametrize(
    ("request_", "edit"),
    [
        (ask("/sim/clock", 11, "free"), {"edit": "set_mode", "mode": "free"}),
        (ask("/sim/clock", 12, data=(2,)), {"edit": "set_speed", "speed": 2.0}),
        (ask("/sim/clock", 13, data=(0.02,)), {"edit": "set_step", "step": 0.02}),
        (ask("/sim/clock", 14), {"edit": "pause"}),
        (ask("/sim/clock", 15), {"edit": "continue"}),
        (ask("/sim/clock", 16), {"edit": "step", "count": 1}),
        (ask("/sim/clock", 16, 5.0), {"edit": "step", "count": 5}),
        (ask("/sim/clock", 17), {"edit": "clock_reset"}),
        (ask("/sim/world", 11, "[WALL_1]"), {"edit": "insert", "text": "[WALL_1]"}),
        (ask("/sim/world", 12, "robot1", "mass 3"), {"edit": "update", "name": "robot1", "text": "mass 3"}),
        (ask("/sim/world", 13, "robot1"), {"edit": "remove", "name": "robot1"}),
        (ask("/sim/world", 14), {"edit": "reset"}),
        (ask("/sim/world", 14, "all"), {"edit": "reset"}),
        (ask("/sim/world", 14, "poses"), {"edit": "reset", "what": "poses"}),
        (ask("/sim/world", 14, "all", 7), {"edit": "reset", "seed": 7}),
    ],
)
def test_changes_go_to_the_source_as_edits(bench: Callable, request_: Message, edit: dict) -> None:
    run = bench("real-time")
    assert run.ask(request_).error == 0
    assert run.source.edits == [{"id": 1, **edit}]


def test_what_the_source_refuses_is_refused(bench: Callable) -> None:
    reply = bench("real-time").ask(ask("/sim/world", 13, "nobody"))
    assert (reply.error, reply.text) == (NoSuchName.code, "there is no nobody")


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (ask("/sim/clock", 11, "fast"), BadArgument),
        (ask("/sim/clock", 11), BadArgument),
        (ask("/sim/clock", 11, 3), BadArgument),
        (ask("/sim/clock", 12), BadArgument),
        (ask("/sim/clock", 16, 0), BadArgument),
        (ask("/sim/clock", 16, "two"), BadArgument),
        (ask("/sim/world", 14, "pose"), BadArgument),
        (ask("/sim/world", 14, 7), BadArgument),
        (ask("/sim/world", 14, "all", -2), BadArgument),
        (ask("/sim/world", 14, "all", 2**63), BadArgument),
        (ask("/sim/world", 14, "all", "seven"), BadArgument),
        (ask("/sim/clock", 3, "patience", -1), BadArgument),
        (ask("/sim/clock", 3, "speed", 1), NoSuchCommand),
        (ask("/sim/world", 11), BadArgument),
        (ask("/sim/world", 11, 7), BadArgument),
        (ask("/sim/world", 15, "nobody"), NoSuchName),
        (ask("/sim/names", 11, "/nobody"), NoSuchName),
        (ask("/sim/names", 11), BadArgument),
        (ask("/sim/info", 10, "x"), BadArgument),
        (ask("/sim/info", 2, "x"), NoSuchCommand),
        (ask("/sim/info", 99), NoSuchCommand),
    ],
)
def test_mistakes_never_reach_the_source(bench: Callable, request_: Message, error: type[Exception]) -> None:
    run = bench("real-time")
    assert run.send(request_).error == error.code
    run.source.serve()
    assert run.source.edits == []


def test_patience_is_a_parameter_and_its_change_is_in_the_record(bench: Callable) -> None:
    run = bench("lockstep")
    assert run.send(ask("/sim/clock", 2, "patience")).params == (0.0,)
    assert run.send(ask("/sim/clock", 3, "patience", 2)).params == (2.0,)
    run.pump()
    assert run.coordinator.barrier.patience == 2.0
    assert [edit["what"] for edit in run.source.edits] == ["patience 2 s"]


def test_the_world_is_listed_by_page_with_poses(bench: Callable) -> None:
    run = bench("real-time")
    reply = run.send(ask("/sim/world", 10))
    assert reply.params[:4] == (5, "floor", "floor", "box")
    assert reply.params[-3:] == ("robot2", "robot", "single")
    assert list(reply.data[-6:]) == [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    page = run.send(ask("/sim/world", 10, 1, 1))
    assert page.params == (5, "red", "target", "red")
    assert list(page.data) == [4.0, 3.0, 0.0, 0.0, 0.0, 0.0]
    assert run.send(ask("/sim/world", 10, 99)).params == (5,)


def test_one_entity_is_told_with_size_mass_and_color(bench: Callable) -> None:
    reply = bench("real-time").send(ask("/sim/world", 15, "robot1"))
    assert reply.params == ("robot1", "robot", "single")
    assert list(reply.data) == [1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 20, 0, 0, 1]


def test_the_scene_is_told_by_page_with_poses_and_with_looks_that_entities_share(bench: Callable) -> None:
    run = bench("real-time")
    text, generation, total = run.send(ask("/sim/world", 21, 2, 2)).params
    plain = json.loads(text)
    assert (generation, total) == (run.source.layout.generation, 5)
    assert plain["looks"] == [[{"shape": "box"}]]
    assert [entity["visuals"] for entity in plain["entities"]] == [0, 0]
    assert [entity["pose"][0] for entity in plain["entities"]] == [0.0, 1.0]
    assert json.loads(run.send(ask("/sim/world", 21, 99)).params[0]) == {"looks": [], "entities": []}


def test_a_page_of_the_scene_holds_what_one_message_can(bench: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.server.modules.world.MAX_PARAM_BYTES", 700)
    run = bench("real-time")
    text, _, total = run.send(ask("/sim/world", 21)).params
    assert 1 <= len(json.loads(text)["entities"]) < total == 5
    assert len(text) <= 700


@pytest.mark.parametrize("angles", [(0.1, 0.2, 0.3), (-1.0, 0.5, 2.5), (0.0, 0.0, -3.0)])
def test_angles_of_the_list_turn_about_the_fixed_axes_in_order(angles: tuple[float, float, float]) -> None:
    row = np.array([[1.0, 2.0, 3.0, *quaternion(*angles)]])
    assert with_angles(row)[0].tolist() == pytest.approx([1.0, 2.0, 3.0, *angles])


def test_names_are_listed_by_prefix_and_by_page(bench: Callable) -> None:
    run = bench("real-time")
    assert run.send(ask("/sim/names", 10, "/robot1")).params == (
        "/robot1",
        "/robot1/motors",
        "/robot1/sonars",
        "/robot1/target",
    )
    every = run.send(ask("/sim/names", 10)).params
    assert list(every) == sorted(every)
    assert {"/sim/clock", "/plain1/wheels", "/robot2/target"} <= set(every)
    assert run.send(ask("/sim/names", 10, "/robot1", "/robot1/motors")).params == ("/robot1/sonars", "/robot1/target")
    assert run.send(ask("/sim/names", 10, "/z")).params == ()


def test_more_names_than_fit_a_message_come_in_parts(bench: Callable) -> None:
    run = bench("real-time")
    run.source.robots = {f"r{number:04}": run.source.robots["plain1"] for number in range(1500)}
    run.source.lay_out()
    run.source.publish()
    run.pump()
    first = run.send(ask("/sim/names", 10, "/r"))
    second = run.send(ask("/sim/names", 10, "/r", first.params[-1]))
    assert (len(first.params), len(second.params)) == (4096, 3 * 1500 - 4096)
    assert "4096 of 4500" in first.text


def test_info_tells_version_and_generation(bench: Callable) -> None:
    run = bench("real-time", info={"scenario": "gap", "seed": 4})
    info = json.loads(run.send(ask("/sim/info", 10)).params[0])
    assert (info["version"], info["build"]) == (coopsim.__version__, version.build())
    assert info["protocol_revision"] == version.protocol_revision()
    assert (info["protocol"], info["scenario"], info["seed"]) == (1, "gap", 4)
    assert (info["generation"], info["robots"], info["step"]) == (1, 3, 0.01)


def test_pace_is_simulated_per_real_time_over_the_last_second() -> None:
    pace = SpeedMeter()
    for tick in range(21):
        pace.sample(RecordHeader(time_ns=tick * 200_000_000, wall_ns=tick * 100_000_000), 0)
    assert pace.factor == pytest.approx(2.0)


def test_pace_goes_to_zero_while_time_stands_still_and_starts_anew_after_a_reset() -> None:
    pace = SpeedMeter()
    for second in range(3):
        pace.sample(RecordHeader(time_ns=second * 10**9, wall_ns=second * 10**9), second * 10**9)
    for tenth in range(1, 15):
        pace.sample(RecordHeader(time_ns=2 * 10**9, wall_ns=2 * 10**9), 2 * 10**9 + tenth * 10**8)
    assert pace.factor == 0.0
    pace.sample(RecordHeader(time_ns=0, wall_ns=5 * 10**9), 5 * 10**9)
    pace.sample(RecordHeader(time_ns=10**8, wall_ns=5 * 10**9 + 10**8), 0)
    assert math.isclose(pace.factor, 1.0)
