"""A run that is judged piece by piece is judged as it is as a whole, in memory for one piece."""

import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.metrics import control
from coopsim.features.metrics.control import Quantiles
from coopsim.interfaces import MOTORS, SUPPORT, width
from coopsim.metrics import (
    ArrayPart,
    Formation,
    Measurement,
    Pieces,
    RunArrays,
    RunningGoals,
    judge,
    measure,
)
from coopsim.metrics.arrays import last_of_each_instant
from coopsim.plugins import add, forget
from coopsim.scene import Goal
from coopsim.state import EntityRow, Layout, ModuleLayout, RobotPlace, TypeLayout

RECORDS = 120
DRIVE, LOAD = width(MOTORS.readings, {}), width(SUPPORT.readings, {})
TYPE = TypeLayout(
    "carrier",
    (
        ModuleLayout("motors", MOTORS, {}, (), 0, 0, DRIVE, True),
        ModuleLayout("support", SUPPORT, {}, (), -1, DRIVE, LOAD, False),
    ),
    6,
    DRIVE + LOAD,
)
GOALS = [
    Goal("there", "reach", "point", "", (0.5, 0.5, 0.4), ("b",)),
    Goal("with", "reach", "entity", "a", (0.05,), ("b",), within=9.0),
    Goal("shape", "keep", "formation", "", (0.3,), ("a", "b")),
    Goal("near", "keep", "distance", "b", (0.1, 1.2), ("a", "c"), until_goal="there"),
    Goal("out", "avoid", "area", "", (0.9, 0.9, 2.0, 2.0), ("a", "b", "c"), until=8.0),
    Goal("gap", "avoid", "clearance", "", (0.01,), ("a", "c")),
    Goal("push", "avoid", "reading", "support.force_x", (2.0,), ("a", "b", "c")),
    Goal("way", "score", "below", "path_length", (3.0,)),
]


def part(chance: np.random.Generator, names: str, generation: int, begin: float) -> ArrayPart:
    """Return a part in which robots are where chance puts them; every tenth record repeats the time before it."""
    upright = (1.0, 0.0, 0.0, 0.0)
    rows = [
        EntityRow(name, "robot", "carrier", row, (0.0, 0.0, 0.0, *upright), (0.4, 0.4, 0.3), 2.0, (0.0,) * 3, 0.3)  # type: ignore[arg-type]
        for row, name in enumerate(names)
    ]
    places = tuple(
        RobotPlace(name, TYPE, row * TYPE.command_width, row * TYPE.reading_width, row)
        for row, name in enumerate(names)
    )
    poses = np.zeros((RECORDS, len(names), 7), np.float32)
    poses[:, :, :2] = chance.uniform(0.0, 1.1, (RECORDS, len(names), 2))
    poses[:, :, 3] = 1.0
    commands = chance.integers(0, 2, (RECORDS, len(names) * TYPE.command_width)).cumsum(axis=0).astype(float)
    commands[:, 1 :: TYPE.command_width] = chance.choice([10.0, 11.0], (RECORDS, len(names)))
    return ArrayPart(
        Layout(generation, (TYPE,), places, tuple(rows), tuple(names)),
        begin + 0.05 * (np.arange(RECORDS) - (np.arange(RECORDS) % 10 == 9)),
        poses,
        chance.normal(size=(RECORDS, len(names), 6)).astype(np.float32),
        chance.normal(size=(RECORDS, len(names) * TYPE.reading_width)).astype(np.float32),
        commands,
        np.arange(RECORDS),
        chance.random(RECORDS),
    )


def random_run() -> tuple[list[ArrayPart], tuple[Formation, ...]]:
    """Return a run in which robots come and go."""
    chance = np.random.default_rng(1)
    parts = [part(chance, names, n, 6.0 * n) for n, names in enumerate(("ab", "abc", "bc", "bca"), 1)]
    return parts, (Formation(("a", "b"), np.array([[0.0, 0.0], [0.0, 0.5]])),)


