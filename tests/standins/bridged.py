"""A gateway as a process of its own, and a program that speaks rosbridge with it."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import connect

LIMIT = 15.0


class GatewayProcess:
    """`coopsim gateway ...` until the block ends; its lines are waited for, never slept for.

    Attributes:
        lines: What it printed so far.
    """

    def __init__(self, *arguments: str, kind: str = "rosbridge", env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "coopsim", "gateway", kind, "--port", "0", *arguments]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipes)
        self.lines: list[str] = []
        self._coming: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(LIMIT)
        self._reader.join(LIMIT)

    def wait_for(self, text: str) -> str:
        """Return the next line that has a text in it."""
        while (line := self._coming.get(timeout=LIMIT)) is not None:
            if text in line:
                return line
        raise AssertionError(f"no line has {text!r}; there are {self.lines}")

    @property
    def url(self) -> str:
        """Where it listens."""
        line = next((line for line in self.lines if "ws://" in line), None) or self.wait_for("ws://")
        return line.split()[-1]

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip())
                self._coming.put(line.rstrip())
        self._coming.put(None)


class Bridge:
    """A program that speaks rosbridge."""

    def __init__(self, url: str, **more: Any) -> None:
        self._url, self._more, self._stack = url, more, contextlib.ExitStack()

    def __enter__(self) -> Self:
        connecting = connect(self._url, **{"open_timeout": LIMIT, "close_timeout": LIMIT, **self._more})
        self.socket = self._stack.enter_context(connecting)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def receive(self, operation: str, **fields: Any) -> dict[str, Any]:
        """Return the next message of an operation whose fields are these."""
        while True:
            message = json.loads(self.socket.recv(timeout=LIMIT))
            if message["op"] == operation and fields.items() <= message.items():
                return message

    def call(self, service: str, **arguments: Any) -> Any:
        """Return what a service answers."""
        self.send(op="call_service", service=service, args=arguments, id=service)
        return self.receive("service_response", service=service)

    def drive(self, robot: str, v: float, w: float) -> None:
        """Command a velocity."""
        self.send(op="publish", topic=f"/{robot}/cmd_vel", msg={"linear": {"x": v}, "angular": {"z": w}})
