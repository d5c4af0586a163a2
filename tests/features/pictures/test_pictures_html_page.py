"""A recording as one page that opens from disk."""

import base64
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forger import Opened, forge
from offline_scenes import LATE, eventful, make_spec, simple, started

from coopsim.errors import DamagedRecording
from coopsim.features.pictures.html_page import export_page, page
from coopsim.features.pictures.page_data import page_data, plan
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state import Visual
from coopsim.state.edits import DeviceCommand, Insert, Note, Remove, Update
from coopsim.testkit.recorded_run import RecordedRun

NODE = shutil.which("node")
LOGIC = resources.files("coopsim.features.pictures") / "page" / "logic.js"


class Parsed(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self._kind: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag == "script":
            self._kind = attributes.get("type") or "text/javascript"
            self.scripts.append((self._kind, ""))
        if tag not in ("meta", "input", "br", "path", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "path":
            assert self.open.pop() == tag
        self._kind = None

    def handle_data(self, data: str) -> None:
        if self._kind is not None:
            self.scripts[-1] = (self._kind, self.scripts[-1][1] + data)


def paged(path: Path, *, full: bool = False) -> tuple[str, dict[str, Any]]:
    with Recording.open(path) as recording:
        text = page(recording, full=full)
    ((_, raw),) = [script for script in Parsed(text).scripts if script[0] == "application/json"]
    return text, json.loads(raw)


def array(text: str, kind: str) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text), kind)


