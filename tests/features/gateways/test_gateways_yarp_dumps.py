"""Recordings as folders for yarpdataplayer, what yarpdatadumper wrote as tables, and scenarios for yarpmanager."""

import csv
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner
from offline_scenes import simple

from coopsim.errors import BadArgument
from coopsim.features.export.command import export
from coopsim.features.gateways.yarp.commands import dump, yarpmanager
from coopsim.features.gateways.yarp.dumps import dumps_in
from coopsim.recording import Recording

INFO = "Type: Bottle;\nStamp: tx+rx;\n[1795231637.738297] /robot1/sonars/data:o [connected]\n"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simple(tmp_path_factory.mktemp("dumps") / "a.mcap", 40)


def dumped(folder: Path, data: str, info: str = INFO) -> Path:
    (folder / "sonars").mkdir()
    (folder / "sonars" / "info.log").write_text(info)
    (folder / "sonars" / "data.log").write_text(data)
    return folder


def test_a_recording_becomes_a_dump_of_each_port_with_all_its_numbers(recorded: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(export, [str(recorded), "--yarp", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    with Recording.open(recorded) as recording:
        records = list(recording.records())
        place = recording.layout(records[0].generation).robot["robot1"]
        module = place.type.module("sonars")
        assert module is not None
        begin = place.reading_offset + module.reading_offset
        rows = [record.readings[begin : begin + module.reading_width] for record in records]
    info = (tmp_path / "out" / "robot1_sonars" / "info.log").read_text()
    assert info.splitlines()[:2] == ["Type: Bottle;", "Stamp: tx;"]
    assert info.endswith("] /robot1/sonars/data:o [connected]\n")
    dumps = {source.name: source for source in dumps_in(tmp_path / "out")}
    assert dumps["robot1_sonars"].port == "/robot1/sonars/data:o"
    bottles = list(dumps["robot1_sonars"].bottles())
    assert [number for number, _, _ in bottles] == list(range(len(records)))
    assert [times for _, times, _ in bottles] == [[pytest.approx(record.time, abs=1e-6)] for record in records]
    assert np.array_equal(np.array([values for _, _, values in bottles], np.float32), np.array(rows), equal_nan=True)
    clock = [values for _, _, values in dumps["clock"].bottles()]
    assert clock[-1] == [*divmod(round(records[-1].time * 1e9), 10**9)]


def test_a_rate_thins_dumps_and_older_ones_are_written_anew(recorded: Path, tmp_path: Path) -> None:
    counts = []
    for _ in range(2):
        result = CliRunner().invoke(export, [str(recorded), "--yarp", str(tmp_path), "--rate", "10"])
        assert "bottles" in result.output
        counts.append(len((tmp_path / "clock" / "data.log").read_text().splitlines()))
    assert counts[0] == counts[1] == 5


def test_what_a_dumper_wrote_becomes_a_table(tmp_path: Path) -> None:
    folder = dumped(tmp_path, '7 0.5 100.25 1 (2.5 3) "a b"\n8 0.6 100.35 4\n\n')
    result = CliRunner().invoke(dump, [str(folder), "-o", str(tmp_path / "tables")])
    assert "2 rows of /robot1/sonars/data:o" in result.output
    with (tmp_path / "tables" / "sonars.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["number", "time_tx", "time_rx", "value_0", "value_1", "value_2", "value_3"],
            ["7", "0.5", "100.25", "1", "2.5", "3", "a b"],
            ["8", "0.6", "100.35", "4"],
        ]
    assert dumps_in(folder / "sonars")[0].name == "sonars"


@pytest.mark.parametrize(
    ("data", "info", "says"),
    [
        ("7 0.5\n", INFO, r"data.log:1: expected NUMBER TIME\(tx\) TIME\(rx\) BOTTLE, got '7 0.5'"),
        ("1 0.1 0.2 5\nx 0.5 1.0 3\n", INFO, "data.log:2: expected NUMBER"),
        ("1 0.1 0.2 (5\n", INFO, "data.log:1: .*missing"),
        ("", "Type: Image;\n", "info.log: expected `Type: Bottle;`, got 'Image'"),
        ("", "", "info.log: expected `Type: Bottle;`, got 'no type'"),
    ],
)
def test_what_is_no_dump_is_told_with_its_line(tmp_path: Path, data: str, info: str, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        list(dumps_in(dumped(tmp_path, data, info))[0].bottles())


def test_folders_without_dumps_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="as yarpdatadumper writes them"):
        dumps_in(tmp_path)
    (tmp_path / "data.log").write_text("1 0.1 5\n")
    with pytest.raises(BadArgument, match=r"info.log: No such file"):
        dumps_in(tmp_path)


def test_a_scenario_becomes_an_application_of_yarpmanager(tmp_path: Path) -> None:
    out = tmp_path / "vee.xml"
    words = ["vee", "-o", str(out), "--dump", "my data", "--node", "icub1", "--names", "19100"]
    result = CliRunner().invoke(yarpmanager, words)
    assert result.exit_code == 0, result.output
    root = ET.parse(out).getroot()
    modules = [(module.findtext("name"), module.findtext("parameters")) for module in root.iter("module")]
    assert modules[:2] == [
        ("coopsim", "run vee --no-gui"),
        ("coopsim", "gateway yarp --port 19100 --once"),
    ]
    sonars = '--name /dump/robot3_sonars --dir "my data/robot3_sonars" --txTime'
    assert ("yarpdatadumper", sonars) in modules
    assert {module.findtext("node") for module in root.iter("module")} == {"icub1"}
    joined = [[part.text for part in connection] for connection in root.iter("connection")]
    assert ["/robot3/sonars/data:o", "/dump/robot3_sonars", "fast_tcp"] in joined
    assert len(joined) == len(modules) - 2
    bare = CliRunner().invoke(yarpmanager, ["vee", "-o", str(tmp_path / "bare.xml")])
    assert bare.exit_code == 0
    assert "dumper" not in (tmp_path / "bare.xml").read_text()
    assert CliRunner().invoke(yarpmanager, ["vee", "-o", "vee.txt"]).exit_code == 2
