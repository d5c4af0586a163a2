"""Fidelity and real-time reports: what they say of logs and of ticks."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.app import main
from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.pictures.palette import SERIES_ON_PAPER
from coopsim.features.pictures.svg import color
from coopsim.features.studies import eights, fidelity, realtime
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

_WANTED = np.array([[0.1, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1], [0.1, 0.0, 0.0]])
HEAD = "time,x,y,z,wanted_x,wanted_y,wanted_z\n"
TABLE = np.column_stack([np.arange(5) * 0.1, np.zeros((5, 3)), _WANTED])


def test_the_distribution_is_the_share_of_time_closer_than_a_distance() -> None:
    """S-56, S-57: it grows to 1, which is the text's meaning; the printed formula would fall to 0."""
    flight = fidelity.tracking("flight", TABLE)
    assert [round(flight.closer_than(distance), 6) for distance in (0.05, 0.1, 0.2, 0.3)] == [0.0, 0.6, 0.6, 1.0]
    assert flight.mean == pytest.approx(0.18)
    assert flight.std == pytest.approx(math.sqrt(0.0096))
    assert fidelity.ks_distance(flight, flight) == 0.0
    late = fidelity.Tracking("late", np.array([0.0, 1.0, 1.1]), np.array([1.0, 0.0, 0.0]))
    assert late.closer_than(0.5) == pytest.approx(0.2 / 1.2)  # by time, not by rows


def test_the_ks_distance_is_found_exactly_however_many_instants_there_are() -> None:
    times = np.arange(6000) * 0.01
    first = fidelity.Tracking("a", times, np.linspace(0.1, 0.2, 6000))
    moved = first.distances.copy()
    moved[3001:3003] += 0.05  # a difference in two rows alone, between those that a coarser look takes
    second = fidelity.Tracking("b", times, moved)
    jumps = [*first.distances, *second.distances]
    exact = max(abs(np.mean(first.distances <= jump) - np.mean(second.distances <= jump)) for jump in jumps)
    assert fidelity.ks_distance(first, second) == pytest.approx(exact, abs=1e-12)
    assert fidelity.ks_distance(first, second) == pytest.approx(2 / 6000, abs=1e-9)
    by_time = fidelity.Tracking("c", np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    assert fidelity.ks_distance(by_time, fidelity.Tracking("d", by_time.times, np.zeros(3))) == pytest.approx(0.8)


def test_recordings_of_robots_with_an_autopilot_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S-51: a flight of one's own."""
    (tmp_path / "fly.scenario").write_text(
        "[ROBOT_1]\ntype quadrotor\nname q\n[SIMULATION]\nengine flight\nstep 0.02\n"
    )
    spec = load(tmp_path / "fly.scenario")
    for name, place in (("a", (0.0, 0.0, 1.0)), ("b", (0.5, 0.0, 1.0))):
        simulation = Simulation(spec)
        with RecordedRun(simulation, tmp_path / f"{name}.mcap", attachments={RUN: spec_to_json(spec)}) as run:
            number = simulation.layout.robot["q"].type.module("autopilot").interface.command("go_to").number
            simulation.command("q", "autopilot", number, place)
            run.tick(120)
    logs = [str(tmp_path / f"{name}.mcap") for name in "ab"]
    assert main.run(["report", "fidelity", *logs, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [result["case"] for result in printed["results"]] == ["a", "b"]
    first, second = (result["mean"] for result in printed["results"])
    assert 0.01 < first < second
    assert main.run(["report", "fidelity", *logs]) == 0
    assert "a and b: KS distance 0." in capsys.readouterr().out


def test_logs_are_compared_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """S-51: a flight that was recorded elsewhere is a log."""
    logs = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for factor, log in enumerate(logs, 1):
        fidelity.write_table(log, TABLE * [1, 1, 1, 1, factor, factor, factor])
    picture = tmp_path / "fidelity.svg"
    assert main.run(["report", "fidelity", *map(str, logs), "--out", str(picture), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [(result["case"], result["mean"]) for result in printed["results"]] == [("a", 0.18), ("b", 0.36)]
    first, second = (fidelity.read_log(log) for log in logs)
    assert printed["pairs"] == [{"first": "a", "second": "b", "ks_distance": fidelity.ks_distance(first, second)}]
    assert "mean 0.1800 m" in picture.read_text()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("time,x\n0,1\n", "a.csv:1: expected the columns time, x, y"),
        ("time,x,y,z,wanted_x,wanted_y,wanted_z\n0,0,0,0,0,0,zero\n", "a.csv:2: expected 7 numbers"),
        ("time,x,y,z,wanted_x,wanted_y,wanted_z\n0,0,0,0,0,0,nan\n", "a.csv:2: expected finite"),
        ("time,x,y,z,wanted_x,wanted_y,wanted_z\n1,0,0,0,0,0,0\n1,0,0,0,0,0,0\n", "a.csv:3: expected a time after 1"),
        ("time,x,y,z,wanted_x,wanted_y,wanted_z\n1,0,0,0,0,0,0\n", "two instants"),
    ],
)
def test_what_is_no_flight_is_refused_with_its_line(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(BadFile, match=match) as refusal:
        fidelity.read_log(tmp_path / "a.csv")
    assert "coopsim check" not in refusal.value.cure  # which reads no tables
    with pytest.raises(NoSuchFile, match="there is no such file"):
        fidelity.read_log(tmp_path / "b.csv")


def test_a_folder_in_place_of_a_log_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "flights.csv").mkdir()
    with pytest.raises(NoSuchFile, match=r"flights\.csv: expected a file, got a folder") as refusal:
        fidelity.read_log(tmp_path / "flights.csv")
    assert "coopsim report fidelity --help" in refusal.value.cure
    assert refusal.value.params == (str(tmp_path / "flights.csv"),)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f"{HEAD}0,0,0,0,0,0,0\n".encode("utf-16"), "a.csv:1: expected the columns .* in UTF-8; missing: time, x"),
        (HEAD.replace("time", "zeit\xfc").encode("latin-1"), "a.csv:1: .*; missing: time$"),
        (f'{HEAD}0,0,0,0,0,0,"{"1" * 200_000}\n'.encode(), "a.csv:2: no table: field larger"),
        (f"{HEAD}0,0,0,0,0,0,\xfc{'1' * 1000}\n".encode("latin-1"), "a.csv:2: expected 7 numbers, got .{1,80}$"),
    ],
)
def test_a_table_in_another_encoding_or_without_an_end_is_refused_with_its_line(
    tmp_path: Path, content: bytes, text: str
) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(BadFile, match=text):
        fidelity.read_log(tmp_path / "a.csv")


