"""A headless browser, spoken to over a pipe in the Chrome DevTools Protocol; no other package is needed.

`python tests/standins/browser.py PAGE.html FOLDER` opens a page, scrubs it, and leaves pictures.
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DEADLINE = 60.0  # s; a browser on a busy machine takes its time to begin


def found() -> str | None:
    """Return the browser of this machine, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page in a headless browser, a blank one at first where none is named.

    Attributes:
        requests: Addresses that the page asked for.
        complaints: What the page's scripts complained about.
    """

    def __init__(self, page: Path | str | None = None, size: tuple[int, int] = (1360, 820), *options: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="coopsim-browser-")
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._number, self._buffer, self._answers = 0, b"", {}
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        program = found()
        assert program is not None, f"none of {', '.join(NAMES)} is installed"
        # the protocol's descriptors are 3 and 4
        moved = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        command = [program, "--headless=new", "--no-sandbox", "--remote-debugging-pipe"]
        # pages in space are drawn by the processor
        command += ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        # flat pictures without the detour over a graphics card that is none: a move of the mouse took ten seconds
        command += ["--disable-gpu-rasterization", "--disable-accelerated-2d-canvas"]
        command += [f"--user-data-dir={self._profile.name}", f"--window-size={size[0]},{size[1]}", *options]
        self._process = subprocess.Popen(
            ["bash", "-c", moved, "-", *command],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
        )
        try:
            if page is not None:
                self.open(page if isinstance(page, str) else page.resolve().as_uri())
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def open(self, address: str) -> None:
        """Open another page, as soon as its scripts have run."""
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && window.coopsim !== undefined")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)  # its helpers, too
        self._process.wait(DEADLINE)
        os.close(self._to)
        os.close(self._from)
        self._remove_profile()

    def _remove_profile(self) -> None:
        """Remove what the browser kept; a helper that is being killed may write one more file meanwhile."""
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                self._profile.cleanup()
            except OSError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + DEADLINE
        while self._number not in self._answers:
            self._read(deadline)
        answer = self._answers.pop(self._number)
        assert "error" not in answer, f"{method}: {answer.get('error')}"
        return dict(answer["result"])

    def value(self, script: str) -> Any:
        """Return the value of an expression."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, script: str, seconds: float = DEADLINE) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + seconds
        while not self.value(script):
            if time.monotonic() > deadline:
                shown = self.value("(document.getElementById('notice') || document.body).textContent.slice(0, 500)")
                raise AssertionError(f"{script} never came true; the page shows {shown!r}, and said {self.complaints}")

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """Press the mouse at the first point, move over the others, release at the last."""
        kinds = ["mousePressed", *["mouseMoved"] * len(points[1:])]
        for kind, (x, y) in zip(kinds, points, strict=True):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        x, y = points[-1]
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    def key(self, name: str, code: int = 0) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": name} if len(name) == 1 and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code, **text)

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Return left, top, width and height of an element."""
        script = f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        left, top, width, height = self.value(f"{script} return [b.left, b.top, b.width, b.height]; }})()")
        return left, top, width, height

    def picture(self, path: Path) -> None:
        """Save what is seen as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def _read(self, deadline: float) -> None:
        ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, "the browser does not answer"
        received = os.read(self._from, 1 << 20)
        assert received, "the browser has ended"
        *messages, self._buffer = (self._buffer + received).split(b"\0")
        for raw in messages:
            message = json.loads(raw)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._notice(message["method"], message["params"])

    def _notice(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))


def check(page: Path, folder: Path | None = None) -> dict[str, Any]:
    """Open a page, scrub, step, play; assert that it follows and that it asks nobody else for anything."""
    with Browser(page) as browser:
        begin, end = browser.value("[+scrub.min, +scrub.max]")
        left, top, width, height = browser.box("#scrub")
        y = top + height / 2
        places = [left + 8 + share * (width - 16) for share in (0.05, 0.25, 0.5, 0.75)]
        browser.drag([(x, y) for x in places])
        time_there = browser.value("coopsim.now.time")
        assert abs(time_there - (begin + 0.75 * (end - begin))) < 0.03 * (end - begin), time_there
        assert browser.value("now.textContent") == browser.value(f"coopsim.logic.seconds({time_there})")
        hidden = browser.value("[...document.querySelectorAll('.plot')].filter((each) => each.hidden).length")
        empty = browser.value("coopsim.plots.filter((each) => !each.series.length).length")
        assert hidden == empty, "a panel that shows nothing is no panel"
        assert browser.value("document.getElementById('keys').getBoundingClientRect().height") > 0, (
            "the keys are not shown"
        )
        if folder:
            browser.picture(folder / "scrubbed.png")
        browser.call("Runtime.evaluate", expression="document.activeElement.blur()")
        browser.key("ArrowLeft", 37)
        assert browser.value("coopsim.now.time") < time_there
        browser.key(" ", 32)
        browser.until("coopsim.now.playing")
        value = browser.value("coopsim.now.time")
        browser.until(f"coopsim.now.time > {value}")
        browser.key(" ", 32)
        browser.until("!coopsim.now.playing")
        browser.key("End", 35)
        assert browser.value("coopsim.now.time") == end
        painted = browser.value(
            "(() => { const c = document.getElementById('view'), d = c.getContext('2d')"
            ".getImageData(0, 0, c.width, c.height).data, s = new Set();"
            "for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i+1] << 8 | d[i+2]); return s.size; })()"
        )
        assert painted > 20, f"the top view has {painted} colours"
        if folder:
            browser.picture(folder / "end.png")
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            browser.value(f"coopsim.seek({begin + 0.4 * (end - begin)})")
            browser.picture(folder / "dark.png")
        assert not browser.complaints, browser.complaints
        requests = [url for url in browser.requests if not url.startswith(("file:", "data:", "about:"))]
        assert not requests, requests
        return {"pictures": browser.value("coopsim.scene.times.length"), "colors": painted, "end": end}


if __name__ == "__main__":
    print(check(Path(sys.argv[1]), Path(sys.argv[2])))