def cut(parts: Sequence[ArrayPart], formations: Sequence[Formation], records: int) -> list[RunArrays]:
    """Return a run in pieces of so many records."""
    pieces = Pieces(formations, records)
    whole_pieces = [piece for part in parts for piece in pieces.add(part)]
    return [*whole_pieces, pieces.rest()]


@pytest.mark.parametrize("records", [1, 7, 100])
def test_pieces_are_measured_and_judged_as_the_whole_run_is(records: int) -> None:
    parts, formations = random_run()
    whole = RunArrays(last_of_each_instant(parts), formations)
    measurement, goals = Measurement(), RunningGoals(GOALS)
    for piece in cut(parts, formations, records):
        measurement.add(piece)
        goals.add(piece)
    expected = measure(whole)
    assert {"contacts", "formation_error_rms", "tracking_error_p95", "force_max", "bar_angle_max"} <= set(expected)
    assert measurement.metrics() == pytest.approx(expected, abs=2e-9)
    assert goals.results(expected) == judge(GOALS, whole, expected)
    assert {verdict.met for verdict in judge(GOALS, whole, expected)} == {True, False}


def test_force_and_angle_of_a_bar_count_while_it_lies_on_a_support() -> None:
    (piece, *_), _ = random_run()
    assert (
        measure(RunArrays((replace(piece, readings=np.zeros_like(piece.readings)),)), ["bar_force", "bar_angle"]) == {}
    )
    readings = np.zeros_like(piece.readings)
    readings[:60, DRIVE : DRIVE + LOAD] = (np.pi / 2 + 0.1, 0.0, 0.0, 3.0, 4.0, 1.0)
    readings[:60, TYPE.reading_width + DRIVE :] = (-np.pi / 2 + 0.3, 0.0, 0.0, 0.0, -1.0, 1.0)
    metrics = measure(RunArrays((replace(piece, readings=readings),)), ["bar_force", "bar_angle"])
    assert metrics == pytest.approx(
        {"bar_force_mean": 3.0, "bar_force_max": 5.0, "bar_angle_mean": 0.2, "bar_angle_max": 0.3}, abs=1e-6
    )


def test_pieces_are_the_same_however_records_come() -> None:
    parts, formations = random_run()
    singly = [part.records(slice(row, row + 1)) for part in parts for row in range(len(part))]
    once, again = cut(parts, formations, 50), cut(singly, formations, 50)
    assert [len(piece.times) for piece in once[:-1]] == [50] * (len(once) - 1)
    for first, second in zip(once, again, strict=True):
        assert first.times.tolist() == second.times.tolist()
        assert first.poses("b").tolist() == second.poses("b").tolist()


def test_records_of_pieces_that_are_measured_are_not_kept_but_for_metrics_that_need_them_all(tmp_path: Path) -> None:
    assert not _is_first_kept(Measurement())
    path = tmp_path / "whole.py"
    path.write_text("PLUGINS = {'metrics': {'records': lambda run: len(run.times)}}\n")
    add(path)
    try:
        measurement = Measurement(["records"])
        assert _is_first_kept(measurement)
        assert measurement.metrics() == {"records": 2 * RECORDS}
    finally:
        forget(path)


def _is_first_kept(measurement: Measurement) -> bool:
    (first_piece, second_piece, *_), _ = random_run()
    first = weakref.ref(first_piece)
    measurement.add(RunArrays((first_piece,)))
    measurement.add(RunArrays((second_piece,)))
    del first_piece
    return first() is not None


def test_quantiles_of_very_many_values_are_nearly_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).exponential(0.2, 50_000)
    quantiles = Quantiles()
    monkeypatch.setattr(control, "EXACT", 1000)
    for part in np.array_split(values, 30):
        quantiles.add(part)
    assert quantiles.at([0.0, 0.5, 0.95]) == pytest.approx(np.quantile(values, [0.0, 0.5, 0.95]), rel=5e-4, abs=1e-6)
