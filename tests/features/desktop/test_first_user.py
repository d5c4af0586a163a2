"""Sessions of a first user: real runs as processes, and a real window on them, pressed where its widgets are."""

import math
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_viewer_managers import click, frame, show
from viewer_live import draw_until

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.commands.view import EndedRun
from coopsim.features.desktop.link import ViewerLink

pytestmark = pytest.mark.integration
SIZE = (1280, 800)
MAX_SPEED = 0.5
"""Of robots of type `single` [m/s]."""
PICTURES = os.environ.get("COOPSIM_SESSION_PICTURES", "")
"""Folder for pictures of what was seen, "" = none are kept."""
SCENE = """
[TARGET]
red 2 0 0
[ROBOT_1]
type single
name robot1
position 0 0 0
[ROBOT_2]
type single
name robot2
position 0 1.5 0
[SIMULATION]
mode lockstep
[CONTROLLER_1]
run seek
robots robot1
target red
[GOAL_1]
name arrive
robots robot1
reach red 1.05
within 60
"""
ROAMING = """
[ROBOT_1]
type single
name robot1
position 0 0 0
[ROBOT_2]
type single
name robot2
position 0 1.5 0
[CONTROLLER_1]
run wander
robots robot1
"""


def keep(application: Application, name: str) -> None:
    """Keep a picture of the window, for somebody who wants to look."""
    frame(application, 4)
    if PICTURES:
        from PIL import Image

        Image.fromarray(application.screenshot()).save(Path(PICTURES) / f"{name}.png")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnRun]:
    """The run of a window, which all sessions of this file share."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "seeking.scenario").write_text(SCENE, encoding="utf-8")
    (folder / "roaming.scenario").write_text(ROAMING, encoding="utf-8")
    (folder / "yard.world").write_text("[FLOOR]\nsize 6 6 0.1\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with OwnRun() as own:
            own.begin("seeking.scenario")
            yield own


@pytest.fixture(scope="module")
def application(run: OwnRun) -> Iterator[Application]:
    window = Application(ViewerLink(run.locate()), SIZE)
    window.settings.quality = "low"
    window.documents.death = EndedRun(lambda: run.ready).why
    draw_until(window, lambda: bool(window.session.names))
    yield window
    window.close()


def standing(application: Application) -> Any:
    return application.session.link.facts.standing


def hurry(application: Application) -> None:
    """Let time go 100 times as fast."""
    application.session.ask("/sim/clock", "set_speed", 100.0)


def console_text(application: Application) -> str:
    return "\n".join(application.session.notes)


def test_a_run_that_reaches_its_goal_stays_and_is_run_again(application: Application) -> None:
    facts = lambda: application.session.link.facts  # noqa: E731 - it is asked anew each time
    assert facts().mode == "lockstep"
    hurry(application)
    draw_until(application, lambda: facts().ending is not None and facts().paused)
    keep(application, "over")
    (goal,) = standing(application)["goals"]
    assert goal["met"], standing(application)
    assert goal["text"] == f"arrive: reached after {goal['at']:.2f} s"
    (law,) = standing(application)["controllers"]
    assert law["state"] == "ended"
    first = facts().ending
    assert first["text"] == "all controllers have ended"
    # scrub: the past can be seen, and the card gives way to it
    application.session.seek(0.5)
    frame(application, 3)
    assert application.session.is_past
    application.session.time_control.follow()
    frame(application, 3)
    click(application, "Reset the scene")
    draw_until(application, lambda: abs(application.session.pose("robot1")[0]) < 0.01)  # type: ignore[index]
    click(application, "Run again")
    draw_until(application, lambda: standing(application)["begins"] == 2 and facts().ending is not None)
    assert facts().ending["time"] == first["time"], "the same run again, tick by tick"
    assert "Traceback" not in console_text(application)


def test_five_scenes_are_loaded_in_a_row_while_laws_drive_and_nothing_ends(application: Application) -> None:
    five = ("vee.scenario", 5), ("lab.world", 0), ("yard.world", 0), ("formation.scenario", 3), ("single.scenario", 1)
    for scene, robots in five:
        application.documents.open(scene)
        draw_until(application, lambda scene=scene: application.session.link.facts.scenario == scene.partition(".")[0])
        draw_until(application, lambda robots=robots: len(application.session.model.robot_colors) == robots)
        assert application.documents.mistakes == ()
    draw_until(application, lambda: [law["state"] for law in standing(application)["controllers"]] == ["running"])
    keep(application, "loaded")
    assert application.session.is_connected
    assert not application.session.link.facts.ending


def laws(application: Application) -> dict[str, str]:
    """Return the states of control laws."""
    return {law["name"]: law["state"] for law in standing(application)["controllers"]}


def pick(application: Application, law: str) -> None:
    """Choose a law out of the list in the manager."""
    click(application, "law.choice")
    frame(application, 2)
    click(application, f"law.choice.{law}")


def test_a_law_is_chosen_started_replaced_and_stopped_in_the_manager(application: Application) -> None:
    application.documents.open("roaming.scenario")
    draw_until(application, lambda: application.session.link.facts.scenario == "roaming")
    draw_until(application, lambda: laws(application) == {"wander": "running"})
    application.session.set_speed(1.0)
    application.session.ask("/sim/clock", "continue_")
    show(application, "Robots")
    application.session.select("robot2")
    frame(application, 3)
    begun = application.session.pose("robot2")
    assert begun is not None
    pick(application, "wander")
    click(application, "law.start")
    draw_until(application, lambda: laws(application).get("wander#2") == "running")
    draw_until(application, lambda: math.dist(application.session.pose("robot2")[:2], begun[:2]) > 0.05)  # type: ignore[index]
    click(application, "law.parameters")
    keep(application, "law_chosen")
    click(application, "law.parameters")
    click(application, "law.start")
    draw_until(application, lambda: laws(application).get("wander#3") == "running")
    assert laws(application)["wander#2"] == "stopped"
    application.session.choose(["robot1", "robot2"])
    frame(application, 3)
    click(application, "law.stop")
    draw_until(application, lambda: "running" not in laws(application).values())
    assert laws(application) == {"wander": "stopped", "wander#2": "stopped", "wander#3": "stopped"}
    frame(application, 30)
    noted = [mark.text for mark in application.session.marks.marks]
    assert {"wander starts, drives robot1", "wander#2 was stopped", "wander#3 was stopped"} <= set(noted)
    keep(application, "laws_on_timeline")
    assert application.session.link.facts.ending is None, "laws that a person stopped are no end of the run"
    assert application.documents.mistakes == ()


def kill_physics(run: OwnRun) -> None:
    """Kill the physics process of a run."""
    tree = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text(encoding="utf-8").split()
    names = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().decode() for pid in tree}
    os.kill(next(int(pid) for pid, words in names.items() if "physics" in words), signal.SIGKILL)


def test_a_run_that_died_says_which_process_and_why_and_goes_on_from_there(
    application: Application, run: OwnRun
) -> None:
    documents, session = application.documents, application.session
    session.editor.update("robot2", {"color": "1 2 3"})
    draw_until(application, lambda: session.editor.history.next_undo == "change robot2")
    session.ask("/sim/clock", "set_mode", "real-time")  # all laws were stopped: in lockstep time would stand
    edited = session.time
    draw_until(application, lambda: session.time > max(5.0, edited + 1.0))
    documents.file, documents.continuer = "roaming.scenario", partial(run.exchange, is_instant=True)
    documents.begin = lambda _: None
    seen, seen_at = session.pose("robot1"), session.time
    kill_physics(run)
    draw_until(application, lambda: documents.death() is not None and session.link.facts.connection == "lost")
    keep(application, "died")
    death = documents.death()
    assert death is not None
    assert "physics process was killed by SIGKILL" in death["reason"]
    assert death["time"] >= 5.0
    click(application, "Go on from where it died")
    assert documents.is_opening
    keep(application, "goes_on")
    draw_until(application, lambda: not documents.is_opening and session.is_connected and "robot2" in session.names)
    draw_until(application, lambda: session.time > death["time"])
    assert seen is not None
    begun = session.pose("robot1")
    assert begun is not None
    reach = 0.3 + MAX_SPEED * (session.time - seen_at)  # a window on a busy machine looks late
    assert math.dist(begun[:2], seen[:2]) < reach, "it goes on from where it was"
    assert np.allclose(session.entity("robot2").color[:3], np.array([1, 2, 3]) / 255)  # type: ignore[union-attr]
    assert (documents.has_unsaved, session.editor.history.can_undo) == (True, True), "what was edited is not saved yet"
    assert (documents.file, documents.mistakes) == ("roaming.scenario", ())


def test_a_run_that_died_is_started_again_from_its_beginning(application: Application, run: OwnRun) -> None:
    kill_physics(run)
    draw_until(application, lambda: application.documents.death() is not None)
    draw_until(application, lambda: application.session.link.facts.connection == "lost")
    begun: list[str] = []
    application.documents.begin = begun.append
    application.documents.file = ""
    frame(application, 3)
    click(application, "Start again")
    assert [Path(scene).name for scene in begun] == ["roaming.scenario"]
