"""The codec of Foxglove: channels of readings, commands that its panels publish, parameters, services, playback."""

import asyncio
import contextlib
import json
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import foxglove
from foxglove import Channel, MessageSchema, Parameter, Schema, Service, ServiceSchema
from foxglove.websocket import Capability, PlaybackState, PlaybackStatus, ServerListener, StatusLevel, WebSocketServer

from coopsim.errors import BadArgument, CoopsimError, InternalError
from coopsim.features.gateways import services
from coopsim.features.gateways.codec import Codec, FollowedRun
from coopsim.features.gateways.foxglove.graph_reader import GraphReader
from coopsim.features.gateways.foxglove.guard import OriginGuard, app_link, hidden_address
from coopsim.features.gateways.foxglove.messages import GATEWAY, FoxgloveMessages, connection_graph
from coopsim.features.gateways.inbox import LoopInbox
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.node_parameters import NodeParameters
from coopsim.features.gateways.table import CLOCK_TOPIC, CLOCK_TYPE, TRANSFORMS_TOPIC

if TYPE_CHECKING:
    from coopsim.client import State

DEFAULT_PORT: Final = 8765
_SCENE_TOPIC, _TRAILS_TOPIC = "/scene", "/trails"
_TRAILS_EVERY: Final = 0.2
"""Simulated time between two messages of trails [s]: each has all points."""
_OWN_TOPICS: Final = (TRANSFORMS_TOPIC, _SCENE_TOPIC, _TRAILS_TOPIC)
_BACKLOG: Final = 256
"""Messages that wait for a slow program before the oldest goes."""
_QUEUE: Final = 10
_MOST_NOTES: Final = 20  # origins that are printed when they are refused: a page must not fill the terminal
_MOST_BYTES: Final = 1 << 20
_PATIENCE: Final = 5.0
"""How long a thread of the server waits for the run [s]."""
_ANYTHING: Final = Schema(name="json", encoding="jsonschema", data=b'{"type": "object"}')
_T = TypeVar("_T")


