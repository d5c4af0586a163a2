"""A gateway as a process of its own, and a program that speaks rosbridge with it."""

import contextlib
import json
from types import TracebackType
from typing import Any, Self

from printing import LIMIT, PrintingProcess
from websockets.sync.client import connect

__all__ = ["LIMIT", "Bridge", "GatewayProcess"]


class GatewayProcess(PrintingProcess):
    """`coopsim gateway ...` until the block ends."""

    def __init__(self, *arguments: str, kind: str = "rosbridge", env: dict[str, str] | None = None) -> None:
        super().__init__("gateway", kind, "--port", "0", *arguments, env=env)

    @property
    def url(self) -> str:
        """Where it listens."""
        return self.line("ws://").split()[-1]


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
