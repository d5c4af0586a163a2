"""A way in that is no part of coopsim, in one file: one JSON object per line on a Unix socket."""

import json
import select
import socket
from collections import deque
from dataclasses import replace
from pathlib import Path

from coopsim.message import Message, decode, encode
from coopsim.server.listener import Listener
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller


class JsonLines(Listener):
    """Requests and replies as JSON objects: target, command, params, data, id; replies have tick and error too."""

    def __init__(self, path: Path, modules: Modules, poller: Poller) -> None:
        self._modules, self._poller = modules, poller
        self._listen = socket.socket(socket.AF_UNIX)
        self._listen.bind(str(path))
        self._listen.listen()
        self._ends: dict[int, socket.socket] = {}
        self._sessions: dict[int, Session] = {}
        self._came: dict[int, bytes] = {}
        self._outbox: deque[tuple[Session, bytes]] = deque()

    @property
    def clients(self) -> int:
        return len(self._ends)

    def register(self, poller: Poller) -> None:
        poller.register(self._listen, select.EPOLLIN, self._accept)

    def flush(self) -> None:
        while self._outbox:
            self._send(*self._outbox.popleft())

    def close(self) -> None:
        self.flush()
        for end in self._ends.values():
            end.close()
        self._listen.close()

    def post(self, session: Session, raw: bytes) -> None:
        self._outbox.append((session, raw))
        self._poller.wake()

    def _accept(self, _descriptor: int, _events: int) -> None:
        end, _ = self._listen.accept()
        number = end.fileno()
        self._ends[number], self._came[number] = end, b""
        self._sessions[number] = Session(self, number, f"JSON client {number}")
        self._poller.register(end, select.EPOLLIN, self._receive)

    def _receive(self, number: int, _events: int) -> None:
        raw = self._ends[number].recv(4096)
        if not raw:
            self._drop(number)
            return
        *lines, self._came[number] = (self._came[number] + raw).split(b"\n")
        for line in lines:
            request = {key: tuple(load) if isinstance(load, list) else load for key, load in json.loads(line).items()}
            reply = self._modules.respond(encode(Message(**request)), self._sessions[number])
            if reply is not None:
                self._send(self._sessions[number], reply)

    def _send(self, session: Session, raw: bytes) -> None:
        reply = replace(decode(raw), data=list(decode(raw).data))
        shown = {name: getattr(reply, name) for name in ("params", "data", "tick", "error", "text", "id")}
        if session.route in self._ends:
            self._ends[session.route].sendall(json.dumps(shown).encode() + b"\n")

    def _drop(self, number: int) -> None:
        end = self._ends.pop(number)
        self._poller.unregister(end)
        end.close()
        self._modules.lost(self._sessions.pop(number))
