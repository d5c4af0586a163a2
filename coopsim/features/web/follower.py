"""The follower of one run: keeps what pages must know of it, and tells its viewers what is new."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from coopsim.client import aio
from coopsim.client.endpoints import chosen_timeout
from coopsim.errors import CoopsimError, KeyRefused, MalformedMessage, NoReply, NoSuchName, SimulationEnded, WrongRun
from coopsim.features.laws.planning import FORMATIONS
from coopsim.features.matches.events import lobby_text
from coopsim.features.pictures.drawn_sensors import DrawnSensors, drawn_sensors
from coopsim.features.web.frames import FrameParts
from coopsim.features.web.insertions import offered
from coopsim.features.web.match_events import SECRET, MatchEvents
from coopsim.features.web.replies import standing_facts
from coopsim.features.web.scene_facts import SceneRows, SensorGroup, scene_facts, sensor_groups
from coopsim.geometry import Floats
from coopsim.interfaces import Value
from coopsim.message import ChannelEvent

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.aio import Client
    from coopsim.client.meshes import ServedMesh
    from coopsim.client.readings import Rows

PLAYBACK, CONTROLLERS = "/sim/playback", "/sim/controllers"
_STATUS_EVERY = 0.4
"""Interval at which the clock, or the playback, is asked [s]."""
_UNWATCHED = 0.1
"""Interval at which a run is looked at that nobody watches [s]: who comes sees it at once, and it costs little."""
_TRY_AGAIN = 0.5
"""Pause before a run is looked for again [s]."""
_PATIENCE = 3.0
"""How long a reply of the run may take, unless COOPSIM_TIMEOUT grants more [s]."""
_TOPICS = "/game/**", "/log/**"
"""Events that pages show: matches, and whatever programs log."""
_NOTHING: tuple[list[dict[str, Any]], Floats] = [], np.zeros(0)
"""Fields and readings of what is no robot."""


class FollowingViewer(Protocol):
    """Whoever is told what is new."""

    @property
    def pause(self) -> float:
        """Time between two frames that it wants [s]."""
        ...

    def send(self, kind: str, text: str) -> None:
        """Send a text; a newer one of this kind replaces one that waits still."""
        ...

    def send_line(self, text: str) -> None:
        """Send a text that nothing replaces."""
        ...

    def hear_secret(self, event: ChannelEvent) -> None:
        """Send a sealed line of a match, where it is for this one."""
        ...

    def show(self, frame: FrameParts) -> None:
        """Show a frame; a newer one replaces one that waits still."""
        ...

    async def flushed(self) -> None:
        """Return when no text waits any more."""
        ...


class RunFollower:
    """Follows a run, and the next one at its place.

    Args:
        endpoint: Where it answers, None = as usual.
        keys: Folder of the keys, where the run wants some.
        once: Whether to end with the run.
        note: Called with lines for people.

    Raises:
        BadArgument: COOPSIM_TIMEOUT is no number of seconds.

    Attributes:
        name: Of the endpoint, for lists.
        patience: How long a reply of the run may take [s].
        viewers: Whoever is told what is new.
        names: Of all that there is.
    """

    def __init__(
        self, endpoint: str | None, keys: Path | None, note: Callable[[str], None], *, once: bool = False
    ) -> None:
        self.endpoint, self.keys, self._once, self._note = endpoint, keys, once, note
        self.name, self.patience = endpoint or "here", max(_PATIENCE, chosen_timeout(None))
        self.viewers: set[FollowingViewer] = set()
        self.names: frozenset[str] = frozenset()
        self._sim: Client | None = None
        self._texts: dict[str, str] = {}
        self._state: State | None = None
        self._groups: tuple[SensorGroup, ...] = ()
        self._generation: tuple[int, int] | None = None
        self._frame: FrameParts | None = None
        self._meshes: dict[str, ServedMesh] = {}
        self._mesh_bytes: dict[str, bytes] = {}
        self._run_facts: dict[str, Any] = {}
        self._events: MatchEvents | None = None
        self._has_laws = False
        self._inspected: dict[str, tuple[list[dict[str, Any]], Floats]] = {}
        self._send_run("waiting")

    @property
    def sim(self) -> "Client":
        """The run.

        Raises:
            NoReply: There is none now.
        """
        if self._sim is None:
            raise NoReply("no simulation answers now; the page goes on when one does")
        return self._sim

    @property
    def summary(self) -> dict[str, Any]:
        """Facts of this run for a list of runs."""
        return {"name": self.name, **self._run_facts}

    def welcome(self, viewer: FollowingViewer) -> None:
        """Tell a viewer all that is known, and from now on what is new."""
        self.viewers.add(viewer)
        for kind, text in self._texts.items():
            viewer.send(kind, text)
        self.show_again(viewer)

    def show_again(self, viewer: FollowingViewer) -> None:
        """Show a viewer the newest frame once more, if there is one."""
        if self._frame is not None:
            viewer.show(self._frame)

    def inspected(self, robot: str) -> tuple[list[dict[str, Any]], Floats]:
        """Return the fields that a robot reads, and what it reads now, in their order; none of what is no robot."""
        if robot not in self._inspected:
            try:
                self._inspected[robot] = _fields(robot, self._state.readings[robot]) if self._state else _NOTHING
            except CoopsimError:
                self._inspected[robot] = _NOTHING
        return self._inspected[robot]

    async def mesh(self, content_hash: str) -> bytes:
        """Return the corners of the triangles of a mesh as floats, three corners of x y z each.

        Raises:
            CoopsimError: The run hands out none with this hash.
        """
        if content_hash not in self._mesh_bytes:
            mesh = next((mesh for mesh in self._meshes.values() if mesh.hash == content_hash), None)
            if mesh is None:
                raise NoReply("the run offers no mesh with this hash")
            triangles = np.asarray(await self.sim.mesh(mesh), "<f4")
            self._mesh_bytes[content_hash] = triangles.tobytes()
        return self._mesh_bytes[content_hash]

    def end(self) -> None:
        """Tell all viewers that nobody follows the run any more."""
        if self._run_facts["state"] != "ended":
            self._send_run("ended", reason="the page's server has ended")

    async def run(self) -> None:
        """Follow until it is cancelled, or, with `once`, until the run ends.

        Raises:
            KeyRefused: The run asks for keys that were not given.
        """
        while True:
            reason = "the run has ended"
            try:
                async with aio.connect(self.endpoint, timeout=self.patience, keys=self.keys) as sim:
                    await _alone(self._follow(sim))
            except KeyRefused:
                raise
            except (SimulationEnded, WrongRun):
                pass
            except CoopsimError as problem:
                reason = str(problem)
            if self._sim is not None:
                self._send_run("ended", reason=reason)
            elif self._run_facts["state"] != "ended":
                self._send_run("waiting", reason=reason)
            self._sim, self._state, self._generation, self._events = None, None, None, None
            self._inspected.clear()
            if self._once:
                return
            await asyncio.sleep(_TRY_AGAIN)

    async def _follow(self, sim: "Client") -> None:
        asked_at, due = -_STATUS_EVERY, time.monotonic()
        async with sim.stream(timeout=_STATUS_EVERY) as states, asyncio.TaskGroup() as tasks:
            events = tasks.create_task(self._pass_on_events(sim))
            try:
                while True:
                    try:
                        state = await states.latest()
                    except NoReply:  # time stands still, or the run is gone: asking tells which
                        state = self._state
                        await self._ask_status(sim)
                        continue
                    if state is None:
                        return
                    await self._pass_on(sim, state)
                    if time.monotonic() - asked_at >= _STATUS_EVERY:
                        asked_at = time.monotonic()
                        await self._ask_status(sim)
                    # the stream keeps the newest state alone: to read more of them than are shown costs as much again
                    due = max(
                        due + min((viewer.pause for viewer in self.viewers), default=_UNWATCHED), time.monotonic()
                    )
                    await asyncio.sleep(due - time.monotonic())
            finally:
                events.cancel()

    async def _pass_on(self, sim: "Client", state: "State") -> None:
        generation = (state.raw.run, state.raw.generation)
        if generation != self._generation:
            try:
                await self._learn(sim, state)
            except (MalformedMessage, NoSuchName):
                return  # robots came or went in this instant; the next state is taken
            is_new, self._generation = self._sim is None, generation
            self._sim = sim
            await self._introduce(sim)  # another scenario may have been loaded
            if is_new:
                self._note(f"shows {self._run_facts['scenario'] or 'a scene without a file'}, {self._robots} robots")
        self._state = state
        self._inspected.clear()
        self._frame = FrameParts(state, self._groups)
        for viewer in self.viewers:
            viewer.show(self._frame)

    async def _learn(self, sim: "Client", state: "State") -> None:
        """Ask what a new layout looks like, and tell it."""
        readings = state.readings
        sensors = {kind: await _sensors_of(sim, readings.of(kind)) for kind in readings.types}
        scene = await sim.scene()
        if scene.generation != state.raw.generation:
            raise MalformedMessage("the scene changed while it was read; ask again")
        self._groups = sensor_groups(state, sensors)
        self.names = frozenset(entity.name for entity in scene.entities)
        self._meshes = {mesh.file: mesh for mesh in await sim.meshes()}
        types = {name: kind for kind in readings.types for name in readings.of(kind).robots}
        rows = SceneRows(state.raw.generation, state.names, types, scene.entities, scene.joints)
        facts = scene_facts(rows, self._groups)
        facts["meshes"] = {file: mesh.hash for file, mesh in self._meshes.items() if mesh.hash}
        self._send("scene", facts)

    async def _introduce(self, sim: "Client") -> None:
        info = await sim.info()
        is_replay = PLAYBACK in await sim.names(PLAYBACK)
        self._has_laws = CONTROLLERS in await sim.names(CONTROLLERS)
        kept = ("scenario", "caption", "camera", "engine", "version")
        game = info.get("game")
        if game:
            game = {**game, "formations": list(FORMATIONS)}
        if game != self._run_facts.get("game") or self._events is None:
            self._events = MatchEvents(sim, game)
            self._texts.pop("lobby", None)
        self._robots = info.get("robots", 0)
        self._send_run(
            "live",
            replay=is_replay,
            run=info.get("run"),
            game=game,
            offered=offered(),
            **{key: info.get(key) for key in kept},
        )

    async def _ask_status(self, sim: "Client") -> None:
        status = await sim.clock.call("status")
        facts = {name: getattr(status, name) for name in ("mode", "paused", "time", "step", "speed", "awaited")}
        facts["real_time_factor"] = status.real_time_factor
        if self._run_facts.get("replay"):
            playback = await sim.module(PLAYBACK).call("status")
            names = ("playing", "time", "begin", "end", "speed", "looping")
            facts["playback"] = {name: getattr(playback, name) for name in names}
        self._send("clock", facts)
        status = (await sim.module(CONTROLLERS).call("status")).status if self._has_laws else "{}"
        self._send("standing", standing_facts(json.loads(status)))

    async def _pass_on_events(self, sim: "Client") -> None:
        with contextlib.suppress(CoopsimError):
            async with sim.listen(*_TOPICS) as events:
                while not events.is_over:
                    event = await events.hear(_STATUS_EVERY)
                    chosen = self._events
                    if chosen is None:
                        continue  # nobody knows yet whether it is a match
                    shown = await (chosen.waited() if event is None else chosen.shown(event))
                    for one_shown in shown:
                        self._pass_on_event(one_shown)

    def _pass_on_event(self, event: ChannelEvent) -> None:
        if news := lobby_text(event):
            self._send("lobby", {"text": news})
        if event.topic.startswith(SECRET):
            for viewer in self.viewers:
                viewer.hear_secret(event)
            return
        text = json.dumps({"what": "event", "topic": event.topic, "text": event.text})
        for viewer in self.viewers:
            viewer.send_line(text)

    @property
    def match_key(self) -> str:
        """Public key of the logic of a match, "" = nothing is secret."""
        return "" if self._events is None else self._events.key

    @property
    def is_match_key_told(self) -> bool:
        """Whether an order can be given as the logic of the match wants it: sealed, or in clear."""
        return self._events is not None and self._events.is_key_told

    def _send_run(self, state: str, **facts: Any) -> None:
        self._run_facts = {**({} if state == "live" else self._run_facts), "state": state, "reason": "", **facts}
        self._send("run", self._run_facts)

    def _send(self, kind: str, facts: Mapping[str, Any]) -> None:
        text = json.dumps({"what": kind, **facts}, separators=(",", ":"), default=_plain)
        if self._texts.get(kind) != text:
            self._texts[kind] = text
            for viewer in self.viewers:
                viewer.send(kind, text)


async def _alone(work: Coroutine[Any, Any, None]) -> None:
    """Await what tasks do together; of several that fail the first one's error is raised, as if it were alone."""
    try:
        await work
    except ExceptionGroup as group:
        raise group.exceptions[0] from None


