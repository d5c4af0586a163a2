"""The viewer's connection to a run or a replay: a client in a thread of its own; no picture waits for it."""

import json
import logging
import os
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from coopsim.client import connect
from coopsim.client.endpoints import PATIENCE_VARIABLE, chosen_timeout
from coopsim.errors import CoopsimError, MalformedMessage, NoReply, SimulationEnded
from coopsim.features.desktop.gateway_status import GatewayFacts, ask_gateways, expected_gateways
from coopsim.features.desktop.live_arrays import RunExtras, formations_of, types_of
from coopsim.features.desktop.marks import Mark
from coopsim.features.desktop.playback_facts import PLAYBACK, PlaybackFacts, ask_playback, is_elsewhere
from coopsim.features.desktop.renderer_choice import asked_renderers
from coopsim.features.desktop.sensor_sources import sensors_of
from coopsim.features.desktop.served_meshes import ServedMeshes
from coopsim.features.desktop.server_marks import CommandCounter, RecordedMarks
from coopsim.features.matches.sealing import SealedTalk
from coopsim.features.matches.stream import MatchStream
from coopsim.features.pictures.drawn_sensors import DrawnSensors
from coopsim.state import TypeLayout
from coopsim.suggest import printable

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.client.link import LinkSource
    from coopsim.client.scene import SceneView
    from coopsim.client.stream_base import State
    from coopsim.message import ChannelEvent
    from coopsim.metrics import Formation

_log = logging.getLogger(__name__)
Connection: TypeAlias = Literal["connecting", "live", "lost"]
CONTROLLERS = "/sim/controllers"
_RECORDER = "/sim/recorder"
_TOLD = ("scenario", "caption", "camera", "engine")
_T = TypeVar("_T")
_PATIENCE = 1.0  # s; a window that waits longer seems dead, unless COOPSIM_TIMEOUT grants more
_POLL = 0.03  # s; two images of a slow screen
_STATUS_EVERY = 0.4  # s; numbers that change faster cannot be read
_RETRY = 0.5  # s; a restarted server is found at once by human standards
# the newest; events are dropped only if the window stands still
_KEPT, _MOST_EVENTS = 16, 4096


@dataclass(frozen=True, slots=True)
class StateSample:
    """A state, and when it came.

    Attributes:
        state: Bodies and readings of one tick.
        arrived: By the monotonic clock [s].
    """

    state: "State"
    arrived: float


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts of a run that is shown.

    Attributes:
        connection: Whether a server answers.
        problem: Why none does, for people.
        playback: None = it is no recording.
        recording: File that is shown, or written now; "" = none.
        caption: What happens in the scene, as its file says.
        camera: From where it wants to be looked at (`aiming.aim`); "" = it does not say.
        renderers: Renderer that a client asked for, and the one that the file of the scene says; "" = none.
        game: Who plays with which robots, None = it is no match.
        gateways: To programs of other middlewares.
        standing: Control laws, goals and end, as `/sim/controllers` tells them; {} = it has no such module.
    """

    connection: Connection = "connecting"
    problem: str = ""
    scenario: str = ""
    caption: str = ""
    camera: str = ""
    engine: str = ""
    renderers: tuple[str, str] = ("", "")
    mode: str = ""
    paused: bool = False
    speed: float = 1.0
    real_time_factor: float = 0.0
    step: float = 0.01
    playback: PlaybackFacts | None = None
    recording: str = ""
    game: Mapping[str, Any] | None = None
    gateways: tuple[GatewayFacts, ...] = ()
    standing: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ending(self) -> Mapping[str, Any] | None:
        """Reason and time of the run's end, None = it goes on, or nobody knows."""
        return self.standing.get("end")


@dataclass(frozen=True, slots=True)
class _Request:
    work: Callable[["Client"], Any]
    then: Callable[[Any], None] | None
    failed: Callable[[CoopsimError], None] | None