def test_a_table_with_the_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"\ufeff{HEAD}0,0,0,0,3,4,0\n1,0,0,0,3,4,0\n")
    assert fidelity.read_log(tmp_path / "a.csv").distances.tolist() == [5.0, 5.0]


def test_the_time_of_ticks_is_told_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "times.svg"
    command = ["report", "realtime", "--robots", "3", "--robots", "5", "--samples", "8", "--out", str(picture)]
    assert main.run([*command, "--json"]) == 0
    results = json.loads(capsys.readouterr().out.splitlines()[-1])["results"]
    assert [result["robots"] for result in results] == [3, 5]
    for row in results:
        assert row["p25_ms"] <= row["median_ms"] <= row["p75_ms"] <= row["max_ms"]
        assert row["real_time_factor"] == pytest.approx(20.0 / row["median_ms"], rel=0.02)
    assert color(SERIES_ON_PAPER[2]) in picture.read_text()  # the green line


def test_outliers_are_beyond_one_and_a_half_boxes() -> None:
    times = realtime.StepTimes(1, np.array([1.0, 2.0, 3.0, 4.0, 20.0]))
    low, high, outliers = times.whiskers()
    assert (low, high, outliers.tolist()) == (1.0, 4.0, [20.0])
    assert len(realtime.PAPER_CASES) == 11
    assert set(realtime.PAPER_CASES) < set(realtime.CASES)


def test_places_on_a_sphere_keep_their_distance_from_each_other() -> None:
    places = np.array(realtime.sphere(70, 1.2))
    middle = places.mean(axis=0)
    radius = np.linalg.norm(places - middle, axis=1)
    away = np.linalg.norm(places[:, None] - places[None], axis=2) + 9.0 * np.eye(70)
    assert radius.std() < 0.05
    assert away.min() > 1.0
    assert places[:, 2].min() > 0.5


def test_an_eight_of_the_simulator_is_tracked_as_the_paper_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """S-61 to S-63: both means are at most the paper's, and no less than a third of it; the vertical one is better."""
    monkeypatch.setattr(eights, "ROUNDS", 1)
    horizontal, vertical = (eights.simulated_flight(is_vertical, engine="flight") for is_vertical in (False, True))
    assert vertical.mean < horizontal.mean <= fidelity.PAPER["simulated horizontal"][0]
    assert vertical.mean <= fidelity.PAPER["simulated vertical"][0]
    for tracking in (horizontal, vertical):
        mean, deviation = fidelity.PAPER[tracking.case]
        assert tracking.mean > mean / 3.0
        assert deviation / 3.0 < tracking.std < 1.5 * deviation
    assert horizontal.to_json()["paper_mean"] == 0.1245
