"""`coopsim bench web`."""

import asyncio
import contextlib
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from coopsim.app import talk
from coopsim.errors import NoReply
from coopsim.features.files.figures import show
from coopsim.features.web.chromium import Chromium, chromium
from coopsim.features.web.film import export_page
from coopsim.features.web.page_files import page_files
from coopsim.features.web.process import begin_server, end_server
from coopsim.interpreter import module_command
from coopsim.recording import Recording, Writer
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state import Record, RecordHeader

FIRST_BOUND, OPEN_BOUND = 2.0, 2.0  # s
FRAMES_BOUNDS = {10: 25.0, 1000: 8.0, 10_000: 10.0}
"""Frames per second, by robots."""
_MANY = 10_000
"""Robots that `--quick` leaves out."""
PAGE_BOUND, EXPORT_BOUND = 3.0, 10.0  # MB
COST_BOUND = 3.0  # % of a core
SCRUB_BOUND = 50.0  # ms
VIEWERS = 30
_LEAST_SENT = 27.0  # of 30 frames per second that each viewer asks for
_HOUR, _STEP = 3600.0, 0.1
_COURSE = 50
"""Ticks after which each robot of the recording drives another curve."""
_PATIENCE = 60.0
_FIRST_DRAWN = "Boolean(coopsim.app && coopsim.app.now && coopsim.app.drawn > 1)"
# until the frame of another instant is drawn, as the browser draws them [ms]
_SCRUB = (
    "new Promise((resolve) => { const { app } = coopsim, begun = performance.now(), { drawn } = app;"
    " app.time.scrub(%.3f); const look = () => app.drawn > drawn ? resolve(performance.now() - begun)"
    " : requestAnimationFrame(look); look(); })"
)
Row = dict[str, Any]


