"""A headless Chromium that draws by the processor, for the benchmark of the page; spoken to over a pipe."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coopsim.errors import NoReply

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 60.0  # s; a page of an hour is read by a busy machine
_SIZE = (1360, 820)
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    # drawn and put together by the processor, as on a machine without a graphics card
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
)


def chromium() -> str | None:
    """Return the browser of this machine, None = there is none."""
    return next((path for path in map(shutil.which, _NAMES) if path), None)


class Chromium:
    """One page in a headless browser; a context manager that ends it.

    Args:
        program: Of the browser.
    """

    def __init__(self, program: str) -> None:
        self._ends = contextlib.ExitStack()
        self._number, self._buffer, self._session = 0, b"", ""
        self._answers: dict[int, dict[str, Any]] = {}
        folder = self._ends.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-", ignore_cleanup_errors=True))
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        # the protocol's descriptors are 3 and 4
        moved = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        options = [*_OPTIONS, f"--user-data-dir={folder}", f"--window-size={_SIZE[0]},{_SIZE[1]}"]
        self._process = subprocess.Popen(
            [shutil.which("bash") or "bash", "-c", moved, "-", program, *options],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for descriptor in (to_browser, from_browser):
            os.close(descriptor)
        self._ends.callback(self._end)

    def __enter__(self) -> Self:
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def open(self, address: str | Path) -> None:
        """Open another page."""
        self._call("Page.navigate", url=address.as_uri() if isinstance(address, Path) else address)

    def value(self, script: str) -> Any:
        """Return the value of an expression, of a promise what it gives; None where it throws."""
        options = {"returnByValue": True, "awaitPromise": True}
        return self._call("Runtime.evaluate", expression=script, **options)["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression is true.

        Raises:
            NoReply: It never is.
        """
        deadline = time.monotonic() + _PATIENCE
        while self.value(script) is not True:
            if time.monotonic() > deadline:
                raise NoReply(f"expected that the page comes to {script}; it did not within {_PATIENCE:g} s")

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        message = {"id": self._number, "method": method, "params": params, **session}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while self._number not in self._answers:
            self._read()
        answer = self._answers.pop(self._number)
        if "error" in answer:
            raise NoReply(f"the browser refuses {method}: {answer['error']}")
        return dict(answer["result"])

    def _read(self) -> None:
        ready, _, _ = select.select([self._from], [], [], _PATIENCE)
        received = os.read(self._from, 1 << 20) if ready else b""
        if not received:
            raise NoReply("the browser has ended, or answers no more")
        *messages, self._buffer = (self._buffer + received).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._answers[message["id"]] = message

    def _end(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)  # its helpers, too
        self._process.wait()
        for descriptor in (self._to, self._from):
            os.close(descriptor)
