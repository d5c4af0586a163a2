"""`/sim/world` load and save: asked by message, done by a thread, answered when done."""

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest
from server_fakes import ask

from coopsim.errors import BadArgument, BadFile, CannotSave, ForbiddenFile, InternalError, NoSuchFile, SimulationEnded
from coopsim.message import Message
from coopsim.robots import load
from coopsim.robots.plain import from_plain, to_plain
from coopsim.server.background import BackgroundWorker
from coopsim.server.modules.scene_files import SceneFiles
from coopsim.state.edits import Describe
from coopsim.transport.control import (
    Answer,
    BeginControllers,
    ControllersAnswer,
    ControllersNews,
    DismissControllers,
    EditRequest,
)

LOAD, SAVE = 18, 19
SCENARIO = "# all of it\n[ROBOT_1]\ntype single\nname robot1\nposition 0 1 0\n"


@pytest.fixture
def yard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "yard.scenario").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(bench: Callable[..., Any], yard: Path, request: pytest.FixtureRequest) -> Any:
    """A host of a run that began with a scenario, perhaps with another engine; its source knows who is there."""
    return run_of(bench, yard, info={"engine": getattr(request, "param", "pymunk")})


def run_of(bench: Callable[..., Any], yard: Path, file: str = "yard.scenario", **options: Any) -> Any:
    run = bench("real-time", scenario=str(yard / file), **options)
    answer = run.source._edit
    scene = load(yard / "yard.scenario").scenario

    def edit(asked: EditRequest) -> None:
        if not isinstance(asked.edit, Describe):
            answer(asked)
            return
        run.source.edits.append({"id": asked.id, **asked.edit.to_plain()})
        parts = {
            "floor": scene.world.floor,
            "objects": (),
            "targets": scene.targets,
            "robots": scene.robots,
            "joined": (),
        }
        content = msgpack.packb({name: to_plain(part) for name, part in parts.items()})
        run.source.channel.send(Answer(content=content, tick=7, id=asked.id))

    run.source._edit = edit
    return run


def done(run: Any, request: Message) -> Message:
    """Send a request, let the thread and the source work, return the reply."""
    assert run.send(request) is None
    laws = run.modules.table.fixed["/sim/controllers"]
    for _ in range(5):
        run.modules.table.fixed["/sim/world"]._library._worker.wait()
        for order in run.source.launcher.receive():
            if isinstance(order, DismissControllers | BeginControllers):
                laws.receive(ControllersAnswer(0, "", order.id))
        run.pump()
    (reply,) = run.got()
    return reply


def test_saving_asks_the_source_who_is_there_and_writes_it(run: Any, yard: Path) -> None:
    reply = done(run, ask("/sim/world", SAVE, "copy.scenario"))
    assert (reply.error, reply.params, reply.tick) == (0, (str(yard / "copy.scenario"),), 7)
    assert (yard / "copy.scenario").read_text() == SCENARIO
    assert done(run, ask("/sim/world", SAVE)).params == ()


def law(name: str, robot: str, state: str = "running", **more: Any) -> dict[str, Any]:
    return {"law": name, "robots": [robot], "state": state, "by_hand": True, "arguments": {}, **more}


def test_laws_that_people_started_are_saved_but_not_those_that_failed_or_were_stopped(run: Any, yard: Path) -> None:
    """C-63: a scenario is saved as it runs."""
    rows = [
        law("seek", "robot1", by_hand=False),
        law("orca", "robot1", state="failed"),
        law("wander", "robot1", arguments={"speed": "0.2"}),
    ]
    laws = run.modules.table.fixed["/sim/controllers"]
    laws.receive(ControllersNews(json.dumps({"controllers": rows})))
    done(run, ask("/sim/world", SAVE, "copy.scenario"))
    section = "\n[CONTROLLER_1]\nrun         wander\nrobots      robot1\nspeed       0.2\n"
    assert (yard / "copy.scenario").read_text() == SCENARIO + section
    laws.receive(ControllersNews(json.dumps({"controllers": rows[:2]})))
    done(run, ask("/sim/world", SAVE))
    assert (yard / "copy.scenario").read_text() == SCENARIO


def test_an_engine_that_was_changed_while_the_scene_ran_is_saved_and_again_when_it_is_changed_back(
    run: Any, yard: Path
) -> None:
    """C-63: a scenario is saved as it runs."""
    library = run.modules.table.fixed["/sim/world"]._library
    assert done(run, ask("/sim/world", SAVE)).params == (), "nothing was changed"
    for engine in ("mujoco", "pymunk"):
        library._facts["engine"] = engine
        done(run, ask("/sim/world", SAVE))
        assert f"[SIMULATION]\nengine      {engine}\n" in (yard / "yard.scenario").read_text()


@pytest.mark.parametrize("run", ["mujoco+rk4"], indirect=True)
def test_the_engine_that_a_run_was_started_with_is_saved(run: Any, yard: Path) -> None:
    """C-63: a scenario is saved as it runs."""
    done(run, ask("/sim/world", SAVE))
    begin = "[SIMULATION]\nengine      mujoco\nintegrator  rk4\n"
    assert (yard / "yard.scenario").read_text() == SCENARIO.replace("[ROBOT_1]", f"{begin}\n[ROBOT_1]")
    assert done(run, ask("/sim/world", SAVE)).params == (), "it is there by now"


