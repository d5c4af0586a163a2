"""A recording as tables."""

import csv
import importlib.util
import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from offline_scenes import LATE, copy, drive, eventful, simple, started

from coopsim.errors import NoSuchPlugin
from coopsim.features.export.files import export_tables
from coopsim.features.export.tables import _Changes, schemas
from coopsim.interfaces import MOTORS, Command, Effect, Field, Interface
from coopsim.recording import Recording
from coopsim.state import Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.state.edits import Insert, Note

TABLES = ("poses", "readings", "commands", "edits")


def rows_of(path: Path, folder: Path, table: str, rate: float | None = None) -> list[dict[str, str]]:
    with Recording.open(path) as recording:
        counts = export_tables(recording, "csv", folder, rate)
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert counts[table] == len(rows)
    return rows


def test_poses_are_as_exact_as_the_recording(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 150)
    rows = rows_of(path, tmp_path / "out", "poses")
    with Recording.open(path) as recording:
        records = list(recording.records())
        bodies = recording.layout(records[0].generation).bodies
    assert len(rows) == len(records) * len(bodies)
    names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    for number in (0, 57, 150):
        for row, body in enumerate(bodies):
            line = rows[number * len(bodies) + row]
            assert (line["entity"], int(line["tick"])) == (body, records[number].tick)
            assert float(line["time"]) == records[number].time
            values = np.array([float(line[name]) for name in names], np.float32)
            assert np.array_equal(values, records[number].poses[row].astype(np.float32))


def test_readings_have_a_column_each_under_the_names_of_clients(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 30)
    rows = rows_of(path, tmp_path / "out", "readings")
    with Recording.open(path) as recording:
        *_, record = recording.records()
        layout = recording.layout(record.generation)
        place = layout.robot["robot2"]
        module = place.type.module("sonars")
        assert module is not None
        begin = place.reading_offset + module.reading_offset
    assert (rows[-1]["robot"], rows[-1]["tick"]) == ("robot2", "30")
    ranges = [np.float32(rows[-1][f"sonars.ranges[{index}]"]) for index in range(11)]
    assert ranges == record.readings[begin : begin + 11].astype(np.float32).tolist()
    assert float(rows[-1]["motors.v"]) > 0.0


def test_a_command_has_a_row_when_it_came(tmp_path: Path) -> None:
    rows = rows_of(simple(tmp_path / "a.mcap", 150, w=0.5), tmp_path / "out", "commands")
    said = [(row["tick"], row["robot"], row["module"], row["command"], row["value_0"], row["value_1"]) for row in rows]
    assert said == [
        ("1", "robot1", "motors", "set_velocity", "0.4", "0.05"),
        ("1", "robot2", "motors", "set_velocity", "0.4", "0.05"),
        ("101", "robot2", "motors", "set_velocity", "0.4", "0.5"),
    ]


