"""What this program says of itself: version, build, protocol revision, commit."""

import re
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

import coopsim
from coopsim import version

REPOSITORY = Path(__file__).parents[3]


def _package(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_the_version_stands_in_one_place() -> None:
    settings = ConfigParser()
    settings.read(REPOSITORY / "setup.cfg")
    assert settings["metadata"]["version"] == "attr: coopsim.version.VERSION"
    assert version.version() == coopsim.__version__


def test_the_protocol_revision_is_the_last_one_of_the_page() -> None:
    page = (REPOSITORY / "docs/protocol.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+, revision (\d+) \|", page, re.MULTILINE)
    assert version.protocol_revision() == int(rows[-1]) == max(map(int, rows))


def test_the_build_number_is_the_same_wherever_the_same_sources_lie(tmp_path: Path) -> None:
    first = _package(tmp_path / "clone" / "coopsim", a="x = 1\n", b="y = 2\n")
    second = _package(tmp_path / "lib" / "coopsim", b="y = 2\n", a="x = 1\n")
    (second / "__pycache__").mkdir()
    (second / "__pycache__" / "a.pyc").write_bytes(b"compiled")
    assert version._digest(first) == version._digest(second)
    assert re.fullmatch("[0-9a-f]{12}", version.build())


@pytest.mark.parametrize(
    "files",
    [{"a": "x = 2\n", "b": "y = 2\n"}, {"a": "x = 1\n", "c": "y = 2\n"}, {"a": "x = 1\n"}, {"a": "x = 1\ny = 2\n"}],
)
def test_the_build_number_changes_with_any_source(files: dict[str, str], tmp_path: Path) -> None:
    first = _package(tmp_path / "first", a="x = 1\n", b="y = 2\n")
    assert version._digest(first) != version._digest(_package(tmp_path / "second", **files))


def test_the_commit_is_that_of_a_clone_a_branch_a_packed_one_a_work_tree_and_a_detached_head(tmp_path: Path) -> None:
    clone = tmp_path / "clone"

    def git(*words: str, folder: Path = clone) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    clone.mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    tip = git("rev-parse", "HEAD")
    assert version._commit(clone) == tip
    version._commit.cache_clear()
    git("worktree", "add", "-q", "../tree")
    assert version._commit(tmp_path / "tree") == tip
    git("pack-refs", "--all")
    assert version._commit(clone) == tip
    version._commit.cache_clear()
    git("checkout", "-q", "--detach")
    assert version._commit(clone) == tip


def test_there_is_no_commit_where_there_is_no_clone(tmp_path: Path) -> None:
    assert not version._commit(tmp_path)
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    version._commit.cache_clear()
    assert not version._commit(tmp_path)
