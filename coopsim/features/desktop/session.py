"""Session of a viewer with a run and of a person with both, without a window."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.beginnings.crews import expanded
from coopsim.features.beginnings.insertions import OBJECT
from coopsim.features.desktop.aiming import aim, follow
from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.console import ConsoleModel
from coopsim.features.desktop.curves import Curves
from coopsim.features.desktop.drawlist import SLACK, DrawList
from coopsim.features.desktop.editor import Editor, edit_obstacle
from coopsim.features.desktop.free_places import PendingInsertions, free_place
from coopsim.features.desktop.history import History
from coopsim.features.desktop.keeping_time import TimeKeeping
from coopsim.features.desktop.lamps import live_lights, shine
from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.marks import Marks
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.picking import between, pick
from coopsim.features.desktop.playout import KnownScenes, played_out
from coopsim.features.desktop.poses import opposite, within
from coopsim.features.desktop.time_control import TimeControl, continue_beside
from coopsim.features.desktop.traces import Traces
from coopsim.features.desktop.watching import RunWatcher
from coopsim.geometry import Floats, Pose
from coopsim.interfaces import Value
from coopsim.state import EntityRow

if TYPE_CHECKING:
    from coopsim.client import Readings, State
    from coopsim.client.scene import SceneView

_NOTES = 50  # the newest; a list for people


class ViewerSession:
    """A run as a person sees it.

    Args:
        link: To the run.

    Attributes:
        model: What there is, where it is drawn.
        rows: Of the model.
        camera: That looks.
        editor: Edits the run.
        selected: Name of the entity that is looked at, "" = none.
        chosen: Names of all that are selected, that one last.
        named_elsewhere: Entities whose names a layout writes itself.
        locked: Names of entities that are not edited here.
        values: Parameters as they were last read, by module and name.
        pointer: Where the mouse points to on the floor [m], None = nowhere.
        following: Whether the camera goes with it.
        notes: What happened, the newest last.
        time: Of what is shown [s].
        history: What was seen.
        console: What was said.
        curves: What is plotted.
        keeping: How the run keeps up with real time.
        marks: What happened when.
        begin_beside: Starts a run that goes on from a recording, at a tick or its end; None = nobody can.
    """

    def __init__(self, link: ViewerLink) -> None:
        self.link = link
        self.editor, self._pending = Editor(link, self, self.note, self.choose), PendingInsertions()
        self.model, self.camera, self.layers = SceneModel(()), OrbitCamera(), Layers()
        self.rows = DrawList(self.model, SLACK)
        self.selected, self.following, self.time = "", False, 0.0
        self.hidden: set[str] = set()
        self.named_elsewhere: frozenset[str] = frozenset()
        self.notes: deque[str] = deque(maxlen=_NOTES)
        self.history, self.marks = History(), Marks()
        self.console = ConsoleModel(lambda: self.link)
        self.curves = Curves(self.history, lambda: self.link, lambda state: self._scenes.of(state, self.link.scene))
        self.keeping = TimeKeeping()
        self._watcher = RunWatcher(self.marks, self.console)
        self.time_control = TimeControl(lambda: self.link, self.history, self._report)
        self.begin_beside: Callable[[Path, int | None], None] | None = None
        self._scenes = KnownScenes()
        self._state: State | None = None
        self._kept_until, self._run = -1.0, 0
        self.locked: set[str] = set()
        self.chosen: tuple[str, ...] = ()
        self._wanted: tuple[str, ...] = ()
        self.values: dict[tuple[str, str], Value] = {}
        self.pointer: Floats | None = None
        self._traces = Traces(self.layers)
        self._shown_scene: SceneView | None = None
        self._shown_names: tuple[str, ...] = ()
        self._has_aimed, self._has_targets = False, True

    def update(self, now: float | None = None) -> None:
        """Take in what came; place everything."""
        self.link.deliver_answers()
        now = time.monotonic() if now is None else now
        self._remember()
        self.time_control.advance(now)
        change = self._found(now)
        state, scene = self._state, self.link.scene
        if state is not None and self.time_control.is_past:
            scene = self._scenes.of(state, scene)
        names, poses = change or ((), np.zeros((0, 7)))
        if scene is not None and (scene is not self._shown_scene or names != self._shown_names):
            self._shown_scene, self._shown_names = scene, names
            self.model = SceneModel(scene.entities, names, scene.joints)
            self.rows = DrawList(self.model, SLACK)
            self.choose(self._wanted)
        if change is not None:
            self.model.set_poses(poses)
            shine(self.model, live_lights(self._state))
            self.time = self._time()
        if self._has_targets != self.layers.targets:
            self._mark()
        self.rows.update()
        self._update_camera()
        if not self.time_control.is_past:
            self._traces.add(self.model)
        self._watcher.watch(self.link)
        history = self.editor.history
        self._pending.forget(self, history.refused_names, is_waiting=history.is_waiting)
        facts, robots = self.link.facts, len(self.model.robot_colors)
        self.keeping.pace(facts.mode, facts.real_time_factor, facts.step, robots)
        self.curves.update(now, self.time)

    def _found(self, now: float) -> tuple[tuple[str, ...], Floats] | None:
        """Return names and poses of what is shown."""
        if self.time_control.is_past:
            self._state = self.history.at(self.time_control.playhead)
            return self.history.poses_at(self.time_control.playhead)
        samples = tuple(self.link.samples)
        self._state = samples[-1].state if samples else self._state
        return played_out(samples, now)

    def _time(self) -> float:
        if self.time_control.is_past:
            return self.time_control.playhead
        return self._state.time if self._state is not None else self.time

    def _remember(self) -> None:
        """Keep what came since."""
        self._scenes.add(self.link.scene)
        for sample in tuple(self.link.samples):
            if sample.arrived > self._kept_until:
                self._kept_until = sample.arrived
                self.keeping.add(sample)
                self._keep(sample.state)

    def _keep(self, state: "State") -> None:
        times, run = self.history.times, state.raw.run
        is_reset = bool(times) and state.time < times[-1] - 1e-9 and self.link.facts.playback is None
        if is_reset or run != self._run:
            self.history.clear()
            self.marks.clear()
            self.time_control.is_following = True
            self.console.forget()
        if run != self._run:
            self._scenes.forget_all_but(self.link.scene)
        self._run = run
        if self.history.add(state):
            self._watcher.notice(state, self.link.sensors)

    @property
    def readings(self) -> "Readings | None":
        """Readings of everything in what is shown, None while that is not known."""
        try:
            return self._state.readings if self._state is not None else None
        except CoopsimError:
            return None  # robots came or went in this instant

    def note(self, text: str) -> None:
        """Keep a line for people."""
        self.notes.append(text)
        self.console.append("note", text)

    def attend(self, link: ViewerLink) -> None:
        """Show another run from now on."""
        self.link, self._shown_scene, self._has_aimed = link, None, False
        self.editor, self._pending = Editor(link, self, self.note, self.choose), PendingInsertions()
        self.model = SceneModel(())
        self.rows = DrawList(self.model, SLACK)
        self._traces.clear()
        self.hidden, self.locked, self.values = set(), set(), {}
        self.history.clear()
        self.marks.clear()
        self.curves.clear()
        self.console.forget()
        self.keeping, self._watcher = TimeKeeping(), RunWatcher(self.marks, self.console)
        self._scenes, self._state = KnownScenes(), None
        self.time_control = TimeControl(lambda: self.link, self.history, self._report)
        self._kept_until, self._run = -1.0, 0
        self.following = False
        self.choose(())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of everything there is."""
        return tuple(self.model.numbers)

    def value(self, target: str, name: str) -> Value | None:
        """Return the newest known value of a parameter, None = it is not known."""
        return self.values.get((target, name))

    @property
    def is_past(self) -> bool:
        """Whether another instant of a live run is shown than that which edits would change."""
        return self.time_control.is_past

    @property
    def obstacle(self) -> str:
        """Reason why nothing can be edited now, for people, "" = edits are possible."""
        return edit_obstacle(self.link.facts, is_past=self.is_past)

    @property
    def is_connected(self) -> bool:
        """Whether the run, or the replay, answers."""
        return self.link.facts.connection == "live"

    def forget(self, target: str, name: str) -> None:
        """Take the known value of a parameter for out of date."""
        self.values.pop((target, name), None)

    def entity(self, name: str) -> EntityRow | None:
        """Return an entity, None if it is gone."""
        number = self.model.numbers.get(name)
        return None if number is None else self.model.entities[number]

    def pose(self, name: str) -> Pose | None:
        """Return where an entity is, None if it is gone."""
        number = self.model.numbers.get(name)
        if number is None:
            return None
        x, y, z, w, i, j, k = self.model.entity_poses[number].tolist()
        return x, y, z, w, i, j, k

    def select(self, name: str) -> None:
        """Look at an entity; "" = at none."""
        self.choose([name] if name in self.model.numbers else ())

    def choose(self, names: Sequence[str]) -> None:
        """Select several entities; the last one is looked at."""
        self._wanted = tuple(dict.fromkeys(names))  # a team by its name stays chosen when its members change
        self.chosen = expanded(self._wanted, self.model.numbers)
        self.selected = self.chosen[-1] if self.chosen else ""
        self.following = self.following and bool(self.selected)
        self._mark()

    def lock(self, name: str, *, locked: bool) -> None:
        """Keep an entity from being edited here, or no more."""
        (self.locked.add if locked else self.locked.discard)(name)

    @property
    def editable(self) -> tuple[str, ...]:
        """Selected entities that may be edited."""
        rows = ((name, self.entity(name)) for name in self.chosen)
        return tuple(name for name, row in rows if row and row.kind != "floor" and name not in self.locked)

    def within(self, begin: tuple[float, float], end: tuple[float, float]) -> list[str]:
        """Return robots, objects and targets whose middles are seen between two pixels."""
        return between(self.model, self.camera, self.hidden, (begin, end))

    def hide(self, name: str, *, hidden: bool) -> None:
        """Draw an entity no more, or again."""
        (self.hidden.add if hidden else self.hidden.discard)(name)
        self._mark()

    def pick(self, x: float, y: float) -> str:
        """Return the name of what is seen at a pixel, "" = nothing but the floor."""
        return self.pick_point(x, y)[0]

    def pick_point(self, x: float, y: float) -> tuple[str, Floats]:
        """Return the name of what is seen at a pixel, and the place of its surface [m]; "" = nothing but the floor."""
        origin, direction = self.camera.ray(x, y)
        hit = pick(self.model, origin, direction)
        row = self.entity(hit.name) if hit else None
        if hit is None or row is None or row.kind == "floor":
            return "", origin
        return row.name, origin + hit.distance * direction

    def show_at(self, name: str, pose: Pose) -> None:
        """Draw an entity elsewhere than it is, until the next update."""
        number = self.model.numbers[name]
        shown = self.model.entity_poses[number : number + 1]
        rows = np.flatnonzero(self.model.entity == number)
        local = within(np.repeat(opposite(shown), len(rows), axis=0), self.model.poses[rows])
        self.model.put(rows, within(np.repeat(np.array([pose]), len(rows), axis=0), local))
        self.rows.update()

    def focus(self) -> None:
        """Go to the selected entity, or to where everything is seen."""
        pose, row = self.pose(self.selected), self.entity(self.selected)
        if pose is None or row is None:
            self.camera.show_all(self.model.corners())
        else:
            self.camera.centre = np.array([*pose[:2], pose[2] + row.size[2] / 2.0])
            self.camera.distance = 4.0 + 2.0 * max(row.size)

    def turn_camera_to(self, view: str) -> None:
        """Look at everything from one of `camera.VIEWS`."""
        self.following = False
        aim(self.camera, self.model, view)

    def toggle_play(self) -> None:
        """Let time go on, or stop it."""
        self.time_control.toggle_play()

    def step(self, count: int = 1) -> None:
        """Go one tick, or one record, on; below 0 back."""
        self.time_control.step(count)

    def set_speed(self, speed: float) -> None:
        """Set how many times as fast as a clock time goes."""
        self.time_control.set_speed(speed)

    def reset(self) -> None:
        """Put everything back as the file says."""
        self.link.call("/sim/world", "reset", then=self._report)

    def ask(self, target: str, command: str, *values: Value) -> None:
        """Send a request; what is refused is told."""
        self.link.call(target, command, *values, then=self._report)

    def seek(self, seconds: float) -> None:
        """Show another instant [s]."""
        self.time_control.seek(seconds)

    def continue_from_here(self) -> None:
        """Begin a run at the instant that is shown, beside this one."""
        self.note(continue_beside(self.link.facts.recording, self._state, self.time, self.begin_beside))

    def insert(self, what: str, at: Floats | None = None) -> None:
        """Insert something.

        Args:
            what: `object`, `robot`, `target` or `artifact` with a shape, type or colour; a shape alone is an object.
            at: On the floor [m]; None = where there is room, near the middle of the picture.
        """
        kind, _, name = what.rpartition(" ")
        if at is None:
            x, y = free_place(self.model, self.camera.centre[:2], kind or OBJECT, name, self._pending.places)
        else:
            x, y = round(float(at[0]), 2), round(float(at[1]), 2)
        taken = self._pending.names
        robots = len(self.model.robot_colors) + len(taken)
        self._pending.add(self.editor.insert_new(kind or OBJECT, name, (x, y, 0.0), robots, taken), (x, y))

    def duplicate(self) -> None:
        """Insert copies of what is selected."""
        self.editor.duplicate(self.editable, self.names)

    def delete(self) -> None:
        """Remove what is selected."""
        self.editor.remove(self.editable)

    def ribbons(self) -> NDArray[np.void]:
        """Return trails and what sensors measure as rows of `RIBBON`."""
        return self._traces.ribbons(self.model, self.link.sensors, self.readings, self.hidden)

    def _report(self, problem: Exception | None) -> None:
        if problem is not None:
            self.note(str(problem).partition("\n")[0])

    def _mark(self) -> None:
        self._has_targets = self.layers.targets
        self.rows.mark(frozenset(self.chosen), self.layers.unseen(self.model, self.hidden))

    def _aim_as_told(self) -> None:
        """Look from where the scene wants to be looked at; from where all is seen, if that cannot be."""
        words = self.link.facts.camera
        try:
            aim(self.camera, self.model, words or "iso")
        except BadArgument as problem:
            self.note(f"the camera of the scene: {problem}")
            aim(self.camera, self.model, "iso")
        if words in self.model.numbers:
            self.choose((words,))
            self.following = True

    def _update_camera(self) -> None:
        if not self._has_aimed and self.model.entities:
            self._has_aimed = True
            self._aim_as_told()
        elif self.following and self.selected in self.model.numbers:
            follow(self.camera, self.model, self.selected)
