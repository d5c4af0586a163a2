"""The client for JavaScript in a page: the program that Node runs, unchanged, in a browser over a WebSocket."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, found

from coopsim.testkit import Run
from coopsim.testkit.conformance import languages
from coopsim.testkit.conformance.languages import QUICK
from coopsim.testkit.conformance.live import ROOM

FOLDER = Path(__file__).parents[2] / "clients"
_JAVASCRIPT = next(language for language in languages(FOLDER) if language.folder.name == "javascript")
pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

_WHOLE_PROGRAM = 90.0  # s; forty steps in lockstep and what is around them, on a machine that has much else to do
# a page needs no build: what Node reads from package.json is said by an import map
_PAGE = """<!doctype html>
<title>waiting</title>
<script type="importmap">
{"imports": {"#socket": "/socket_of_pages.js", "@msgpack/msgpack": "/node_modules/@msgpack/msgpack/dist.esm/index.mjs"}}
</script>
<script>
window.coopsim = true;
globalThis.COOPSIM_WEBSOCKET = new URLSearchParams(location.search).get("run");
const lines = [];
console.log = (text) => lines.push(text);
import("/08_typed.js").then(() => (document.title = "done"), (problem) => (document.title = String(problem)));
</script>
"""


class PageServer(SimpleHTTPRequestHandler):
    """Hands out the client's files, and the page at `/`."""

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(_PAGE.encode())

    def guess_type(self, path: Any) -> str:
        return "text/javascript" if str(path).endswith((".js", ".mjs")) else super().guess_type(path)

    def log_message(self, *_: object) -> None:
        self.close_connection = True


if found() and not _JAVASCRIPT.missing:

    @pytest.fixture(scope="module")
    def page() -> Iterator[str]:
        _JAVASCRIPT.make(QUICK)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(PageServer, directory=str(_JAVASCRIPT.folder)))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        server.server_close()
        thread.join()

    def test_a_page_prints_what_node_prints(page: str) -> None:
        expected = (FOLDER / "expected" / "08_typed.txt").read_text(encoding="utf-8")
        with Run(ROOM, "--no-controllers", "--websocket", "0") as run, Browser() as browser:
            address = run.printed.partition("WebSocket on ")[2].split()[0]
            browser.open(f"{page}?run={address}")
            browser.until("document.title !== 'waiting'", _WHOLE_PROGRAM)
            assert browser.value("document.title") == "done", browser.complaints
            assert "".join(f"{line}\n" for line in browser.value("lines")) == expected

    def test_a_page_says_that_nobody_answers(page: str) -> None:
        with Browser() as browser:
            browser.open(f"{page}?run=127.0.0.1:9")
            browser.until("document.title !== 'waiting'")
            assert "was it started with --websocket, and may this page connect?" in browser.value("document.title")
