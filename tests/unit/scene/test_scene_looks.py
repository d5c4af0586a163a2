"""Names of meshes and pictures may come from anywhere: what lies there is read, or refused with the name."""

import errno
import os
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.scene import source
from coopsim.scene.meshes import read_triangles

KERNEL = ("/proc/self/mem", "/proc/self/environ", "/proc/kmsg", "/sys/kernel/notes", "/dev/zero", "/dev/stdin")


@pytest.mark.parametrize("name", [name for name in KERNEL if os.path.exists(name)])
@pytest.mark.parametrize("suffix", ["", ".obj", ".dae"])
def test_files_that_the_system_makes_up_are_not_opened(tmp_path: Path, name: str, suffix: str) -> None:
    link = tmp_path / f"look{suffix}"
    link.symlink_to(name)
    with pytest.raises(BadFile, match=r"look.*(is no file of a disk|is not a regular file|cannot be read)"):
        read_triangles(link)


@pytest.mark.parametrize("name", ["look.stl", "look.obj", "look.dae"])
def test_a_file_that_a_disk_cannot_read_is_told_by_its_name(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    (tmp_path / name).write_text("solid")
    monkeypatch.setattr(source, "_read_at_once", fail)
    with pytest.raises(BadFile, match=rf"{name}:1:1: cannot be read: Input/output error"):
        read_triangles(tmp_path / name)


def test_a_file_that_becomes_a_pipe_while_it_is_looked_at_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "look.stl")
    monkeypatch.setattr(source, "why_unreadable", lambda _: None)
    with pytest.raises(BadFile, match=r"look\.stl"):
        read_triangles(tmp_path / "look.stl")


def test_a_file_that_grows_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "look.stl").write_bytes(bytes(200))
    monkeypatch.setattr(source, "LARGEST_LOOK", 100)
    with pytest.raises(BadFile, match=r"look\.stl:1:1: the file is larger than"):
        read_triangles(tmp_path / "look.stl")