def test_an_engine_that_no_world_can_say_is_saved_with_the_next_scenario(bench: Callable[..., Any], yard: Path) -> None:
    """C-63: a scenario is saved as it runs."""
    world = yard / "yard.world"
    world.write_text("[FLOOR]\nsize 4 4 0.1\n")
    run = run_of(bench, yard, "yard.world", world=str(world), info={"engine": "mujoco"})
    assert done(run, ask("/sim/world", SAVE)).error == 0
    assert done(run, ask("/sim/world", SAVE, "whole.scenario")).error == 0
    assert "[SIMULATION]\nengine      mujoco\n" in (yard / "whole.scenario").read_text()


def test_a_scene_that_was_saved_under_a_name_is_called_so_from_then_on(run: Any) -> None:
    for name, told in (("copy.scenario", "copy"), ("floor.world", "copy"), ("", "copy")):
        done(run, ask("/sim/world", SAVE, name))
        assert json.loads(run.send(ask("/sim/info", 10)).params[0])["scenario"] == told


def test_poses_are_those_of_the_record(run: Any, yard: Path) -> None:
    assert done(run, ask("/sim/world", SAVE, "", 1)).params == (str(yard / "yard.scenario"),)
    # the stand-in puts its bodies on the x axis, one metre apart
    x = run.source.layout.robot["robot1"].body
    assert (yard / "yard.scenario").read_text() == SCENARIO.replace("0 1 0", f"{x} 0 0")


def test_loading_sends_what_was_read_as_an_edit(run: Any, yard: Path) -> None:
    (yard / "other.scenario").write_text(SCENARIO.replace("robot1", "ben"))
    reply = done(run, ask("/sim/world", LOAD, "other.scenario"))
    assert reply.error == 0
    (edit,) = [edit for edit in run.source.edits if edit["edit"] == "load"]
    assert edit["files"][str(yard / "other.scenario")] == SCENARIO.replace("robot1", "ben")
    assert [Path(file).name for file in edit["files"]] == ["other.scenario", "single.robot"]
    assert [robot.name for robot in from_plain(edit["spec"]).scenario.robots] == ["ben"]
    info = json.loads(run.send(ask("/sim/info", 10)).params[0])
    assert info["scenario"] == "other"


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (ask("/sim/world", LOAD, "/etc/passwd"), ForbiddenFile),
        (ask("/sim/world", LOAD, "nothing"), NoSuchFile),
        (ask("/sim/world", SAVE, "../x.scenario"), ForbiddenFile),
        (ask("/sim/world", SAVE, "x.txt"), CannotSave),
    ],
)
def test_what_cannot_be_done_is_refused_in_the_end(run: Any, request_: Message, error: type[Exception]) -> None:
    assert done(run, request_).error == error.code


@pytest.mark.parametrize(
    "request_",
    [
        ask("/sim/world", LOAD),
        ask("/sim/world", LOAD, 3),
        ask("/sim/world", SAVE, 3),
        ask("/sim/world", SAVE, "x.scenario", 2),
        ask("/sim/world", SAVE, "x.scenario", 0, "yes"),
    ],
)
def test_mistakes_are_refused_at_once(run: Any, request_: Message) -> None:
    assert run.send(request_).error == BadArgument.code
    assert run.session("a").waiting == 0


@pytest.mark.parametrize(("command", "error"), [(SAVE, CannotSave.code), (LOAD, BadFile.code)])
def test_a_shortage_of_descriptors_is_told_as_such(
    run: Any, command: int, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(SceneFiles, "write", fail)
    monkeypatch.setattr(SceneFiles, "read", fail)
    reply = done(run, ask("/sim/world", command, "some.scenario"))
    assert (reply.error, reply.text.partition("\n")[0]) == (error, "some.scenario: Too many open files")
    assert run.modules.faults.total == 0


def test_who_waits_at_the_end_of_the_run_is_told_once(run: Any) -> None:
    assert run.send(ask("/sim/world", SAVE, "late.scenario")) is None
    run.modules.refuse_all()
    run.pump()
    run.modules.table.fixed["/sim/world"]._library._worker.wait()
    assert [reply.error for reply in run.got()] == [SimulationEnded.code]
    assert run.session("a").waiting == 0


def test_the_workshop_hands_over_what_comes_of_its_work() -> None:
    worker, results = BackgroundWorker(), []

    def fail(kind: type[Exception]) -> None:
        raise kind("no")

    worker.do(lambda: 3, results.append, results.append)
    worker.do(lambda: fail(NoSuchFile), results.append, results.append)
    worker.do(lambda: fail(ZeroDivisionError), results.append, results.append)
    worker.wait()
    worker.close()
    assert results[0] == 3
    assert [type(result) for result in results[1:]] == [NoSuchFile, InternalError]
    assert "ZeroDivisionError: no" in str(results[2])
