"""The server of pages: what it serves, to whom, and what becomes of who misbehaves."""

import contextlib
import gzip
import http.client
import signal
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from printing import LIMIT, PrintingProcess
from web_pages import Page, PageProcess
from websockets.exceptions import ConnectionClosed, InvalidStatus

from coopsim.client import connect
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("formation", "--no-controllers", "--duration", "3600") as live:
        yield live


@pytest.fixture(scope="module")
def server(simulation: Run) -> Iterator[PageProcess]:
    with PageProcess(simulation.endpoint, "--drive", "robot2") as process:
        process.link("drive robot2")
        process.wait_for("shows formation")
        yield process


def _get(server: PageProcess, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read()


def test_the_page_comes_from_here_alone_and_runs_nothing_else(server: PageProcess) -> None:
    answer, body = _get(server, "/")
    page = gzip.decompress(body).decode()
    assert answer.status == 200
    assert "default-src 'none'" in (answer.getheader("Content-Security-Policy") or "")
    assert "http://" not in page
    assert "https://" not in page
    assert "<script>" not in page
    names = ["page.css", *[word.split('"')[0] for word in page.split('<script src="')[1:]]]
    files = [_get(server, f"/{name}") for name in names]
    assert all(answer.status == 200 for answer, _ in files)
    # all of it is a fifth of what a page may weigh
    assert sum(len(body) for _, body in files) < 600_000


def test_the_page_stands_under_the_prefix_of_a_proxy_too(server: PageProcess) -> None:
    assert _get(server, "/class/7/page.js")[1] == _get(server, "/page.js")[1]
    assert _get(server, "/class/7/")[0].status == 200


def test_what_is_not_there_and_names_that_are_not_ours_are_refused(server: PageProcess) -> None:
    assert _get(server, "/../../etc/passwd")[0].status == 404
    assert _get(server, "/mesh/no-such-hash")[0].status == 404
    assert _get(server, "/pattern/..%2f..%2fsecret")[0].status == 404
    answer, body = _get(server, "/", Host="evil.example")
    assert (answer.status, b"--origin" in body) == (403, True)
    answer, body = _get(server, "/pattern/wood")
    assert (answer.getheader("Content-Type"), body[:4]) == ("image/png", b"\x89PNG")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
def test_pages_of_other_origins_may_not_connect(server: PageProcess, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"), Page(server.link("watch"), origin=origin):
        pass


def test_frames_are_the_poses_of_the_run(simulation: Run, server: PageProcess) -> None:
    with Page(server.link("watch")) as page, connect(simulation.endpoint) as sim:
        facts = page.news.get("scene") or page.receive("scene")
        rows = {entity["name"]: entity["row"] for entity in facts["entities"]}
        sim.clock.pause()
        tick = sim.clock.status().tick
        while (frame := page.frame())[0][1] != tick or not frame[0][3] & 1:
            pass
        head, poses, ranges, _ = frame
        names = [name for name, row in rows.items() if row >= 0]
        for name in names:
            x, y, z = sim.world.get(name).pose[:3]
            assert poses[rows[name], :3] == pytest.approx([x, y, z], abs=1e-5)
        assert (head[4], len(ranges)) == (facts["bodies"], 0)
        getattr(sim.clock, "continue")()


def _sizes(facts: dict[str, Any]) -> Iterator[int]:
    """Yield how many numbers each group of sensors has in frames."""
    yield from (group["width"] * len(group["rows"]) for group in facts["sensors"])


def test_rays_and_readings_come_when_they_are_asked_for(simulation: Run, server: PageProcess) -> None:
    with Page(server.link("watch")) as page, connect(simulation.endpoint) as sim:
        page.ask(do="watch", rays=True, robots=["robot1"], rate=60)
        fields = (page.news.get("fields") or page.receive("fields"))["fields"]
        while not len((frame := page.frame())[3]):
            pass
        facts = page.news.get("scene") or page.receive("scene")
        measured = {group["kind"]: group["width"] * len(group["rows"]) for group in facts["sensors"]}
        assert (measured["rays"], len(frame[2])) == (3 * 11, sum(_sizes(facts)))
        assert len(frame[3]) == sum(field["length"] for field in fields)
        sim.clock.pause()
        page.ask(do="watch", rays=True, robots=["robot1"], rate=60)  # a frame comes though time stands still
        while not (frame := page.frame())[0][3] & 1 or not len(frame[3]):
            pass
        at = 0
        for field in fields:
            if (field["module"], field["field"]) == ("sonars", "ranges"):
                assert frame[3][at : at + 11] == pytest.approx(sim.robot("robot1").sonars.ranges().ranges, abs=1e-4)
            at += field["length"]
        getattr(sim.clock, "continue")()


def test_links_permit_what_they_say(simulation: Run, server: PageProcess) -> None:
    with Page(server.link("watch")) as page:
        assert page.hello["role"] == "watch"
        assert page.call("/sim/clock", "status")["values"]["mode"] == "real-time"
        refused = page.call("/robot1/motors", "set_velocity", 0.1, 0.0)
        assert (refused["code"], "takes the link to drive" in refused["error"]) == (209, True)
        assert "error" in page.ask(do="set", target="/robot1/sonars", name="reach", value=1.0)
    with Page(server.link("drive robot2")) as page:
        assert "values" in page.call("/robot2/motors", "set_velocity", 0.1, 0.0)
        assert "robot2 alone" in page.call("/robot1/motors", "set_velocity", 0.1, 0.0)["error"]
        assert "link to edit" in page.call("/sim/clock", "pause")["error"]
    with Page(server.link("edit")) as page:
        assert page.call(
            "/sim/world", "insert", "[OBJECT_1]\ntype box\nname crate9\nposition 3 3 0\nsize 0.4 0.4 0.4\n"
        )["values"]
        assert page.call("/sim/world", "remove", "crate9")["values"] is None
    with Page(f"{server.link('watch')}#old-link") as page:
        assert "out of date" in page.hello["error"]
        with pytest.raises(ConnectionClosed):
            page.frame()


def test_who_drives_owns_the_robot_until_the_browser_goes(simulation: Run, server: PageProcess) -> None:
    with connect(simulation.endpoint) as sim:
        drive, watch = server.link("drive"), server.link("watch")
        with Page(drive) as page, Page(drive) as other_page, Page(watch) as third:
            assert third.ask(do="claim", robot="robot3")["code"] == 209
            assert page.ask(do="claim", robot="robot3")["values"] is None
            assert "values" in page.call("/robot3/motors", "set_velocity", 0.1, 0.0)
            assert other_page.call("/robot3/motors", "set_velocity", 0.1, 0.0)["code"] == 204
        while "robot3" in sim.step.owners("robot3").owners:
            pass
        assert sim.robot("robot3").motors.set_velocity(0.0, 0.0) is None


def test_what_two_browsers_say_comes_from_two_sources(simulation: Run, server: PageProcess) -> None:
    """As seats of a match need: who has one is told apart by the connection."""
    topic, link = "/game/seats/west", server.link("drive")
    with connect(simulation.endpoint) as sim, sim.listen(topic) as heard, Page(link) as ann, Page(link) as bob:
        for page, words in ((ann, "claim"), (bob, "claim"), (ann, "here")):
            assert "error" not in page.call("/sim/events", "publish", topic, words)
        events = [heard.hear(LIMIT) for _ in range(3)]
        first, second, third = (event.source for event in events if event is not None)
        assert first != second
        assert third == first


NONSENSE: tuple[str | bytes, ...] = (
    *("", "[]", "7", "{", "[" * 3000, b"\xff\x00"),
    *('{"do": "watch"}', '{"id": 1, "do": "fly"}', '{"id": {}, "do": "set"}'),
    *('{"id": 1, "do": "watch", "rate": -1}', '{"id": 1, "do": "watch", "rate": 1e999}'),
    '{"id": 1, "do": "call", "target": "x", "command": [], "values": 3}',
    '{"id": 1, "do": "call", "target": "/robot1/motors", "command": "set_velocity", "values": [NaN, 1]}',
    '{"id": 1, "do": "explain", "target": "/../sim"}',
)


@pytest.mark.parametrize("words", NONSENSE)
def test_nonsense_is_answered_and_changes_nothing(server: PageProcess, words: str | bytes) -> None:
    with Page(server.link("edit")) as page:
        page.send(words)
        assert page.receive("reply")["error"]
        assert page.call("/sim/clock", "status")["values"]["tick"] >= 0


def test_a_message_that_is_too_long_ends_that_connection_alone(server: PageProcess) -> None:
    with Page(server.link("edit")) as other_page, Page(server.link("edit")) as page:
        page.send("x" * (1 << 17))
        with pytest.raises(ConnectionClosed):
            page.receive("reply")
        assert other_page.call("/sim/clock", "status")["values"]


def test_who_says_nothing_or_does_not_read_delays_nobody(server: PageProcess) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as silent, Page(server.link("watch")) as deaf:
        deaf.ask(do="watch", rays=True, robots=["robot1"], rate=60)
        silent.sendall(b"GET / HT")
        with Page(server.link("watch")) as page:
            first = page.frame()[0][0]
            while page.frame()[0][0] < first + 1.0:
                pass
        # what it did not read was left out, not kept: the next frames are of now
        old = [head[0] for head, *_ in (deaf.frame() for _ in range(3))]
        assert old == sorted(old)


def test_a_hundred_browsers_see_the_same_though_some_do_not_read(server: PageProcess) -> None:
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(Page(server.link("watch"))) for _ in range(100)]
        for page in pages[::10]:
            page.send(
                '{"id": 1, "do": "watch", "rays": true, "robots": ["robot1"], "rate": 60}'
            )  # and reads nothing more
        readers = [page for number, page in enumerate(pages) if number % 10]
        latest = max(page.frame()[0][0] for page in readers)
        for page in readers:
            while page.frame()[0][0] < latest + 0.5:
                pass


def test_the_page_goes_on_with_the_next_run_and_says_what_ended() -> None:
    port = lasting_port()
    with PageProcess(f"127.0.0.1:{port}") as process, Page(process.link("drive")) as page:
        assert (page.news.get("run") or page.receive("run"))["state"] == "waiting"
        for scene in ("single", "vee"):
            with Run(scene, "--no-controllers", "--port", str(port)):
                while (facts := page.receive("run"))["state"] != "live":
                    pass
                assert facts["scenario"] == scene
                page.frame()
                # by a connection of its own, which the run before has taken with it
                assert "values" in page.call("/robot1/motors", "set_velocity", 0.1, 0.0)
            while page.receive("run")["state"] != "ended":
                pass


def test_several_runs_are_a_list(simulation: Run) -> None:
    with (
        Run("vee", "--no-controllers", "--duration", "3600") as other_run,
        PageProcess(simulation.endpoint, other_run.endpoint) as process,
    ):
        process.wait_for("shows")
        process.wait_for("shows")
        with Page(process.link("watch"), run=1) as page:
            assert [run["scenario"] for run in page.hello["runs"]] == ["formation", "vee"]
            assert (page.news.get("run") or page.receive("run"))["scenario"] == "vee"


def test_a_run_with_a_page_prints_its_links_and_ends_with_it() -> None:
    options = ("--no-controllers", "--no-gui", "--port", "0", "--web")
    with PrintingProcess("run", "single", *options) as live, Page(live.line("  watch ").split()[-1]) as page:
        page.frame()
        live.process.send_signal(signal.SIGINT)
        while page.receive("run")["state"] != "ended":
            pass
        with pytest.raises(ConnectionClosed):
            page.receive("run")
        assert live.process.wait(LIMIT) == 130


def test_a_view_of_a_run_may_be_a_page(simulation: Run) -> None:
    with PrintingProcess("view", simulation.endpoint, "--web") as process:
        link = process.wait_for("  edit ").split()[-1]
        with Page(link) as page:
            assert page.hello["role"] == "edit"
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait(LIMIT) == 0


def test_an_address_that_is_taken_has_a_cure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, PageProcess(port=taken.getsockname()[1]) as process:
        assert "--port takes another" in process.wait_for("cannot be used")
        assert process.process.wait(LIMIT) == 1
