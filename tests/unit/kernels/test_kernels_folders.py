"""Where compiled kernels are kept."""

import os
import tempfile
from pathlib import Path

import pytest

from coopsim.kernels import folders as caches
from coopsim.kernels.folders import KernelCache, kernel_cache


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of one room, with machine code beside its sources."""
    kept = tmp_path / "site" / "coopsim" / "engines" / "__pycache__"
    kept.mkdir(parents=True)
    for name in ("a.nbi", "a.1.nbc", "a.cpython-311.pyc"):
        (kept / name).write_text(name)
    return kept.parents[1]


@pytest.fixture
def installed(package: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package, where this user may not write."""
    monkeypatch.setattr(caches, "_may_write_beside", lambda _: False)
    return package


def test_a_developer_keeps_kernels_beside_the_sources(package: Path) -> None:
    assert kernel_cache(package, {}) == KernelCache("")


def test_what_the_user_tells_numba_comes_first(package: Path, tmp_path: Path) -> None:
    assert kernel_cache(package, {"NUMBA_CACHE_DIR": str(tmp_path / "mine")}) == KernelCache(str(tmp_path / "mine"))
    assert kernel_cache(package, {"NUMBA_CACHE_DIR": "/proc/mine"}) == KernelCache("")


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HOME": "{}/home"}, "home/.cache/coopsim"),
        ({"HOME": "{}/home", "XDG_CACHE_HOME": "{}/x"}, "x/coopsim"),
        ({"HOME": "{}/home", "XDG_CACHE_HOME": "{}/x", "CACHE_DIRECTORY": "{}/d:{}/e"}, "d/coopsim"),
        ({"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none"}, "tmp/coopsim-{uid}"),
        ({}, "tmp/coopsim-{uid}"),
    ],
)
def test_an_installation_of_somebody_else_is_used_from_a_folder_of_the_user(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], folder: str
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    cache = kernel_cache(installed, {name: text.replace("{}", str(tmp_path)) for name, text in environment.items()})
    assert cache == KernelCache(str(tmp_path / folder.format(uid=os.getuid())))
    assert sorted(path.name for path in Path(cache.folder).glob("engines_*/*")) == ["a.1.nbc", "a.nbi"]


def test_the_copy_is_made_once_and_again_after_an_upgrade(installed: Path, tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    (copy,) = Path(kernel_cache(installed, environment).folder).glob("engines_*/a.nbi")
    copy.write_text("compiled by this user")
    kernel_cache(installed, environment)
    assert copy.read_text() == "compiled by this user"
    kept = installed / "engines" / "__pycache__"
    (kept / "a.nbi").write_text("newer")
    os.utime(kept, ns=(1, 1))
    kernel_cache(installed, environment)
    assert copy.read_text() == "newer"


def test_a_folder_that_others_may_write_to_is_never_used(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    open_to_all = tmp_path / f"coopsim-{os.getuid()}"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    assert not kernel_cache(installed, {}).is_kept
    open_to_all.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    open_to_all.symlink_to(tmp_path / "elsewhere")
    assert not kernel_cache(installed, {}).is_kept


def test_where_nothing_may_be_written_kernels_are_not_kept(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    assert kernel_cache(installed, {"HOME": "/proc/none"}) == KernelCache("", is_kept=False)