async def _sensors_of(sim: "Client", rows: "Rows") -> DrawnSensors:
    """Return what can be drawn of the sensors of a type, as its first robot describes them."""
    robot = rows.robots[0]
    interfaces, values = {}, dict[tuple[str, str], Value]()
    for name in sorted(set(dir(rows)) - {"robots", "table"}):
        module = sim.module(f"/{robot}/{name}")
        interface = interfaces[name] = await module.interface
        if not {"count", "sector"} <= {parameter.name for parameter in interface.parameters}:
            continue
        for parameter in interface.parameters:
            try:
                values[name, parameter.name] = await module.get_parameter(parameter.name)
            except NoReply:
                raise
            except CoopsimError:  # a recording without key frames does not tell
                values[name, parameter.name] = parameter.default
    return drawn_sensors(interfaces, lambda module, name: values[module, name])


def _fields(robot: str, row: "Rows") -> tuple[list[dict[str, Any]], Floats]:
    fields, values = [], []
    for module in sorted(set(dir(row)) - {"robots", "table"}):
        readings = getattr(row, module)
        for field in dir(readings):
            value = np.atleast_1d(np.asarray(getattr(readings, field), float)).ravel()
            fields.append({"robot": robot, "module": module, "field": field, "length": int(value.size)})
            values.append(value)
    return fields, np.concatenate([np.zeros(0), *values])


def _plain(value: Any) -> Any:
    """Return what JSON can hold of a reading."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
