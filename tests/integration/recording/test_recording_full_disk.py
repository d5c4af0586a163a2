"""A disk that is really full: the simulation goes on, and what was written can be read."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from recorded_runs import assert_unbroken, scene, tick_of, ticks_of, wait_for_ticks, wait_until

from coopsim.client import connect
from coopsim.errors import CannotRecord
from coopsim.recording import Recording, recover
from coopsim.testkit import Run

pytestmark = pytest.mark.integration

SIZE = 1 << 17
Disk = tuple[Path, Callable[[Run], None]]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Disk]:
    """Return a folder with room for 128 KiB, and what makes it so small where a file system may not be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "coopsim-test", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield folder, lambda run: resource.prlimit(run.recorder, resource.RLIMIT_FSIZE, (SIZE, SIZE))
        return
    try:
        yield folder, lambda run: None
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_the_run_goes_on_when_the_disk_is_full_and_says_so(small_disk: Disk) -> None:
    folder, limit = small_disk
    path = folder / "a.mcap"
    with Run(scene(20), "--no-controllers", "--json", "--record", str(path)) as run, connect(run.endpoint) as sim:
        limit(run)
        sim.clock.set_mode("free")
        wait_until(lambda: sim.recorder.status().recording == 0)
        full_at = tick_of(sim)
        status = sim.recorder.status()
        assert str(path) in status.problem
        wait_for_ticks(sim, 100)
        with pytest.raises(CannotRecord):
            sim.recorder.stop()
    assert "Traceback" not in run.printed
    assert f"{path}: " in run.printed
    assert "the run goes on" in run.printed
    assert run.summary["ticks"] > full_at
    assert_unbroken(path)
    ticks = ticks_of(path)
    assert len(ticks) > 100
    with Recording.open(path) as recording:
        assert not recording.complete
    recover(path, folder.parent / "b.mcap")
    assert ticks_of(folder.parent / "b.mcap") == ticks


def test_a_run_whose_recording_failed_ends_with_1(small_disk: Disk) -> None:
    folder, limit = small_disk
    path = folder / "a.mcap"
    options = ("--no-controllers", "--json", "--mode", "free", "--duration", "80")
    with Run(scene(20), *options, "--record", str(path)) as run:
        limit(run)
        assert run.wait() == 1
    assert "with an error: the recording" in run.printed
    assert run.summary["ticks"] == 8000
