"""The server of pages as a process, and a stand-in for a browser that speaks with it."""

import contextlib
import json
import struct
from types import TracebackType
from typing import Any, Self

import numpy as np
from printing import LIMIT, PrintingProcess
from websockets.sync.client import connect

HEADER = struct.Struct("<dd6I")


class PageProcess(PrintingProcess):
    """`coopsim web ...` until the block ends."""

    def __init__(self, *arguments: str, port: int = 0) -> None:
        super().__init__("web", "--port", str(port), *arguments)

    def link(self, role: str) -> str:
        """Return the link of a role, `watch`, `edit`, `drive`, `drive robot1`."""
        return self.line(f"  {role}  " if " " in role else f"  {role} ").split()[-1]

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.link("watch").rstrip("/").rpartition(":")[2])


class Page:
    """A browser's half of the connection, as `sources.js` has it."""

    def __init__(self, link: str, run: int = 0, **more: Any) -> None:
        address, _, token = link.partition("#")
        self._ends = contextlib.ExitStack()
        connecting = connect(f"{address.replace('http', 'ws', 1)}live?run={run}", max_size=None, **more)
        self._socket = self._ends.enter_context(connecting)
        self._socket.send(json.dumps({"token": token}))
        self.number = 0
        self.frames: list[tuple[Any, ...]] = []
        self.news: dict[str, dict[str, Any]] = {}
        self.hello = self.receive("hello")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def receive(self, what: str) -> dict[str, Any]:
        """Return the next news of a kind."""
        while True:
            words = self._socket.recv(LIMIT)
            if isinstance(words, bytes):
                self.frames.append(unpacked(words))
                continue
            news = json.loads(words)
            self.news[news["what"]] = news
            if news["what"] == what:
                return dict(news)

    def frame(self) -> tuple[Any, ...]:
        """Return the next frame: head, poses, ranges, readings."""
        while True:
            words = self._socket.recv(LIMIT)
            if isinstance(words, bytes):
                return unpacked(words)

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return its reply."""
        self.number += 1
        self.send(json.dumps({"id": self.number, **request}))
        while (reply := self.receive("reply"))["id"] != self.number:
            pass
        return reply

    def call(self, target: str, command: str, *values: Any) -> dict[str, Any]:
        """Call a command and return the reply."""
        return self.ask(do="call", target=target, command=command, values=values)

    def send(self, words: str | bytes) -> None:
        """Send what may be anything."""
        self._socket.send(words)


def unpacked(frame: bytes) -> tuple[Any, ...]:
    """Return a frame's head, poses, ranges and readings."""
    head = HEADER.unpack_from(frame)
    numbers = np.frombuffer(frame, "<f4", offset=HEADER.size)
    poses, ranges, readings = np.split(numbers, [7 * head[4], 7 * head[4] + head[5]])
    assert len(readings) == head[6]
    return head, poses.reshape(-1, 7), ranges, readings