def test_edits_are_told_with_their_details(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    rows = rows_of(path, tmp_path / "out", "edits")
    assert [row["edit"] for row in rows][:4] == ["checkpoint", "insert", "set_parameter", "snapshot"]
    assert json.loads(rows[1]["details"]) == {"text": LATE}
    event, _ = [row for row in rows if row["event"] == "1" and row["edit"] == "set_parameter"]
    assert (event["tick"], json.loads(event["details"])["name"]) == ("51", "noise")


def test_a_robot_has_rows_while_it_is_there(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    rows = rows_of(path, tmp_path / "out", "poses")
    ticks = [int(row["tick"]) for row in rows if row["entity"] == "late"]
    assert (min(ticks), max(ticks)) == (30, 425)


def test_robots_of_several_types_share_a_table_and_have_nothing_where_a_device_is_missing(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.edit(Insert("[ROBOT_1]\ntype bench\nname small\nposition 0 -3 0\n"))
        run.tick(3)
    rows = rows_of(tmp_path / "a.mcap", tmp_path / "out", "readings")
    small = [row for row in rows if row["robot"] == "small"][-1]
    assert small["odometry.x"] == ""
    assert float(small["sonars.ranges[0]"]) > 0.0


@pytest.mark.parametrize(("rate", "expected"), [(None, 251), (20.0, 51), (10.0, 26), (0.5, 2)])
def test_a_rate_thins_poses_and_readings_alone(tmp_path: Path, rate: float | None, expected: int) -> None:
    path = simple(tmp_path / "a.mcap")
    rows = rows_of(path, tmp_path / "out", "poses", rate)
    # the record of the checkpoint is at the same time as the start
    assert sum(row["entity"] == "robot1" for row in rows) == expected
    assert len(rows_of(path, tmp_path / "out", "commands", rate)) == 3


def test_json_lines_hold_the_same_as_csv(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    with Recording.open(path) as recording:
        kinds = schemas(recording)
        counts = export_tables(recording, "jsonl", tmp_path / "lines")
    for table in TABLES:
        rows = rows_of(path, tmp_path / "out", table)
        lines = [json.loads(line) for line in (tmp_path / "lines" / f"{table}.jsonl").read_text().splitlines()]
        assert counts[table] == len(lines) == len(rows)
        for row, line in zip(rows, lines, strict=True):
            assert line == {name: _typed(kinds[table][name], text) for name, text in row.items() if text}


def _typed(kind: str, text: str) -> Any:
    makers: dict[str, Any] = {"int": int, "float32": float, "float64": float, "json": json.loads}
    return makers.get(kind, str)(text)


def test_tables_of_a_recording_without_robots_have_a_header(tmp_path: Path) -> None:
    from offline_scenes import make_spec

    with started(tmp_path / "a.mcap", make_spec(0)) as run:
        run.tick(3)
    assert rows_of(tmp_path / "a.mcap", tmp_path / "out", "commands") == []
    assert (tmp_path / "out" / "commands.csv").read_text() == "tick,time,robot,module,command,stamp,number\n"


def test_what_is_left_of_a_cut_recording_is_exported(tmp_path: Path) -> None:
    path = copy(simple(tmp_path / "a.mcap"), tmp_path / "b.mcap", without=range(100, 130))
    rows = rows_of(path, tmp_path / "out", "poses")
    assert sum(row["entity"] == "robot1" for row in rows) == 251 - 30


def test_infinite_readings_are_null_in_json(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        drive(run)
        run.simulation.readings[0] = np.inf
        run.edit(Note("x"))
    with Recording.open(tmp_path / "a.mcap") as recording:
        export_tables(recording, "jsonl", tmp_path / "out")
    *_, line = [line for line in (tmp_path / "out" / "readings.jsonl").read_text().splitlines() if '"robot1"' in line]
    assert json.loads(line)["motors.v"] is None


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_disk_that_is_full_leaves_older_tables_and_no_halves(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    with Recording.open(simple(tmp_path / "a.mcap", 3)) as recording:
        export_tables(recording, kind, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert sorted(before) == sorted(f"{table}.{kind}" for table in TABLES)

    path = simple(tmp_path / "b.mcap", 250)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Recording.open(path) as recording:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                export_tables(recording, kind, out)
            with pytest.raises(OSError, match="too large"):
                export_tables(recording, kind, tmp_path / "new")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert list((tmp_path / "new").iterdir()) == []


# parquet is there when pyarrow is


def test_parquet_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        Recording.open(simple(tmp_path / "a.mcap", 3)) as recording,
        pytest.raises(NoSuchPlugin, match=r"needs the package pyarrow"),
    ):
        export_tables(recording, "parquet", tmp_path / "out")
    assert not (tmp_path / "out").exists()


if importlib.util.find_spec("pyarrow"):

    def test_parquet_holds_the_same_as_csv(tmp_path: Path) -> None:
        from pyarrow import parquet

        path, _ = eventful(tmp_path / "a.mcap")
        with Recording.open(path) as recording:
            kinds = schemas(recording)
            counts = export_tables(recording, "parquet", tmp_path / "pq")
        for table in TABLES:
            lines = parquet.read_table(tmp_path / "pq" / f"{table}.parquet").to_pylist()
            rows = rows_of(path, tmp_path / "out", table)
            assert counts[table] == len(lines) == len(rows)
            for row, line in zip(rows[-50:], lines[-50:], strict=True):
                for name, text in row.items():
                    kind = kinds[table][name]
                    wanted = text if kind in ("text", "json") else _typed(kind, text) if text else None
                    assert line[name] == (np.float32(wanted) if kind == "float32" and wanted is not None else wanted)


class Rows:
    """Two records of one robot, as the table of commands looks at them."""

    ticks = np.array([1, 2])

    def __init__(self, *slots: tuple[float, ...]) -> None:
        self.commands = np.array(slots)

    def head(self, _: str) -> Any:
        return np.array([10_000_000, 20_000_000])


def alone(interface: Interface) -> Layout:
    """Return a layout of one robot with one module."""
    width = 2 + interface.setting_width
    kind = TypeLayout("it", (ModuleLayout("motors", interface, {}, (), 0, -1, 0, True),), width, 0)
    return Layout(1, (kind,), (RobotPlace("robot1", kind, 0, 0, 0),), (), ("robot1",), width, 0)


def test_a_robot_of_another_type_may_have_the_name_of_one_that_is_gone() -> None:
    takes = tuple(Field(name, "m") for name in ("x", "y", "z"))
    flying = Interface("drone", "It flies.", (Command(10, "set_velocity", "Fly.", takes, (), Effect.SET),))
    changes = _Changes(["tick", "value_0", "value_1", "value_2"])
    driven = changes.of(alone(MOTORS), Rows((1, 10, 0.1, 0.2), (1, 10, 0.1, 0.2)))
    flown = changes.of(alone(flying), Rows((0, 0, 0, 0, 0), (1, 10, 1, 2, 3)))
    assert [list(table["tick"]) for table in (driven, flown)] == [[1], [2]]
    assert [flown[f"value_{n}"][0] for n in range(3)] == [1.0, 2.0, 3.0]
