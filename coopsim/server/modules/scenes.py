"""Loading and saving scenes while the simulation runs."""

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import msgpack
import numpy as np

from coopsim.errors import BadFile, CannotSave, CoopsimError, NoSuchName, SimulationEnded
from coopsim.message import Message
from coopsim.robots import RunSpec
from coopsim.robots.plain import from_plain, to_plain
from coopsim.robots.saving import RunChoices
from coopsim.scene import Controller, Scenario, World, section_text
from coopsim.scene.told import scenario_facts
from coopsim.server.background import BackgroundWorker
from coopsim.server.edits import DeferredReply, EditForwarder
from coopsim.server.modules.scene_files import Loaded, SceneFiles
from coopsim.server.poses import with_angles
from coopsim.state import Layout, Record
from coopsim.state.edits import Describe, Load
from coopsim.transport import Answer, Source

_T = TypeVar("_T")
_NEAR = 1e-6
"""Nearer than this an entity stands where its file says [m, rad]."""
_DIGITS = 6  # a micrometre: what a saved file can say again


_SAID_OF_A_SCENE: tuple[str, ...] = ("caption", "camera", "renderer", "game", "teams")
"""What `/sim/info` says of the scene that a run begins with."""
Then: TypeAlias = Callable[[CoopsimError | None, str], None]


class ControlLaws(Protocol):
    """Ends and begins the control laws of a run; calls back with what went wrong, or None, and a word."""

    def dismiss(self, then: Then) -> None:
        """End all of them."""

    def begin(self, file: str, then: Then) -> None:
        """Start those of a scene that was loaded; "" = of the one that was there."""

    def started_by_hand(self) -> Sequence[Controller]:
        """Return those that people started, and did not stop since, the newest last."""
        ...


class SceneStore:
    """Has scenes read and written by the workshop, and asks the source what there is.

    All of it but the work itself runs under the lock of `Modules`.

    Args:
        link: The source.
        edits: Way to the source.
        files: What is on disk.
        worker: Does the work.
        facts: What `/sim/info` says.
        laws: Ends and begins control laws, None = nobody does.
    """

    def __init__(
        self,
        link: Source,
        edits: EditForwarder,
        files: SceneFiles,
        worker: BackgroundWorker,
        facts: dict[str, Any],
        laws: "ControlLaws | None" = None,
    ) -> None:
        self._link, self._edits, self._files, self._worker, self._facts = link, edits, files, worker, facts
        self._laws, self._told, self._engine = laws, _SAID_OF_A_SCENE, ""
        self._saved_laws: Sequence[Controller] = ()

    def load(self, name: str, later: DeferredReply) -> None:
        """Replace the scene by that of a file."""
        self._worker.do(
            lambda: _done(lambda: self._read(name), BadFile, name), lambda read: self._put(*read, later), _refuse(later)
        )

    def save(self, name: str, later: DeferredReply, *, poses: bool, overwrite: bool) -> None:
        """Write what there is."""

        def write(answer: Answer) -> None:
            now, content, chosen = self._whole_now() if poses else None, answer.content, self._choices()

            def files() -> tuple[str, ...]:
                return self._files.write(_scene(content, now), name, overwrite=overwrite, chosen=chosen)

            def saved(written: Sequence[str]) -> None:
                if self._files.is_scenario(name):  # the file says it by now
                    self._engine, self._saved_laws = chosen.engine or self._engine, chosen.laws
                    self._facts["scenario"] = Path(name).stem if name else self._facts.get("scenario", "")
                later.reply(_files_reply(later.request, written, answer.tick))

            self._worker.do(
                lambda: _done(files, CannotSave, name),
                saved,
                _refuse(later),
            )

        self._edits.send(Describe(), later, write)

    def _choices(self) -> RunChoices:
        """Return what people chose since the scene was loaded, beside its entities."""
        engine = str(self._facts.get("engine", ""))
        laws = () if self._laws is None else self._laws.started_by_hand()
        dropped = [law for law in self._saved_laws if law not in laws]
        return RunChoices(engine if engine != self._engine else "", laws, dropped)

    def pictures(self, text: str) -> tuple[str, ...]:
        """Return the pictures that a message names by their whole paths.

        Raises:
            ForbiddenFile: One lies outside of the allowed folders.
        """
        return self._files.pictures(text)

    def section(self, name: str, later: DeferredReply, *, poses: bool) -> None:
        """Answer with the section that says an entity or a joint."""

        def reply(answer: Answer) -> None:
            try:
                now = self._link.now if poses else None
                text = section_text(_scene(answer.content, now), name)
            except (NoSuchName, SimulationEnded) as problem:
                later.refuse(problem)
            else:
                later.reply(later.request.reply((text,), tick=answer.tick))

        self._edits.send(Describe(), later, reply)

    def _whole_now(self) -> tuple[Layout, Record]:
        """Return layout and record, complete as far as that is possible: it is read a moment later."""
        layout, record = self._link.now
        with contextlib.suppress(SimulationEnded):
            record.complete()
        return layout, record

    def _read(self, name: str) -> tuple[Loaded, Load]:
        loaded = self._files.read(name)
        spec = RunSpec(loaded.spec.scenario, loaded.spec.types)
        edit = Load(str(loaded.path), to_plain(spec), dict(loaded.files))
        largest = self._link.largest_edit
        if len(msgpack.packb(edit.to_plain())) > largest:
            raise CannotSave(f"{loaded.path} is too large to be loaded while running; start a run with it")
        return loaded, edit

    def _put(self, loaded: Loaded, edit: Load, later: DeferredReply) -> None:
        """Exchange the scene; its control laws end before, and those of the new one begin after that."""
        laws = self._laws

        def done(answer: Answer) -> None:
            self._files.adopt(loaded)
            self._publish_scene_facts(loaded)
            reply = later.request.reply(answer.params, tick=answer.tick)
            if laws is None:
                later.reply(reply)
                return
            laws.begin(str(loaded.path), lambda problem, _: later.refuse(problem) if problem else later.reply(reply))

        def failed(_: Answer) -> None:
            if laws is not None:
                laws.begin("", lambda *_: None)

        def dismissed(problem: CoopsimError | None, _: str) -> None:
            if problem is None:
                self._edits.send(edit, later, done, failed)
            else:
                later.refuse(problem)

        if laws is None:
            dismissed(None, "")
        else:
            laws.dismiss(dismissed)

    def _publish_scene_facts(self, loaded: Loaded) -> None:
        """Let `/sim/info` say what is there now, and no more what was."""
        for name in self._told:
            self._facts.pop(name, None)
        facts = {
            "caption": "",
            "camera": "",
            **scenario_facts(loaded.spec.scenario),
        }
        self._told = tuple(facts)
        self._facts.update(facts, scenario=loaded.path.stem)
        self._engine, self._saved_laws = str(self._facts.get("engine", "")), ()