class ViewerLink:
    """Follows a run, asks it for changes, and comes back to it when it was lost.

    Args:
        endpoint: Where it answers, None = the usual place; a server in this process, too.
        keys: Folder with our keys, where the server wants some.
        locate: Waits in the thread of the link until it is known where it answers; None = `endpoint` says it.

    Attributes:
        facts: How the run goes.
        scene: What there is; None = it is not known yet.
        samples: The newest states, the last one last.
        sensors: What can be drawn of the sensors of each robot type.
        names: Of all modules.
        clock: The newest status of the clock, None = none came yet.
        commanded: Robots with begin and end of when they were commanded [s], to be taken out.
        happened: What is known to have happened in a recording, to be taken out.
        events: Of a match, to be taken out.
        talk: Seals orders of a match, None = nothing does.
        meshes: That everything is drawn with, as the server hands them out.
    """

    def __init__(
        self,
        endpoint: "str | LinkSource | None",
        keys: str | None = None,
        locate: "Callable[[], str | LinkSource] | None" = None,
    ) -> None:
        self._source, self._keys, self._locate = endpoint, keys, locate
        self.endpoint = _server_location(endpoint)
        self.facts, self.samples = RunFacts(), deque[StateSample](maxlen=_KEPT)
        self.scene: SceneView | None = None
        self.sensors: dict[str, DrawnSensors] = {}
        self._types: dict[str, TypeLayout] = {}
        self._formations: tuple[Formation, ...] = ()
        self._described, self._is_other_game, self._has_laws = -1, False, False
        self._gateways: tuple[str, ...] = ()
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._answers: deque[Callable[[], None]] = deque()
        self.clock: Any = None
        self.commanded: deque[tuple[str, float, float]] = deque()
        self.happened: deque[Mark] = deque()
        self.events: deque[ChannelEvent] = deque(maxlen=_MOST_EVENTS)
        self.talk: SealedTalk | None = None
        self.names: tuple[str, ...] = ()
        self.meshes = ServedMeshes()
        self._logged: set[str] = set()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="viewer link", daemon=True)
        self._thread.start()

    def call(
        self, target: str, command: str, *values: Any, then: Callable[[CoopsimError | None], None] | None = None
    ) -> None:
        """Send a request soon.

        Args:
            target: Name of the module.
            command: Of the module.
            values: That the command takes.
            then: Called by `deliver_answers`, with what went wrong or None.
        """
        self.ask(
            lambda simulation: getattr(simulation.module(target), command)(*values),
            then=None if then is None else lambda _: then(None),
            failed=then,
        )

    def ask(
        self,
        work: Callable[["Client"], _T],
        *,
        then: Callable[[_T], None] | None = None,
        failed: Callable[[CoopsimError], None] | None = None,
    ) -> None:
        """Have something done with the client soon.

        Args:
            work: Asks for what it wants, in the thread of the link.
            then: Called by `deliver_answers`, with what `work` returned.
            failed: Called by `deliver_answers`, with what went wrong.
        """
        self._requests.put(_Request(work, then, failed))

    def deliver_answers(self) -> None:
        """Call back those whose requests were answered since."""
        while self._answers:
            try:
                self._answers.popleft()()
            except Exception as problem:  # what a server answered may be anything
                self.facts = replace(self.facts, problem=str(self._unforeseen("showing an answer", problem)))

    @property
    def extras(self) -> RunExtras:
        """Data that metrics need besides states."""
        clock = self.clock
        late = (0.0, 0.0) if clock is None else (float(clock.overruns), float(clock.max_lateness))
        return RunExtras(self._types, self._formations, *late)

    def close(self) -> None:
        """Stop following; the run goes on."""
        self._closing.set()
        self._thread.join(5.0)

    # in the thread

    def _follow(self) -> None:
        while not self._closing.is_set():
            try:
                if self._locate is not None:
                    self._source = self._locate()
                    self.endpoint, self._locate = _server_location(self._source), None
                with connect(self._source, timeout=_patience(), keys=self._keys) as simulation:
                    self._attend(simulation)
            except CoopsimError as problem:
                self._lose(problem)
                self._closing.wait(_RETRY)
            except Exception as problem:  # what a server answers may be anything; the window says so, and asks again
                self._lose(self._unforeseen("following the run", problem))
                self._closing.wait(_RETRY)

    def _unforeseen(self, what: str, problem: Exception) -> MalformedMessage:
        """Return in words what answers of a server led to; the log has the first trace of each kind."""
        kind = f"{what} failed: {type(problem).__name__}"
        if kind not in self._logged:
            self._logged.add(kind)
            trace = printable("".join(traceback.format_exception(problem)))
            _log.warning("%s\n%s", kind, trace)
        return MalformedMessage(printable(f"{kind}: {str(problem)[:200]}"))

    def _lose(self, problem: CoopsimError) -> None:
        text = str(problem).partition("\n")[0]
        self.facts = replace(self.facts, connection="lost", problem=text)
        while not self._requests.empty():
            self._refuse(self._requests.get(), problem)

    def _attend(self, simulation: "Client") -> None:
        info = simulation.info()
        is_replay = PLAYBACK in simulation.names(PLAYBACK)
        counter = CommandCounter(self.commanded, lambda: self._described)
        marks_reader = RecordedMarks(self.happened, self.commanded) if is_replay else counter
        scenario, caption, camera, engine = (str(info.get(name, "")) for name in _TOLD)
        game = info.get("game")
        self.facts = RunFacts(scenario=scenario, caption=caption, camera=camera, engine=engine, game=game)
        self._formations = formations_of(info.get("teams"))
        self.samples.clear()
        self._described, self._is_other_game = -1, False
        self._has_laws = CONTROLLERS in simulation.names(CONTROLLERS)
        self._gateways = expected_gateways(info)
        scene = simulation.scene()
        self._ask_status(simulation, is_replay=is_replay)
        self._show(simulation, scene)
        due = time.monotonic() + _STATUS_EVERY
        with simulation.stream() as stream, _listening(simulation, game) as connection:
            self.talk = None if connection is None else connection.talk
            while not (self._closing.is_set() or self._is_other_game):
                self._carry_out(simulation)
                self.meshes.advance(simulation)
                marks_reader.read(simulation)
                while connection is not None and (event := connection.hear(0.0)) is not None:
                    self.events.append(event)
                if time.monotonic() >= due:
                    self._ask_status(simulation, is_replay=is_replay)
                    due = time.monotonic() + _STATUS_EVERY
                try:
                    state = stream.latest(timeout=_POLL)
                except NoReply:
                    continue  # time stands still, or the server is gone: its status will say so
                if state is None:
                    raise SimulationEnded("the run has ended")
                if is_replay and is_elsewhere(self.samples[-1].state if self.samples else None, state):
                    due = 0.0  # what is told of its line may be of before
                self._receive_state(simulation, state)
            self._carry_out(simulation)  # what was asked for last: a seat is given back

    def _receive_state(self, simulation: "Client", state: "State") -> None:
        if self.scene is None or self.scene.generation != state.raw.generation:
            self._show(simulation, simulation.scene())
        if self._described != state.raw.generation:
            self._described, self.sensors = state.raw.generation, sensors_of(simulation, state)
            self._types, self.names = types_of(simulation), simulation.names()
            self.receive_scene(simulation)
        self.samples.append(StateSample(state, time.monotonic()))

    def receive_scene(self, simulation: "Client") -> None:
        """Take over what is said of a scene that was loaded, or saved under a name; called in the link's thread."""
        info = simulation.info()
        scenario, caption, camera, engine = (str(info.get(name, "")) for name in _TOLD)
        self._formations = formations_of(info.get("teams"))
        self._is_other_game = info.get("game") != self.facts.game
        self.facts = replace(self.facts, scenario=scenario, caption=caption, camera=camera, engine=engine)

    def _show(self, simulation: "Client", scene: "SceneView") -> None:
        self.scene = scene
        self.meshes.follow(scene)
        self.meshes.advance(simulation)

    def _ask_status(self, simulation: "Client", *, is_replay: bool) -> None:
        status = self.clock = simulation.module("/sim/clock").status()
        playback, recording = ask_playback(simulation) if is_replay else (None, _written(simulation))
        self.facts = replace(
            self.facts,
            connection="live",
            problem="",
            mode=str(status.mode),
            paused=bool(status.paused),
            speed=status.speed,
            real_time_factor=status.real_time_factor,
            step=status.step,
            playback=playback,
            recording=recording,
            renderers=asked_renderers(simulation),
            gateways=ask_gateways(simulation, self._gateways),
            standing=json.loads(simulation.module(CONTROLLERS).status().status) if self._has_laws else {},
        )

    def _carry_out(self, simulation: "Client") -> None:
        while not self._requests.empty():
            request = self._requests.get()
            try:
                answer = request.work(simulation)
            except NoReply as problem:
                self._refuse(request, problem)
                raise
            except CoopsimError as problem:
                self._refuse(request, problem)
            except Exception as problem:
                self._refuse(request, self._unforeseen("a request", problem))
            else:
                if request.then is not None:
                    self._answers.append(partial(request.then, answer))

    def _refuse(self, request: _Request, problem: CoopsimError) -> None:
        if request.failed is not None:
            self._answers.append(partial(request.failed, problem))


def _patience() -> float:
    """Return how long a reply of the run may take [s]."""
    return max(_PATIENCE, chosen_timeout(None if os.environ.get(PATIENCE_VARIABLE) else _PATIENCE))


def _server_location(source: "str | LinkSource | None") -> str | None:
    """Return what people call the place where a server answers, None = the usual one."""
    return source if isinstance(source, str) or source is None else "this process"


@contextmanager
def _listening(simulation: "Client", game: Mapping[str, Any] | None) -> "Iterator[MatchStream | None]":
    """Yield the events of a match, None where there is none."""
    if game is None:
        yield None
        return
    with MatchStream(simulation, game) as events:
        yield events


def _written(simulation: "Client") -> str:
    """Return the file that a run is recorded to, "" = none."""
    if _RECORDER not in simulation.names(_RECORDER):
        return ""
    status = simulation.module(_RECORDER).status()
    return str(status.file) if status.recording else ""