@click.command(short_help="The page: first picture, frames, bytes, viewers, export of an hour.")
@click.option("--seconds", default=5.0, show_default=True, type=click.FloatRange(0.5), help="Length of each part.")
@click.option("--quick", is_flag=True, help="Only show that it works.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def web(seconds: float, *, quick: bool, as_json: bool) -> None:
    """Measure the page in a headless Chromium that draws by the processor, and what viewers cost.

    Where there is no Chromium, its rows are left out. For figures that mean something the machine must have nothing
    else to do.
    """
    seconds, hour = (0.5, 60.0) if quick else (seconds, _HOUR)
    program = chromium()
    packed = sum(len(file.packed) for file in page_files().values())
    rows = [_at_most("the page as it travels", "MB", 1e-6 * packed, PAGE_BOUND)]
    for robots in FRAMES_BOUNDS:
        if quick and robots >= _MANY:
            continue
        rows += _live(program, robots, seconds)
    rows += _viewers(2 * seconds)
    rows += _exported(program, hour)
    if program is None:
        talk.note("no Chromium here: what it draws was not measured")
    show(rows, as_json=as_json)


def _at_most(case: str, unit: str, value: float, bound: float) -> Row:
    return {"case": case, "unit": unit, "value": round(value, 3), "bound": bound, "ok": value <= bound}


def _at_least(case: str, unit: str, value: float, bound: float) -> Row:
    return {"case": case, "unit": unit, "value": round(value, 3), "bound": bound, "ok": value >= bound}


# a live run


class RunWithPage(NamedTuple):
    """A run with a page.

    Attributes:
        address: Of the page.
        endpoint: Of the run.
        run: Processes of the run.
        server: Process of the page.
    """

    address: str
    endpoint: str
    run: tuple[int, ...]
    server: int


def _live(program: str | None, robots: int, seconds: float) -> Iterator[Row]:
    """Yield how soon a page shows a run, and how many frames it draws."""
    if program is None:
        return
    with _served(robots) as served, Chromium(program) as page:
        begun = time.perf_counter()
        page.open(served.address)
        page.until(_FIRST_DRAWN)
        first = time.perf_counter() - begun
        before, begun = page.value("coopsim.app.drawn"), time.perf_counter()
        time.sleep(seconds)
        rate = (page.value("coopsim.app.drawn") - before) / (time.perf_counter() - begun)
    if robots == min(FRAMES_BOUNDS):
        yield _at_most(f"first picture, {robots} robots", "s", first, FIRST_BOUND)
    yield _at_least(f"software GL, {robots} robots", "frames/s", rate, FRAMES_BOUNDS[robots])


@contextlib.contextmanager
def _served(robots: int) -> Iterator[RunWithPage]:
    """Run robots in real time with a page until the block ends."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-bench-")))
        scenario, ready = folder / "crowd.scenario", folder / "ready.json"
        scenario.write_text(_crowd(robots), encoding="utf-8")
        words = ("run", str(scenario), "--no-gui", "--no-controllers", "--port", "0", "-q", "--ready", str(ready))
        run = subprocess.Popen(module_command("coopsim", *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(_end, run)
        _wait(ready.exists, "the run")
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        server = begin_server("--port", "0", "--when", str(ready), **options)
        stack.callback(end_server, server)
        assert server.stdout is not None  # noqa: S101 - it is a pipe
        stack.enter_context(server.stdout)
        address = ""
        for line in server.stdout:
            address = line.split()[-1] if line.startswith("  watch") else address
            if "shows" in line:
                break
        endpoint = str(json.loads(ready.read_text(encoding="utf-8"))["zmq"])
        yield RunWithPage(address, endpoint, tuple(_family(run.pid)), server.pid)


def _crowd(robots: int) -> str:
    columns = int(np.ceil(robots**0.5))
    return f"[ROBOT_1]\ntype single\nname r\ncount {robots}\ngrid {columns}x{columns} 1.5\n"


def _end(run: "subprocess.Popen[bytes]") -> None:
    run.terminate()
    run.wait(_PATIENCE)


def _wait(is_so: Callable[[], bool], awaited: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise NoReply(f"{awaited} did not begin within {_PATIENCE:g} s")
        time.sleep(0.05)


def _family(pid: int) -> list[int]:
    """Return a process and those that it has started."""
    children = [int(word) for task in Path(f"/proc/{pid}/task").glob("*/children") for word in task.read_text().split()]
    return [pid, *(descendant for child in children for descendant in _family(child))]


# many viewers


def _viewers(seconds: float) -> Iterator[Row]:
    """Yield what viewers cost the run, and the process that serves them."""
    from coopsim.client import connect

    with _served(10) as served, connect(served.endpoint) as sim:
        before, begun = _busy(served.run), time.perf_counter()
        time.sleep(seconds)
        alone = (_busy(served.run) - before) / (time.perf_counter() - begun)
        late = sim.clock.status().overruns
        watched = asyncio.run(_watch(served, seconds))
        late = sim.clock.status().overruns - late
    case = f"{VIEWERS} viewers of 10 robots at 30 Hz"
    yield _at_most(f"{case}: more of a core for the run", "%", 100.0 * (watched.run - alone), COST_BOUND)
    yield _at_most(f"{case}: late ticks", "ticks", late, 0.0)
    yield _at_most(f"{case}: of a core for the page's server", "%", 100.0 * watched.server, COST_BOUND)
    yield _at_least(f"{case}: frames for each", "frames/s", watched.rate, _LEAST_SENT)


class _Watched(NamedTuple):
    """Shares of a core of the run and of the page's server, and frames per second of each viewer."""

    run: float
    server: float
    rate: float


async def _watch(served: RunWithPage, seconds: float) -> _Watched:
    """Watch as so many browsers do, with programs that read what they are sent."""
    from websockets.asyncio.client import connect

    frames = 0

    async def view() -> None:
        nonlocal frames
        async with connect(f"{served.address.replace('http', 'ws', 1)}live?run=0") as socket:
            await socket.send(json.dumps({"token": ""}))
            async for message in socket:
                frames += isinstance(message, bytes)

    viewers = [asyncio.create_task(view()) for _ in range(VIEWERS)]
    await asyncio.sleep(seconds)  # all are connected, and have their scene
    begun, frames, run, server = time.perf_counter(), 0, _busy(served.run), _busy((served.server,))
    await asyncio.sleep(seconds)
    passed = time.perf_counter() - begun
    shares = (_busy(served.run) - run) / passed, (_busy((served.server,)) - server) / passed
    for viewer in viewers:
        viewer.cancel()
    await asyncio.gather(*viewers, return_exceptions=True)
    return _Watched(*shares, frames / passed / VIEWERS)


def _busy(pids: Sequence[int]) -> float:
    """Return the processor time of processes so far [s], on Linux to the nanosecond; 0 elsewhere."""
    spent = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # a thread that has just ended
                spent += int(task.read_text(encoding="utf-8").split()[0])
    return 1e-9 * spent


# the page of a recording


def _exported(program: str | None, hour: float) -> Iterator[Row]:
    """Yield how large the page of an hour is, how soon it opens, and how soon another instant is drawn."""
    with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
        recorded, page_file = Path(folder) / "hour.mcap", Path(folder) / "hour.html"
        _record(recorded, Path(folder) / "crowd.scenario", hour)
        with Recording.open(recorded) as recording:
            size = export_page(recording, page_file)
        case = f"export of 10 robots, {hour / 60.0:g} minutes at 10 Hz"
        yield _at_most(case, "MB", 1e-6 * size, EXPORT_BOUND)
        if program is None:
            return
        with Chromium(program) as page:
            begun = time.perf_counter()
            page.open(page_file)
            page.until(_FIRST_DRAWN)
            yield _at_most(f"{case}: opens", "s", time.perf_counter() - begun, OPEN_BOUND)
            times = [page.value(_SCRUB % (share * hour)) for share in np.random.default_rng(1).random(20)]
        yield _at_most(f"{case}: another instant is drawn, median", "ms", statistics.median(times), SCRUB_BOUND)


def _record(path: Path, scenario: Path, seconds: float) -> None:
    """Record robots that drive in curves of all kinds, ten ticks a second."""
    scenario.write_text(f"[SIMULATION]\nstep {_STEP}\n{_crowd(10)}", encoding="utf-8")
    simulation, chance = Simulation(load(str(scenario))), np.random.default_rng(1)
    engine = simulation.engine
    with Writer(path, metadata={"scenario": "hour"}) as writer:
        writer.layout(simulation.layout)
        for tick in range(round(seconds / _STEP)):
            if tick % _COURSE == 0:
                for name in simulation.layout.robot:
                    simulation.command(name, "motors", 10, (chance.uniform(-0.5, 0.5), chance.uniform(-1.0, 1.0)))
            simulation.tick()
            simulation.happened.clear()
            header = RecordHeader(
                tick=simulation.tick_count,
                revision=tick,
                time_ns=simulation.time_ns,
                step_ns=simulation.step_ns,
                generation=simulation.layout.generation,
                bodies=len(engine.names),
                readings=simulation.readings.size,
                commands=simulation.commands.size,
            )
            arrays = (engine.poses, engine.twists, simulation.readings, simulation.commands)
            raw = header.pack() + b"".join(array.tobytes() for array in arrays)
            writer.write(Record(raw + bytes(-len(raw) % 8)), None)
