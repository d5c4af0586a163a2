"""A viewer: one browser, what it is sent as fast as it takes it, and what it asks for as far as its link permits."""

import asyncio
import base64
import contextlib
import json
import math
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from websockets.asyncio.server import ServerConnection, broadcast
from websockets.exceptions import ConnectionClosed

from coopsim.client import aio
from coopsim.errors import BadArgument, CoopsimError, NoReply, NotAllowed
from coopsim.features.matches.sealing import ORDERS
from coopsim.features.web.follower import RunFollower
from coopsim.features.web.frames import FrameParts
from coopsim.features.web.insertions import section_of
from coopsim.features.web.links import WATCH, Permission
from coopsim.features.web.managing import PageManagers
from coopsim.features.web.match_events import EVENTS, PUBLISH, MatchSecrets
from coopsim.features.web.replies import parameter_facts, plain, scene_choices, words_of
from coopsim.geometry import Floats
from coopsim.interfaces import Effect
from coopsim.interfaces.common import COMMON

if TYPE_CHECKING:
    from coopsim.client.aio import Client
    from coopsim.interfaces import Interface
    from coopsim.message import ChannelEvent

_MOST_LINES = 200
"""Lines that wait for a slow browser; older ones are left out."""
_FASTEST, _USUAL = 60.0, 30.0
"""Frames per second, at most and unless the page says otherwise."""
_MOST_INSPECTED = 8
"""Robots whose readings a page draws at once; more curves nobody can tell apart."""
_PATIENCE = 5.0
"""How long a reply to what a browser asks may take, unless the follower of the run waits longer [s]."""
_EARLY = 0.1
"""Share of the time between two frames by which one may come early: states come when they come, and timers cost."""
_LOOK_AGAIN = 0.01
"""Pause before it is looked whether a slow browser takes the next frame [s]."""
_KEY_WITHIN = 4.0
"""How long an order waits for the key of a match, which its logic tells every 2 s of simulated time [s]."""
_FLUSH_EVERY = 0.01
"""Interval at which it is looked whether the last texts are sent [s]."""
_MANAGED: Final = (
    *("laws", "start-law", "stop-laws", "law-orders", "drive"),
    *("team", "put-team", "load-team", "renamed", "resized"),
)
"""Requests of the managers."""
_REQUESTS: Final = (
    *("watch", "call", "explain", "set", "modules", "claim", "release", "section", "image", "scenes"),
    *_MANAGED,
)
_WORLD: Final = "/sim/world"
_NUMBERS: Final = {number.name: number for number in COMMON}


