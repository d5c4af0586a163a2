"""The server of the page: files, meshes, patterns, and a WebSocket for each browser, all at one port."""

import asyncio
import contextlib
import http
import ipaddress
import json
import socket
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from coopsim.errors import CoopsimError
from coopsim.features.web.follower import RunFollower
from coopsim.features.web.links import Links, Permission
from coopsim.features.web.page_files import PAGE, POLICY, page_files, picture_of_pattern
from coopsim.features.web.viewer import WebViewer
from coopsim.scene.textures import PATTERNS

MOST_VIEWERS = 256
"""Browsers at once; each takes a descriptor and, with what waits for it, at most some hundred kilobytes."""
_LONGEST_REQUEST = 1 << 16
"""Of what a browser sends [B]: a section of a world is the longest."""
_GREETING = 10.0
"""How long a browser may take to say by which link it came [s]."""
_FAREWELL = 1.0
"""How long browsers may take for the last news [s]."""
_LIVE, _MESH, _PATTERN = "live", "mesh", "pattern"
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class PageServer:
    """Serves the page of one or several runs.

    Args:
        followers: Of the runs, in the order of the list.
        links: What who comes may do.
        origins: Where the page may stand besides here, such as `https://lab.example`: behind a proxy.
    """

    def __init__(self, followers: Sequence[RunFollower], links: Links, origins: Sequence[str] = ()) -> None:
        self._followers, self._links = tuple(followers), links
        self._origins = {origin.rstrip("/") for origin in origins}
        self._viewers = 0
        self._server: Server | None = None
        self._patterns: dict[str, bytes] = {}

    async def open(self, host: str, port: int) -> str:
        """Listen; return the address of the page.

        Raises:
            OSError: It cannot listen there.
        """
        self._server = await serve(
            self._serve,
            host,
            port,
            process_request=self._respond,
            # frames are floats that hardly shrink, and to try takes a millisecond each
            compression=None,
            max_size=_LONGEST_REQUEST,
            max_queue=16,
            # the newest frame replaces an older one only as long as that is not with the kernel
            write_limit=1 << 16,
            server_header=None,
        )
        listened = next(iter(self._server.sockets)).getsockname()
        name = f"[{listened[0]}]" if ":" in listened[0] else listened[0]
        return f"http://{name}:{listened[1]}/"

    async def close(self) -> None:
        """Send what waits still, and close all connections."""
        viewers = {viewer for follower in self._followers for viewer in follower.viewers}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await asyncio.gather(*(viewer.flushed() for viewer in viewers))
        if self._server is not None:
            self._server.close(close_connections=True)
            await self._server.wait_closed()

    # HTTP

    async def _respond(self, _connection: ServerConnection, request: Request) -> Response | None:
        """Answer a request for a file; None lets a WebSocket begin."""
        host = request.headers.get_all("Host")
        if len(host) != 1 or not self._is_own(host[0]):
            return _refused(http.HTTPStatus.FORBIDDEN, "this page is not served under that name; --origin permits it")
        # the last part alone counts: behind a proxy the page stands under a prefix
        words = [unquote(word) for word in urlsplit(request.path).path.split("/")]
        folder, name = (words[-2] if len(words) > 1 else ""), words[-1]
        if name == _LIVE:
            return self._refusal(request, host[0])
        if folder == _MESH:
            return await self._mesh(request, name)
        if folder == _PATTERN:
            return self._pattern(name)
        file = page_files().get(name or PAGE)
        if file is None:
            return _refused(http.HTTPStatus.NOT_FOUND, f"there is no {name!r:.60} here")
        headers = {"Content-Type": file.type, "Content-Encoding": "gzip", "Content-Security-Policy": POLICY}
        return _response(http.HTTPStatus.OK, file.packed, {**headers, "Cache-Control": "no-cache"})

    def _is_own(self, host: str) -> bool:
        """Return whether a name is this machine's: another one may lead here only to use what may ask it."""
        name = (urlsplit(f"//{host}").hostname or "").lower()
        if name in {"localhost", socket.gethostname().lower()} or host in {
            urlsplit(origin).netloc for origin in self._origins
        }:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _refusal(self, request: Request, host: str) -> Response | None:
        origins = request.headers.get_all("Origin")
        # programs that are no browsers name no origin
        is_same = not origins or (
            len(origins) == 1 and origins[0] in {f"http://{host}", f"https://{host}", *self._origins}
        )
        if not is_same:
            return _refused(http.HTTPStatus.FORBIDDEN, "pages of other origins may not connect; --origin permits one")
        if self._viewers >= MOST_VIEWERS:
            return _refused(http.HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_VIEWERS} browsers are connected already")
        return None

    async def _mesh(self, request: Request, content_hash: str) -> Response:
        follower = self._followers[_number(request, len(self._followers))]
        try:
            async with asyncio.timeout(30.0):
                triangles = await follower.mesh(content_hash)
        except (CoopsimError, TimeoutError) as problem:
            return _refused(http.HTTPStatus.NOT_FOUND, str(problem)[:200])
        headers = {"Content-Type": "application/octet-stream", "Cache-Control": "max-age=86400, immutable"}
        return _response(http.HTTPStatus.OK, triangles, headers)

    def _pattern(self, name: str) -> Response:
        if name not in PATTERNS:
            return _refused(http.HTTPStatus.NOT_FOUND, f"there is no pattern {name!r:.60}")
        if name not in self._patterns:
            self._patterns[name] = picture_of_pattern(name)
        headers = {"Content-Type": "image/png", "Cache-Control": "max-age=86400"}
        return _response(http.HTTPStatus.OK, self._patterns[name], headers)

    # WebSocket

    async def _serve(self, connection: ServerConnection) -> None:
        self._viewers += 1
        try:
            await self._greet(connection)
        except (ConnectionClosed, TimeoutError):
            pass
        finally:
            self._viewers -= 1

    async def _greet(self, connection: ServerConnection) -> None:
        async with asyncio.timeout(_GREETING):
            permission = _permission(await connection.recv(), self._links)
        if permission is None:
            refusal = {"what": "hello", "role": "", "error": "this link is out of date; ask for a new one, or watch"}
            await connection.send(json.dumps(refusal))
            return
        request = connection.request
        assert request is not None  # noqa: S101 - a connection has begun with one
        number = _number(request, len(self._followers))
        runs = [follower.summary for follower in self._followers]
        hello: dict[str, Any] = {
            "what": "hello",
            "role": permission.role,
            "robots": permission.robots,
            "runs": runs,
            "run": number,
        }
        await connection.send(json.dumps(hello, default=str))
        await WebViewer(connection, self._followers[number], permission).serve()


def _permission(words: str | bytes, links: Links) -> Permission | None:
    try:
        token = json.loads(words)["token"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return links.permission(token) if isinstance(token, str) else None


def _number(request: Request, count: int) -> int:
    """Return the number of the run that a request is for, 0 where it names none that there is."""
    words = parse_qs(urlsplit(request.path).query).get("run", ["0"])
    return int(words[0]) if words[0].isascii() and words[0].isdecimal() and int(words[0][:6]) < count else 0


def _refused(status: http.HTTPStatus, text: str) -> Response:
    return _response(status, f"{text}\n".encode(), {"Content-Type": "text/plain; charset=utf-8"})


def _response(status: http.HTTPStatus, body: bytes, headers: dict[str, Any]) -> Response:
    all_headers = Headers({**_HEADERS, **headers, "Content-Length": str(len(body)), "Connection": "close"})
    return Response(status.value, status.phrase, all_headers, body)
