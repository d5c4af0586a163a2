"""`coopsim web`."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk
from coopsim.features.web.links import EDIT, Links
from coopsim.interpreter import extra_command

if TYPE_CHECKING:
    from coopsim.features.web.server import PageServer

DEFAULT_PORT = 5580
"""Ten above that of a run."""
_LOOK_EVERY = 0.05
"""Interval at which the file of a run that starts is looked for [s]."""


@click.command(short_help="Serve runs and replays to browsers.")
@click.argument("endpoints", nargs=-1, metavar="[ENDPOINT]...")
@click.option("--keys", type=click.Path(path_type=Path), metavar="FOLDER", help="Our keys, where the run wants some.")
@click.option("--bind", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port to listen at, 0 = a free one.",
)
@click.option("--drive", "robots", multiple=True, metavar="ROBOT", help="Print a link that drives this robot alone.")
@click.option(
    "--links",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the links in this file, so that they hold the next time, too.",
)
@click.option("--origin", "origins", multiple=True, metavar="URL", help="Where a proxy shows the page, too.")
@click.option("--qr", is_flag=True, help="Print the link to edit as a picture for phones.")
@click.option("--any-port", is_flag=True, hidden=True, help="A free port where that one is taken.")
@click.option("--when", "ready", type=click.Path(path_type=Path), hidden=True, help="As soon as this file says where.")
def web(endpoints: tuple[str, ...], bind: str, port: int, file: Path | None, **choices: Any) -> int:
    """Serve the page of what runs, or is replayed, at each ENDPOINT: the scene in space, its time, its robots.

    It prints links: who opens the bare address watches, the others drive or edit. It stops nothing when it ends, and
    goes on with the next run at the same place.

    \b
    coopsim web
    coopsim web tcp://127.0.0.1:5570 tcp://127.0.0.1:5670
    coopsim web --bind 0.0.0.0 --links class.json --drive robot1 --drive robot2
    """  # noqa: D301 - click's mark for lines it must not wrap
    _check_packages(qr=choices["qr"])
    robots = choices["robots"]
    links = Links.kept_in(file, robots) if file else Links.new(robots)
    asyncio.run(_serve(endpoints, links, (bind, port), choices))
    return 0


def _check_packages(*, qr: bool) -> None:
    """See to it that the page can be served.

    Raises:
        ClickException: A package is missing.
    """
    import importlib.util

    for package in ("websockets", "segno") if qr else ("websockets",):
        if importlib.util.find_spec(package) is None:
            raise click.ClickException(f"the page needs the Python package {package}: {extra_command('web')}")


async def _serve(endpoints: tuple[str, ...], links: Links, place: tuple[str, int], choices: Mapping[str, Any]) -> None:
    """Serve until SIGINT or SIGTERM, or the end of the run whose file is waited for."""
    from coopsim.features.web.follower import RunFollower
    from coopsim.features.web.server import PageServer

    own = asyncio.current_task()
    assert own is not None  # noqa: S101 - asyncio.run runs tasks
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, own.cancel)
    ready: Path | None = choices["ready"]
    with contextlib.suppress(asyncio.CancelledError):
        if ready is not None:
            endpoints = (await _awaited(ready),)
        is_beside = ready is not None
        followers = [RunFollower(name, choices["keys"], talk.note, once=is_beside) for name in endpoints or (None,)]
        server = PageServer(followers, links, choices["origins"])
        address = await _opened(server, place, is_any=choices["any_port"])
        for line in _lines(links, address, qr=choices["qr"]):
            talk.note(line)
        try:
            await asyncio.gather(*(follower.run() for follower in followers))
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, _ignore)  # it ends already, and has to say so
            for follower in followers:
                follower.end()
            await server.close()


def _ignore() -> None:
    """Do nothing."""


async def _opened(server: "PageServer", place: tuple[str, int], *, is_any: bool) -> str:
    """Listen; return the address.

    Raises:
        ClickException: Nobody can listen there.
    """
    host, port = place
    try:
        return await server.open(host, port)
    except OSError as problem:
        if is_any and port:
            return await server.open(host, 0)
        reason = problem.strerror or str(problem)
        raise click.ClickException(f"{host}:{port} cannot be used: {reason}; --port takes another") from None


async def _awaited(ready: Path) -> str:
    """Return where a run answers, as soon as it does.

    Raises:
        CancelledError: Whoever starts it is gone.
    """
    parent = os.getppid()
    while not ready.exists():
        if os.getppid() != parent:
            raise asyncio.CancelledError
        await asyncio.sleep(_LOOK_EVERY)
    return str(json.loads(ready.read_text(encoding="utf-8"))["zmq"])


def _lines(links: Links, address: str, *, qr: bool) -> list[str]:
    lines = ["page", *(f"  {line}" for line in links.lines(address))]
    if qr:
        import segno

        lines += half_blocks(segno.make(links.address(address, EDIT)).matrix)
    return lines


def half_blocks(matrix: Sequence[Sequence[int]]) -> list[str]:
    """Return a code as lines for a terminal: two of its rows are one line, with a light edge around all."""
    rows = [[False, *map(bool, row), False] for row in matrix]
    blank = [False] * len(rows[0])
    rows = [blank, *rows, blank, *([blank] if len(rows) % 2 else [])]
    signs = {(False, False): "█", (True, True): " ", (False, True): "▀", (True, False): "▄"}
    return ["".join(signs[pair] for pair in zip(*pair_of_rows, strict=True)) for pair_of_rows in _pairs(rows)]


def _pairs(rows: list[list[bool]]) -> Iterator[tuple[list[bool], list[bool]]]:
    """Yield rows two by two."""
    return zip(rows[::2], rows[1::2], strict=True)
