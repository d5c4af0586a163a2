"""The library of the lane: found, refused, left aside, and fed with hostile bytes."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from coopsim import lane
from coopsim.server.lane import library as lane_library
from coopsim.server.lane.library import LaneLibrary, find

ROOT = Path(__file__).parents[3]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler: apt-get install gcc libc6-dev")


def test_hostile_bytes_neither_get_in_nor_beyond_a_buffer(tmp_path: Path) -> None:
    """200 000 messages, whole, cut and changed, and a cut at every byte, under the sanitizers of the compiler."""
    program = tmp_path / "fuzz"
    build = [
        "cc",
        "-std=gnu11",
        "-g",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        *SANITIZERS,
        "-o",
        program,
        ROOT / "tests" / "fuzz" / "lane.c",
    ]
    subprocess.run(build, check=True)
    done = subprocess.run([program, "200000"], capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    taken = int(done.stdout.split()[2])
    assert 40_000 < taken < 120_000


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Return a library that was built here, whether or not the lane is installed."""
    library = tmp_path / "_lane.so"
    sources = sorted((ROOT / "coopsim" / "lane").glob("*.c"))
    subprocess.run(["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o", library, *sources], check=True)
    return library


def offer(monkeypatch: pytest.MonkeyPatch, path: Path | None) -> None:
    monkeypatch.setattr(lane, "library_file", lambda: path)


def test_it_is_found_unless_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch, built: Path) -> None:
    offer(monkeypatch, built)
    assert isinstance(find({}), LaneLibrary)
    assert isinstance(find({"COOPSIM_LANE": "on"}), LaneLibrary)
    assert find({"COOPSIM_LANE": "off"}) is None


def test_without_it_nothing_is_said(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    offer(monkeypatch, None)
    assert find({}) is None
    assert not caplog.records


def test_one_of_another_version_is_left_aside_with_a_word(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, built: Path
) -> None:
    offer(monkeypatch, built)
    monkeypatch.setattr(lane_library, "_INTERFACE", 99)
    assert find({}) is None
    assert "was built for another version of coopsim; install coopsim anew" in caplog.text


def test_one_that_is_none_is_left_aside_with_a_word(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    damaged = tmp_path / "_lane.so"
    damaged.write_bytes(b"no library")
    offer(monkeypatch, damaged)
    assert find({}) is None
    assert "install coopsim anew" in caplog.text


def test_both_sides_mean_the_same_memory(built: Path) -> None:
    sizes = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64()
    ctypes.CDLL(str(built)).lane_interface(*map(ctypes.byref, sizes))
    assert [siz.value for siz in sizes] == [
        ctypes.sizeof(structure)
        for structure in (lane_library.LaneState, lane_library.LaneMember, lane_library.LaneForm)
    ]