class FoxgloveCodec(Codec, ServerListener):
    """A server that the app of Foxglove connects to.

    Args:
        host: Address to listen at.
        port: 0 = a free one.
        origins: Web pages that may connect; none = pages of this machine and the app in a browser.
    """

    kind = "foxglove"

    def __init__(self, host: str, port: int, origins: Sequence[str] = ()) -> None:
        super().__init__()
        self._host, self._port = host, port
        self._refused_pages: set[str] = set()
        self._inner = hidden_address(), 0
        self._guard = OriginGuard(lambda: self._inner, origins, self._refuse_page)
        self._messages, self._graph_reader = FoxgloveMessages(), GraphReader()
        self._context = foxglove.Context()
        self._channels: dict[str, Channel] = {}
        self._commands: dict[tuple[int, int], str] = {}
        self._programs: dict[int, int] = {}
        self._subscribed: set[tuple[int, str]] = set()
        self._trails_due = 0.0
        self._server: WebSocketServer | None = None
        self._range: tuple[int, int] | None = None
        self._renewing: asyncio.Task[None] | None = None
        self._scene_due = True

    async def open(self, run: FollowedRun) -> str:
        """Listen from now on; return where."""
        self._run, self._loop = run, asyncio.get_running_loop()
        self._inbox = LoopInbox(self._loop, self.counts)
        self._parameters = NodeParameters(run, "")
        for topic, kind in (
            (TRANSFORMS_TOPIC, "FrameTransforms"),
            (_SCENE_TOPIC, "SceneUpdate"),
            (_TRAILS_TOPIC, "SceneUpdate"),
        ):
            self._channels[topic] = self._messages.channel(self._context, topic, kind)
        self._channels[CLOCK_TOPIC] = self._messages.channel(self._context, CLOCK_TOPIC, CLOCK_TYPE)
        await asyncio.to_thread(self._listen, None)
        self._port = await self._guard.open(self._host, self._port)
        run.note(f"the app: {app_link(self._host, self._port)}")
        return f"foxglove at ws://{self._host}:{self._port}"

    def _listen(self, shown: tuple[int, int] | None) -> None:
        """Begin a server; with playback control over the range of a recording [ns]."""
        if self._server is not None:
            self._server.stop()
        capabilities = [Capability.Time, Capability.ClientPublish, Capability.Parameters, Capability.Services]
        capabilities.append(Capability.ConnectionGraph)
        if shown is not None:
            capabilities.append(Capability.PlaybackControl)
        try:
            self._server = foxglove.start_server(
                name="coopsim",
                host=self._inner[0],
                port=0,
                capabilities=capabilities,
                server_listener=self,
                supported_encodings=["json"],
                services=[_service(name, kind.type, self._answer) for name, kind in services.SERVICES.items()],
                context=self._context,
                playback_time_range=shown,
                message_backlog_size=_BACKLOG,
            )
        except RuntimeError as problem:
            raise OSError(str(problem)) from None
        self._inner, self._range = (self._inner[0], self._server.port), shown

    async def close(self) -> None:
        """Part from all programs."""
        if self._renewing is not None:
            self._renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._renewing
        await self._guard.close()
        if hasattr(self, "_inbox"):
            await self._inbox.close()
        await self._graph_reader.close()
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)

    def changed(self) -> None:
        """Offer topics of robots that came, and leave those of robots that are gone."""
        if self._renewing is not None:
            self._renewing.cancel()
        self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        lasting = self._run.lasting
        offered = {name: topic.row.type for name, topic in self._run.offered.items()}
        offered |= {name: topic.type for name, topic in lasting.items()}
        for name in self._channels.keys() - offered.keys() - {*_OWN_TOPICS, CLOCK_TOPIC}:
            self._channels.pop(name).close()
        for name, kind in offered.items():
            if name not in self._channels:
                self._channels[name] = self._messages.channel(self._context, name, kind)
        self._scene_due = True
        for name in lasting:
            await self._publish_lasting(name)
        with contextlib.suppress(CoopsimError):
            shown = await self._shown_range()
            if shown != self._range:
                await self._graph_reader.close()
                await asyncio.to_thread(self._listen, shown)
                self._scene_due = True
            self._messages.note_looks(await self._run.sim.scene())
        if not self._graph_reader.is_subscribed:
            await self._graph_reader.open(*self._inner)
        await self._publish_graph()

    async def _shown_range(self) -> tuple[int, int] | None:
        """Return the range of the recording that is shown [ns], None = a run."""
        if not await self._run.sim.names("/sim/playback"):
            return None
        status = await self._run.sim.module("/sim/playback").call("status")
        return _nanoseconds(status.begin), _nanoseconds(status.end)

    def wants(self, topic: str) -> bool:
        """Return whether anybody reads a topic; time is told to all programs, and the scene with it."""
        if topic == CLOCK_TOPIC:
            return True
        channel = self._channels.get(topic)
        return channel is not None and channel.has_sinks()

    def publish(self, topic: str, kind: str, message: Words) -> None:
        """Send a message to all programs that read its topic."""
        now = _nanoseconds(self._run.time)
        if topic == CLOCK_TOPIC:
            self._publish_time(now)
            self._publish_trails(now)
        state: State | None = self._run.state
        if topic == TRANSFORMS_TOPIC and state is not None:
            raw = self._messages.transforms(state, message["transforms"], now)
        else:
            raw = self._messages.encoded(kind, message, topic.split("/")[1], now)
        self._channels[topic].log(raw, log_time=now)
        self.counts.sent += 1

    def _publish_time(self, now: int) -> None:
        if self._server is not None:
            self._server.broadcast_time(now)
        if self._scene_due and self._channels[_SCENE_TOPIC].has_sinks():
            self._scene_due = False
            self._inbox.put(_SCENE_TOPIC, self._publish_scene, 1)

    def _publish_trails(self, now: int) -> None:
        state = self._run.state
        if state is None:
            return
        self._messages.follow(state)
        is_due = not self._trails_due - _TRAILS_EVERY <= state.time < self._trails_due  # or time went back
        if is_due and self._channels[_TRAILS_TOPIC].has_sinks():
            self._trails_due = state.time + _TRAILS_EVERY
            self._channels[_TRAILS_TOPIC].log(self._messages.trails(now), log_time=now)

    async def _publish_graph(self) -> None:
        """Tell who publishes and reads what, to programs that draw it."""
        if self._server is None or not self._graph_reader.is_subscribed:
            return
        readers: dict[str, set[str]] = {}
        for client, topic in list(self._subscribed):
            readers.setdefault(topic, set()).add(f"program {client}")
        writers: dict[str, set[str]] = {}
        for (client, _), topic in list(self._commands.items()):
            writers.setdefault(topic, set()).add(f"program {client}")
        taken = {name: topic.robot for name, topic in self._run.command_topics.items()}
        graph = connection_graph(list(self._channels), taken, readers, writers)
        for name in services.SERVICES:
            graph.set_advertised_service(name, [GATEWAY])
        self._server.publish_connection_graph(graph)

    def _redraw_graph(self) -> None:
        self._inbox.put("graph", self._publish_graph, 1)

    async def _publish_lasting(self, topic: str) -> None:
        """Send a lasting message to all readers of its topic: one of them may be new."""
        lasting = self._run.lasting.get(topic)
        if lasting is not None and topic in self._channels:
            self.publish(topic, lasting.type, lasting.message)

    async def _publish_scene(self) -> None:
        with contextlib.suppress(CoopsimError):
            now = _nanoseconds(self._run.time)
            self._channels[_SCENE_TOPIC].log(self._messages.scene(await self._run.sim.scene(), now), log_time=now)

    # what programs ask, in threads of the server

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """Send the scene to a program that begins to look at it."""
        self._programs[client.id] = self._programs.get(client.id, 0) + 1
        self.counts.clients = len(self._programs)
        self._scene_due = self._scene_due or channel.topic == _SCENE_TOPIC
        self._subscribed.add((client.id, channel.topic))
        self._redraw_graph()
        if channel.topic in self._run.lasting:
            self._inbox.put(("lasting", channel.topic), partial(self._publish_lasting, channel.topic), 1)

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        """Count a program that looks at nothing any more."""
        self._subscribed.discard((client.id, channel.topic))
        self._redraw_graph()
        self._programs[client.id] = self._programs.get(client.id, 1) - 1
        if self._programs[client.id] <= 0:
            del self._programs[client.id]
        self.counts.clients = len(self._programs)

    def on_client_advertise(self, client: Any, channel: Any) -> None:
        """Learn on which topic a program will publish."""
        self._commands[client.id, channel.id] = channel.topic
        self._redraw_graph()

    def on_client_unadvertise(self, client: Any, client_channel_id: int) -> None:
        """Give back what a program commanded on a topic."""
        if self._commands.pop((client.id, client_channel_id), None) is not None:
            peer = client.id, client_channel_id
            self._inbox.put((peer, "parted"), partial(self._run.part, peer), 1)
            self._redraw_graph()

    def on_message_data(self, client: Any, client_channel_id: int, data: bytes) -> None:
        """Pass a command on."""
        peer = client.id, client_channel_id
        topic = self._commands.get(peer, "")
        if len(data) > _MOST_BYTES:
            self.counts.refused += 1
            self.complain(f"{topic}: a message of {len(data)} bytes is more than the {_MOST_BYTES} that one may have")
            return
        self._inbox.put(peer, partial(self._command, topic, bytes(data), peer), _QUEUE)

    def on_get_parameters(self, _client: Any, names: list[str], _request: str | None = None) -> list[Parameter]:
        """Return the parameters of devices, all where none are named."""
        return self._in_loop(self._values(names or list(self._parameters.names())))

    def on_set_parameters(self, _client: Any, wanted: list[Parameter], _request: str | None = None) -> list[Parameter]:
        """Set parameters of devices; return what they are now."""
        return self._in_loop(self._set(wanted))

    def on_playback_control_request(self, request: Any) -> PlaybackState | None:
        """Play, pause, seek, or change the speed of the recording that is shown."""
        return self._in_loop(self._control(request))

    def _in_loop(self, work: Coroutine[Any, Any, _T]) -> _T:
        done = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return done.result(_PATIENCE)
        except TimeoutError:
            done.cancel()
            raise InternalError(f"the run did not answer within {_PATIENCE:g} s") from None

    def _answer(self, name: str, request: Any) -> bytes:
        """Answer a request to a service."""
        self.counts.received += 1
        words = json.loads(request.payload or b"{}")
        response = self._in_loop(self._run.answer(name, services.arguments(words)))
        return json.dumps(response).encode()

    # in the loop

    async def _command(self, topic: str, data: bytes, peer: tuple[int, int]) -> None:
        self.counts.received += 1
        try:
            words = json.loads(data)
            if not isinstance(words, dict):
                raise BadArgument(f"expected a message, got {words!r:.60}")
            await self._run.command(topic, words, peer, partial(self._refuse, topic))
        except (CoopsimError, ValueError, RecursionError) as problem:
            self._refuse(topic, problem)

    def _refuse(self, topic: str, problem: Exception) -> None:
        self.counts.refused += 1
        self.complain(f"{topic}: {problem}")

    async def _values(self, names: list[str]) -> list[Parameter]:
        values = [(name, await self._parameters.native(name)) for name in names]
        return [Parameter(name, value=value) for name, value in values if value is not None]

    async def _set(self, wanted: list[Parameter]) -> list[Parameter]:
        for parameter in wanted:
            try:
                await self._parameters.set_native(parameter.name, parameter.get_value())
            except CoopsimError as problem:
                self.complain(f"{parameter.name}: {problem}")
        return await self._values([parameter.name for parameter in wanted])

    async def _control(self, request: Any) -> PlaybackState | None:
        playback = self._run.sim.module("/sim/playback")
        try:
            if request.seek_time is not None:
                await playback.call("seek", request.seek_time * 1e-9)
            await playback.call("speed", float(request.playback_speed))
            is_play = str(request.playback_command).endswith("Play")
            await playback.call("play" if is_play else "pause")
            status = await playback.call("status")
        except CoopsimError as problem:
            self.complain(str(problem))
            return None
        shown = PlaybackStatus.Playing if status.playing else PlaybackStatus.Paused
        did_seek = request.seek_time is not None
        return PlaybackState(shown, _nanoseconds(status.time), status.speed, did_seek, request.request_id)

    def _refuse_page(self, origin: str) -> None:
        self.counts.refused += 1
        if origin not in self._refused_pages and len(self._refused_pages) < _MOST_NOTES:
            self._refused_pages.add(origin)
            self._run.note(f"a page of {origin:.100} may not connect; --origin {origin:.100} permits it")

    def complain(self, text: str) -> None:
        """Say an error where the app shows those of its source."""
        if self._server is not None:
            self._server.publish_status(text, StatusLevel.Error)


def _service(name: str, kind: str, answer: Any) -> Service:
    side = MessageSchema(encoding="json", schema=_ANYTHING)
    return Service(name, schema=ServiceSchema(name=kind, request=side, response=side), handler=partial(answer, name))


def _nanoseconds(seconds: float) -> int:
    return max(0, round(seconds * 1e9))