def test_the_page_is_whole_and_asks_no_other_host_for_anything(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    text, _ = paged(path)
    parsed = Parsed(text)
    assert (parsed.open, parsed.links) == ([], [])
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(", text)
    assert len(parsed.ids) == len(set(parsed.ids))


def test_the_script_speaks_of_elements_that_the_page_has(tmp_path: Path) -> None:
    text, _ = paged(simple(tmp_path / "a.mcap", 5))
    ids = set(Parsed(text).ids)
    asked = set(re.findall(r'\$\("([a-z-]+)"\)', text)) | set(re.findall(r"#([a-z-]+) ?[{,.:]", text)) - {"fff"}
    assert asked - ids == set()


def test_pictures_are_the_recorded_poses(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap")
    _, data = paged(path, full=True)
    times, poses = array(data["times"], "<f8"), array(data["poses"], "<f4").reshape(-1, data["moving"], 3)
    with Recording.open(path) as recording:
        records = list(recording.records())
        bodies = recording.layout(records[0].generation).bodies
    assert times.tolist() == [record.time for record in records]
    rows = {entity["name"]: entity["row"] for entity in data["entities"]}
    for name in ("crate", "robot1", "robot2"):
        recorded = np.array([record.poses[bodies.index(name), :2] for record in records], np.float32)
        assert np.array_equal(poses[:, rows[name], :2], recorded)
    turn = poses[:, rows["robot1"], 2]
    assert turn[0] == 0.0
    assert turn[-1] == pytest.approx(0.05 * 2.5, abs=0.01)


def test_at_most_twenty_pictures_a_second_are_kept_and_the_last_one(tmp_path: Path) -> None:
    _, data = paged(simple(tmp_path / "a.mcap", 248))
    times = array(data["times"], "<f8")
    assert np.allclose(times[:-1], np.arange(50) * 0.05)
    assert times[-1] == 2.48


def test_readings_and_rays_of_robots_are_there(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap")
    _, data = paged(path, full=True)
    robot = data["robots"][1]
    table = array(robot["table"], "<f4").reshape(-1, robot["width"])
    ranges = next(reading for reading in robot["readings"] if reading["name"] == "sonars.ranges")
    assert (robot["name"], ranges["unit"], ranges["labels"][3]) == ("robot2", "m", "[3]")
    with Recording.open(path) as recording:
        *_, record = recording.records()
        place = recording.layout(record.generation).robot["robot2"]
    begin = place.reading_offset + ranges["column"]
    assert table[-1, ranges["column"] :][:11].tolist() == record.readings[begin : begin + 11].tolist()
    rays = robot["rays"]
    assert (rays["column"], len(rays["bearings"]), rays["radius"], rays["reach"]) == (ranges["column"], 11, 0.25, 3.0)
    assert np.degrees(rays["bearings"][0]) == pytest.approx(-110.0, abs=0.01)


def test_who_comes_and_goes_is_there_in_its_pictures_alone(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(100)
        run.edit(Insert(LATE))
        run.tick(100)
        run.edit(Remove("late"))
        run.edit(Remove("wall_1"))
        run.tick(100)
    _, data = paged(tmp_path / "a.mcap")
    times = array(data["times"], "<f8")
    entities = {entity["name"]: entity for entity in data["entities"]}
    ((first, after),) = entities["late"]["spans"]
    assert (times[first], times[after]) == (pytest.approx(1.05), pytest.approx(2.05))
    assert entities["wall_1"]["spans"] == [[0, after]]
    poses = array(data["poses"], "<f4").reshape(-1, data["moving"], 3)[:, entities["late"]["row"], 0]
    assert np.isfinite(poses).tolist() == [first <= k < after for k in range(len(times))]
    table = array(data["robots"][0]["table"], "<f4").reshape(len(times), -1)
    assert data["robots"][0]["name"] == "late"
    assert np.isfinite(table[:, 0]).tolist() == np.isfinite(poses).tolist()


def test_the_page_draws_the_visuals_of_robots(tmp_path: Path) -> None:
    spec = make_spec(1)
    tower = Visual("box", (0.2, 0.4, 0.2), (0.3, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    kind = replace(spec.types["single"], visuals=(Visual("cylinder"), tower))
    with started(tmp_path / "a.mcap", replace(spec, types={"single": kind})) as run:
        run.tick(3)
    _, data = paged(tmp_path / "a.mcap")
    (robot,) = [entity for entity in data["entities"] if entity["kind"] == "robot"]
    (wall,) = [
        entity["name"] for entity in data["entities"] if any(mark.get("fill") == "wall" for mark in entity["marks"])
    ]
    body, box = sorted(robot["marks"], key=lambda mark: mark["fill"] == [0.0, 1.0, 0.0])
    assert (body["middle"], body["radius"], body["fill"]) == ([0.0, 0.0], 0.25, robot["color"])
    assert sorted(box["points"]) == [[0.2, -0.2], [0.2, 0.2], [0.4, -0.2], [0.4, 0.2]]
    assert wall == "wall_1"


def test_who_changes_its_looks_is_there_twice(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(10)
        run.edit(Update("crate", "color red\n"))
        run.tick(10)
    _, data = paged(tmp_path / "a.mcap", full=True)
    crates = [entity for entity in data["entities"] if entity["name"] == "crate"]
    assert [entity["spans"] for entity in crates] == [[[0, 11]], [[11, 22]]]
    assert crates[1]["color"] == [1.0, 0.0, 0.0]


def test_messages_tell_edits_and_events_in_words(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    _, data = paged(path)
    said = [message["text"] for message in data["messages"]]
    assert "inserted late" in said
    assert "late.target.robots = robot1" in said
    assert "event: robot1.sonars.noise = 0.05" in said
    assert "event: everything put back" in said
    assert data["messages"][1]["time"] == pytest.approx(0.3)


def test_commands_are_told_by_name_and_shown_over_time(tmp_path: Path) -> None:
    spec = load("formation")
    path = tmp_path / "a.mcap"
    with RecordedRun(Simulation(spec), path) as recorded:
        recorded.tick(10)
        recorded.simulation.command("robot1", "motors", 10, (0.3, 0.1))
        recorded.edit(DeviceCommand("robot1", "odometry", 12, [-4.0, 0.0, 0.0]))
        recorded.tick(10)
    _, data = paged(path, full=True)
    assert "/robot1/odometry reset -4 0 0" in [message["text"] for message in data["messages"]]
    robot = data["robots"][0]
    (speed,) = [reading for reading in robot["readings"] if reading["name"] == "motors.set_velocity v"]
    values = array(robot["table"], "<f4").reshape(-1, robot["width"])[:, speed["column"]]
    assert np.isnan(values[0])
    assert values[-1] == pytest.approx(0.3)


def test_robots_without_a_colour_have_different_ones_in_the_page(tmp_path: Path) -> None:
    scenario = tmp_path / "yard.scenario"
    sections = [f"[ROBOT_{n}]\ntype single\nname r{n}\nposition {n} 0 0\n" for n in (1, 2, 3)]
    scenario.write_text("[TARGET]\nred 4 3 0\n" + "".join(sections))
    with RecordedRun(Simulation(load(str(scenario))), tmp_path / "a.mcap") as recorded:
        recorded.tick(2)
    _, data = paged(tmp_path / "a.mcap")
    colors = {entity["name"]: tuple(entity["color"]) for entity in data["entities"] if entity["kind"] == "robot"}
    assert len(set(colors.values())) == 3


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap", scenario="</script><script>alert(1)</script>&") as run:
        run.edit(Note("<img src=x onerror=alert(2)>", "</script>"))
    text, data = paged(tmp_path / "a.mcap")
    parsed = Parsed(text)
    assert [kind for kind, _ in parsed.scripts] == ["application/json", "text/javascript"]
    assert parsed.links == []
    assert data["title"] == "</script><script>alert(1)</script>&"


def test_a_recording_too_long_for_its_readings_leaves_them_out_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coopsim.features.pictures.page_data._MOST_FLOATS", 1000)
    path = simple(tmp_path / "a.mcap")
    _, data = paged(path)
    assert "left out" in data["note"]
    assert {robot["table"] for robot in data["robots"]} == {""}
    assert len(array(data["poses"], "<f4")) <= 1100
    _, whole = paged(path, full=True)
    assert whole["note"] == ""
    assert len(array(whole["times"], "<f8")) == 251


def test_the_page_of_an_hour_stays_below_thirty_megabytes() -> None:
    class Hour:
        duration = 3600.0
        generations = (0,)

        def layout(self, _: int) -> Any:
            return type("Layout", (), {"bodies": ["robot"] * 10, "reading_size": 580})

    page_plan = plan(Hour())  # type: ignore[arg-type]
    floats = page_plan.rate * 3600 * (30 + 580 * page_plan.readings) if page_plan.rate else 0
    assert 4 * floats * 4 / 3 < 33e6


def test_a_recording_without_robots_has_a_page(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap", make_spec(0)) as run:
        run.tick(5)
    _, data = paged(tmp_path / "a.mcap")
    assert (data["robots"], data["moving"]) == ([], 1)


def test_an_empty_recording_has_no_page_and_a_clear_error(tmp_path: Path) -> None:
    from coopsim.recording import Writer

    Writer(tmp_path / "a.mcap").close()
    with Recording.open(tmp_path / "a.mcap") as recording, pytest.raises(DamagedRecording, match="no record"):
        page_data(recording, plan(recording))


def test_the_size_of_the_page_is_told(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap", 20)) as recording:
        size = export_page(recording, tmp_path / "a.html")
    assert size == (tmp_path / "a.html").stat().st_size


# what the page computes, where there is something that runs JavaScript

if NODE:

    def computed(script: str) -> Any:
        """Return what an expression with `logic` in it gives."""
        program = f"const logic = require({json.dumps(str(LOGIC))}); console.log(JSON.stringify({script}))"
        done = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=True, timeout=60)
        return json.loads(done.stdout)

    @pytest.mark.parametrize(("time", "frame"), [(-1, 0), (0, 0), (0.99, 0), (1, 1), (1.5, 1), (2, 2), (9, 2)])
    def test_the_page_finds_the_last_picture_at_or_before_a_time(time: float, frame: int) -> None:
        assert computed(f"logic.frameAt([0, 1, 2], {time})") == frame

    def test_the_page_shows_the_straight_way_between_pictures_and_no_way_where_somebody_was_put_elsewhere() -> None:
        scene = "{times: [0, 0.1, 0.2], moving: 1, poses: [0, 0, 3.1, 0.2, 0.4, -3.1, 9, 9, 0]}"
        x, y, heading = computed(f"logic.poseAt({scene}, 0, 0.05)")
        assert (x, y) == (pytest.approx(0.1), pytest.approx(0.2))
        assert abs(heading) == pytest.approx(np.pi, abs=0.001)
        assert computed(f"logic.poseAt({scene}, 0, 0.15)")[:2] == [0.2, 0.4]

    def test_the_page_reads_the_data_as_they_were_written(tmp_path: Path) -> None:
        path = simple(tmp_path / "a.mcap", 50)
        with Recording.open(path) as recording:
            data = page_data(recording, plan(recording))
        (tmp_path / "data.json").write_text(json.dumps(data))
        read = f"JSON.parse(require('fs').readFileSync({json.dumps(str(tmp_path / 'data.json'))}))"
        numbers = computed(f"[...logic.decode({read}.poses, Float32Array)]")
        assert numbers == array(data["poses"], "<f4").tolist()

    def test_the_page_computes_distances() -> None:
        scene = "{times: [0, 1], moving: 2, poses: [0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 1, 0]}"
        assert computed(f"[...logic.distances({scene}, 0, 1)]") == [5, 1]

    def test_axes_have_round_steps() -> None:
        assert computed("[logic.niceStep(10, 5), logic.niceStep(0.37, 4), logic.niceStep(999, 3)]") == [2, 0.1, 500]

    @pytest.mark.parametrize(("color", "light"), [([0, 0, 1], 0.3), ([0.2, 0.1, 0.5], 0.3)])
    def test_dark_colours_are_lighter_on_a_dark_floor_alone(color: list[float], light: float) -> None:
        assert computed(f"logic.seen({color}, false)") == color
        red, green, blue = computed(f"logic.seen({color}, true)")
        assert 0.2126 * red + 0.7152 * green + 0.0722 * blue > light
        assert computed("logic.seen([1, 0.8, 0.1], true)") == [1, 0.8, 0.1]


def test_who_has_the_body_of_somebody_else_stands_still_on_the_page(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")

    def rename(opened: Opened) -> None:
        for layout in opened.layouts.values():
            next(entity for entity in layout["entities"] if entity["name"] == "robot1")["name"] = "x"

    _, data = paged(forge(path, tmp_path / "forged.mcap", rename))
    assert {entity["row"] for entity in data["entities"] if entity["name"] == "x"} == {-1}
