"""A recording as one wide table."""

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from offline_scenes import eventful, make_spec, simple, started

from coopsim.features.export import wide as export_wide
from coopsim.features.export.files import export_tables
from coopsim.recording import Recording
from coopsim.replay.columns import POSE, TWIST, reading_names


def wide_rows(path: Path, folder: Path, rate: float | None = None) -> list[dict[str, str]]:
    with Recording.open(path) as recording:
        counts = export_tables(recording, "csv", folder, rate, wide=True)
    assert [file.name for file in folder.iterdir()] == ["wide.csv"]
    with (folder / "wide.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert counts == {"wide": len(rows)}
    return rows


def test_every_cell_is_bit_by_bit_what_was_recorded_or_empty(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    rows = wide_rows(path, tmp_path / "out")
    with Recording.open(path) as recording:
        ended = [next(records) for _, records in groupby(recording.records(), key=lambda record: record.tick)]
        assert len(rows) == len(ended)
        for row, record in zip(rows, ended, strict=True):
            assert (int(row.pop("tick")), float(row.pop("time"))) == (record.tick, record.time)
            layout, wanted = recording.layout(record.generation), {}
            for index, body in enumerate(layout.bodies):
                motion = [*record.poses[index], *record.twists[index]]
                wanted |= {f"{body}.{name}": value for name, value in zip((*POSE, *TWIST), motion, strict=True)}
                assert row.pop(f"{body}.heading") != ""
            for place in layout.robots:
                readings = record.readings[place.reading_offset : place.reading_offset + place.type.reading_width]
                names = [f"{place.name}.{name}" for name in reading_names(place.type)]
                wanted |= dict(zip(names, readings, strict=True))
            cells = {name: text for name, text in row.items() if text}
            present = {name: value for name, value in wanted.items() if not np.isnan(value)}
            assert cells.keys() == present.keys()
            given = np.array([cells[name] for name in present], np.float32)
            assert given.tobytes() == np.array(list(present.values()), np.float32).tobytes()


def test_who_comes_later_has_empty_cells_before(tmp_path: Path) -> None:
    rows = wide_rows(eventful(tmp_path / "a.mcap")[0], tmp_path / "out")
    first = next(number for number, row in enumerate(rows) if row["late.x"])
    assert {row["late.sonars.ranges[3]"] for row in rows[:first]} == {""}
    assert int(rows[first]["tick"]) == 31
    ticks_without = [int(row["tick"]) for row in rows if not row["crate.x"]]
    assert ticks_without, "it was removed, and put back by an event"
    assert ticks_without == list(range(ticks_without[0], ticks_without[-1] + 1))


@pytest.mark.parametrize(("rate", "expected"), [(None, 251), (20.0, 51), (0.5, 2), (1000.0, 251)])
def test_a_tick_has_one_row_and_a_rate_thins_them(tmp_path: Path, rate: float | None, expected: int) -> None:
    assert len(wide_rows(simple(tmp_path / "a.mcap"), tmp_path / "out", rate)) == expected


def test_many_columns_are_taken_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = simple(tmp_path / "a.mcap", 30)
    whole = wide_rows(path, tmp_path / "whole")
    monkeypatch.setattr(export_wide, "_CELLS", 300)
    assert wide_rows(path, tmp_path / "out") == whole


def test_a_recording_without_robots_has_its_objects(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap", make_spec(0)) as run:
        run.tick(3)
    rows = wide_rows(tmp_path / "a.mcap", tmp_path / "out")
    assert [row["crate.x"] for row in rows] == ["2.0"] * 4