def _refuse(later: DeferredReply) -> Callable[[CoopsimError], None]:
    """Return what refuses a request, naming the file that it is about where nothing better is known."""

    def refuse(problem: CoopsimError) -> None:
        later.refuse(problem if problem.params else problem.bring(*later.request.params[:1]))

    return refuse


def _done(work: Callable[[], _T], kind: type[CoopsimError], name: str) -> _T:
    """Do work with a file; where the system lacks something, as descriptors, that is no bug."""
    try:
        return work()
    except OSError as problem:
        raise kind(f"{name}: {problem.strerror or problem}") from None


def _files_reply(request: Message, files: Sequence[str], tick: int) -> Message:
    return request.reply(tuple(files), tick=tick)


def _scene(content: bytes, now: tuple[Layout, Record] | None) -> Scenario:
    """Return what the source says is there, where it stands by a record, None = where it began."""
    scene = from_plain(msgpack.unpackb(content))
    objects, robots = scene["objects"], scene["robots"]
    if now is not None:
        poses = _poses(*now)
        objects = tuple(_moved(entity, poses) if entity.mass > 0 else entity for entity in objects)
        robots = tuple(_moved(robot, poses) for robot in robots)
    world = World(scene["floor"], objects)
    return Scenario(world, scene["targets"], robots, joints=scene["joined"], areas=scene.get("areas", ()))


def _poses(layout: Layout, record: Record) -> dict[str, list[float]]:
    """Return x y z [m] and angles [rad] of everything that moves, by name."""
    return dict(zip(layout.bodies, with_angles(np.asarray(record.poses)).tolist(), strict=True))


def _moved(entity: Any, poses: dict[str, list[float]]) -> Any:
    pose = poses.get(entity.name)
    if pose is None:
        return entity
    place, angles = pose[:3], pose[3:]
    if math.dist(place, entity.position) > _NEAR:
        entity = replace(entity, position=tuple(round(coordinate, _DIGITS) + 0.0 for coordinate in place))
    if any(
        abs(math.remainder(new - old, math.tau)) > _NEAR for new, old in zip(angles, entity.orientation, strict=True)
    ):
        degrees = (round(math.degrees(angle), _DIGITS) + 0.0 for angle in angles)
        entity = replace(entity, orientation=tuple(math.radians(degree) for degree in degrees))
    return entity