class WebViewer:
    """The connection of one browser.

    It gets the newest frame and the newest facts when it is ready for them, so one that is slow delays nobody and holds
    no memory. What it commands goes through a connection of its own to the run: it owns what it drives, and its robots
    are free when it goes.

    Args:
        socket: Of the browser.
        follower: The run that it watches.
        permission: Of the link that it came by.

    Attributes:
        pause: Time between two frames that it wants [s].
    """

    def __init__(self, socket: ServerConnection, follower: RunFollower, permission: Permission) -> None:
        self._socket, self._follower, self._permission = socket, follower, permission
        self._patience = max(_PATIENCE, follower.patience)
        self._texts: dict[str, str] = {}
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._frame: FrameParts | None = None
        self._is_news = asyncio.Event()
        self._rays, self.pause = False, 1.0 / _USUAL
        self._robots: tuple[str, ...] = ()
        self._shown_at, self._is_writing = -math.inf, False
        self._timer: asyncio.Handle | None = None
        self._told_fields: list[dict[str, Any]] | None = None
        self._own: Client | None = None
        self._own_beside: Client | None = None
        self._secrets = MatchSecrets()

    def send(self, kind: str, text: str) -> None:
        """Send a text; a newer one of this kind replaces one that waits still."""
        self._texts.pop(kind, None)
        self._texts[kind] = text
        self._is_news.set()

    def send_line(self, text: str) -> None:
        """Send a text that nothing replaces."""
        self._lines.append(text)
        self._is_news.set()

    def hear_secret(self, event: "ChannelEvent") -> None:
        """Send a sealed line of a match, where it is for this browser."""
        if line := self._secrets.line(event, self._follower.match_key):
            self.send_line(line)

    def show(self, frame: FrameParts) -> None:
        """Show a frame; a newer one replaces one that waits still."""
        self._frame = frame
        self._offer(0.0)

    async def flushed(self) -> None:
        """Return when no text waits any more."""
        while self._texts or self._lines:
            await asyncio.sleep(_FLUSH_EVERY)

    async def serve(self) -> None:
        """Serve until the browser goes."""
        self._follower.welcome(self)
        writing = asyncio.create_task(self._write())
        writing.add_done_callback(self._end)
        try:
            async for words in self._socket:
                self.send_line(json.dumps(await self._answer(words), default=plain))
        except ConnectionClosed:
            pass
        finally:
            self._follower.viewers.discard(self)
            writing.cancel()
            if self._timer is not None:
                self._timer.cancel()
            await self._give_back()
            with contextlib.suppress(asyncio.CancelledError, ConnectionClosed):
                await writing

    def _end(self, writing: "asyncio.Task[None]") -> None:
        """End the connection where nothing can be sent any more, so that the page connects anew."""
        if not writing.cancelled() and writing.exception() is not None:
            self._socket.transport.abort()

    # to the browser

    async def _write(self) -> None:
        """Send texts; frames go out between them."""
        while True:
            await self._is_news.wait()
            self._is_news.clear()
            self._is_writing = True
            while self._texts or self._lines:
                # facts come before the frames that they explain
                text = self._texts.pop(next(iter(self._texts))) if self._texts else self._lines.popleft()
                await self._socket.send(text)
            self._is_writing = False
            self._offer(0.0)

    def _offer(self, least: float) -> None:
        """Send the newest frame when it is due, and in no less than so many seconds.

        No task is woken for a frame: with thirty viewers that took more than all else.
        """
        if self._timer is None:
            wait = max(least, self._shown_at + self.pause - time.monotonic())
            loop = asyncio.get_running_loop()
            # not at once: what fails here must not fail in whoever follows the run for all
            is_due = wait <= _EARLY * self.pause
            self._timer = loop.call_soon(self._send_frame) if is_due else loop.call_later(wait, self._send_frame)

    def _send_frame(self) -> None:
        """Send the newest frame, unless texts go first, or the browser has not taken the one before."""
        self._timer = None
        if self._frame is None or self._is_writing or self._texts:
            return  # texts are followed by the frame
        if self._socket.transport.get_write_buffer_size():
            self._offer(_LOOK_AGAIN)
            return
        readings = self._readings()
        if self._texts:
            return
        frame, self._frame, self._shown_at = self._frame, None, time.monotonic()
        broadcast([self._socket], frame.packed(rays=self._rays, readings=readings))

    def _readings(self) -> Floats:
        """Return what the inspected robots read; before it, tell the page anew what the numbers are."""
        if not self._robots:
            return np.zeros(0)
        inspected = [self._follower.inspected(robot) for robot in self._robots]
        fields = [field for robot_fields, _ in inspected for field in robot_fields]
        if fields != self._told_fields:
            self._told_fields = fields
            self.send("fields", json.dumps({"what": "fields", "fields": fields}))
        return np.concatenate([values for _, values in inspected])

    # from the browser

    async def _answer(self, words: str | bytes) -> dict[str, Any]:
        """Return the answer to a request."""
        number: Any = None
        try:
            request = json.loads(words)
            number = request["id"]
            async with asyncio.timeout(10.0 * self._patience):
                return {"what": "reply", "id": number, "values": await self._do(request)}
        except CoopsimError as problem:
            cure = getattr(problem, "cure", "")
            return {"what": "reply", "id": number, "error": str(problem), "code": problem.code, "cure": cure}
        except TimeoutError:
            return {"what": "reply", "id": number, "error": "the run did not answer in time", "code": 0, "cure": ""}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            text = f"expected a request as the page sends them; {type(problem).__name__}: {problem}"
            return {"what": "reply", "id": number, "error": text[:500], "code": 0, "cure": ""}

    async def _do(self, request: dict[str, Any]) -> Any:
        match request["do"]:
            case "watch":
                return self._watch(request)
            case "call":
                return await self._call(str(request["target"]), request["command"], list(request["values"]))
            case "explain":
                return await self._describe(str(request["target"]))
            case "set":
                name, value = str(request["name"]), request["value"]
                return await self._set(str(request["target"]), name, value)
            case "modules":
                return await self._modules(str(request["robot"]))
            case "claim" | "release" as verb:
                return await self._own_robot(verb, str(request["robot"]))
            case "section":
                kind, name, place = str(request["kind"]), str(request["name"]), request["place"]
                return section_of(kind, name, self._follower.names, place)
            case "image":
                return await self._image(str(request["target"]))
            case "scenes":
                await self._owner_for(_WORLD, "load")
                return await asyncio.to_thread(scene_choices, Path.cwd())
            case managed if managed in _MANAGED:
                manager = PageManagers(self._follower.sim, self._follower.names, self._owner_for)
                return await manager.answer(managed, request)
            case unknown:
                raise BadArgument(f"a page asks for {', '.join(_REQUESTS)}; not for {unknown!r:.60}")

    def _watch(self, request: dict[str, Any]) -> None:
        rate = float(request.get("rate", _USUAL))
        if not 0.0 < rate <= _FASTEST:
            raise BadArgument(f"frames per second lie above 0 and within {_FASTEST:g}, got {rate:g}")
        robots = request.get("robots") or []
        if not isinstance(robots, list) or len(robots) > _MOST_INSPECTED:
            raise BadArgument(f"a page asks for the readings of a list of at most {_MOST_INSPECTED} robots")
        self._rays, self._robots = bool(request.get("rays")), tuple(dict.fromkeys(map(str, robots)))
        self.pause, self._told_fields = 1.0 / rate, None
        self._follower.show_again(self)  # while time stands still no other frame would come

    async def _call(self, target: str, command: str | int, values: list[Any]) -> Any:
        interface = await self._follower.sim.module(target).interface
        wanted = interface.command(command)
        sim = await self._permitted(target, interface, wanted)
        is_event = bool(values) and (target, wanted.name) == (EVENTS, PUBLISH)
        if is_event and str(values[0]).startswith(ORDERS):
            await self._wait_for_key()
        if is_event and (key := self._follower.match_key):
            return await sim.publish_all([(topic, text, ()) for topic, text in self._secrets.sealed(values, key)])
        return words_of(await sim.module(target).call(wanted.number, *values))

    async def _wait_for_key(self) -> None:
        """Return when the logic of a match has said how it wants orders: before, all would read them.

        Raises:
            NoReply: It says nothing.
        """
        for _ in range(round(_KEY_WITHIN / _LOOK_AGAIN)):
            if self._follower.is_match_key_told:
                return
            await asyncio.sleep(_LOOK_AGAIN)
        raise NoReply(
            f"no logic of a match said within {_KEY_WITHIN:g} s how it hears orders in secret, so that none was given;"
            " give it again when the match goes on"
        )

    async def _set(self, target: str, name: str, value: Any) -> Any:
        interface = await self._follower.sim.module(target).interface
        sim = await self._permitted(target, interface, _NUMBERS["set_parameter"])
        return await sim.module(target).set_parameter(name, value)

    async def _permitted(self, target: str, interface: "Interface", command: Any) -> "Client":
        """Return the connection that a command takes.

        Raises:
            NotAllowed: The viewer's link does not permit it.
        """
        _check(self._permission.refusal(target, interface, command))
        is_reading = command.effect in (Effect.READ, Effect.SERVE) and target.startswith("/sim/")
        is_reading &= (target, command.name) != (EVENTS, PUBLISH)  # who speaks is told apart by its connection
        return self._follower.sim if is_reading or self._permission.role == WATCH else await self._own_client()

    async def _owner_for(self, target: str, command: str) -> "Client":
        """Return the connection that carries out a command by its name; see `_permitted`."""
        interface = await self._follower.sim.module(target).interface
        return await self._permitted(target, interface, interface.command(command))

    async def _own_client(self) -> "Client":
        """Return the viewer's own connection to the run that is followed now."""
        shared = self._follower.sim
        if self._own_beside is not shared:
            await self._give_back()  # of a run that is over
        self._own_beside = shared
        if self._own is None:
            self._own = await aio.connect(self._follower.endpoint, timeout=self._patience, keys=self._follower.keys)
        return self._own

    async def _describe(self, target: str) -> dict[str, Any]:
        """Return commands and parameters of a module, with the values that are in force."""
        sim = self._follower.sim
        interface = await sim.module(target).interface
        parameters = [
            parameter_facts(parameter, await _value(sim, target, parameter.name)) for parameter in interface.parameters
        ]
        commands = [
            {
                "name": command.name,
                "summary": command.summary,
                "takes": [{"name": field.name, "unit": field.unit} for field in command.takes],
                "permitted": not self._permission.refusal(target, interface, command),
            }
            for command in interface.commands
        ]
        fields = {field.name: field.unit for command in interface.commands for field in command.gives}
        facts = {"kind": interface.kind, "summary": interface.summary, "units": fields}
        return {**facts, "parameters": parameters, "commands": commands}

    async def _modules(self, robot: str) -> list[str]:
        prefix = f"/{robot}/"
        names = [name.removeprefix(prefix) for name in await self._follower.sim.names(prefix)]
        return [name for name in names if "/" not in name]  # not those of the members of a team

    async def _own_robot(self, verb: str, robot: str) -> None:
        """Claim a robot, so that nobody else commands it, or release it."""
        _check(self._permission.driving_refusal(robot))
        await (await self._own_client()).module("/sim/step").call(verb, robot)

    async def _image(self, target: str) -> str:
        """Return what a camera sees as a PNG file in base64."""
        return base64.b64encode(await self._follower.sim.module(target).call("png")).decode()

    async def _give_back(self) -> None:
        own, self._own = self._own, None
        if own is not None:
            await own.close()  # its robots are free then


def _check(refusal: str) -> None:
    if refusal:
        raise NotAllowed(refusal).advise("ask whoever runs the simulation for a link that permits it")


async def _value(sim: "Client", target: str, name: str) -> Any:
    try:
        return await sim.module(target).get_parameter(name)
    except CoopsimError:
        return None
