"""Workers share the files whose asserts are rewritten, and each finds what another one kept."""

import gc
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import forked_python
import pytest
import shared_collection

CONFTEST = f"""
import sys
sys.path.insert(0, {str(Path(shared_collection.__file__).parent)!r})
import shared_collection

def pytest_configure(config):
    config.workerinput = dict(workerid="gw0", workercount=1)

def pytest_collection(session):
    shared_collection.begin(session.config)
"""
FILES = {
    "conftest.py": CONFTEST,
    "test_values.py": "VALUE = 2\n\n\ndef test_a_value():\n    assert VALUE == 3\n",
    "test_imports.py": "import gone\n\n\ndef test_a_class():\n    assert gone.Number(1)\n",
    "deep/test_classes.py": "class Number(int):\n    pass\n\n\ndef test_a_class():\n    assert not Number(1)\n",
    "deep/test_broken.py": "def broken(:\n",
    "deep/helper.py": "assert False\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def config(folder: Path, *words: str, **worker: object) -> Any:
    return SimpleNamespace(
        args=list(words), invocation_params=SimpleNamespace(dir=folder), **({"workerinput": worker} if worker else {})
    )


def test_workers_have_every_file_between_them_once(folder: Path) -> None:
    shares = [
        shared_collection.share_of(config(folder, ".", workerid=f"gw{number}", workercount=3)) for number in range(3)
    ]
    files = {folder / name for name in FILES} - {folder / "deep" / "helper.py"}
    assert {len(share) for share in shares} == {1, 2}
    assert sorted(file for share in shares for file in share) == sorted(files)


@pytest.mark.parametrize(("words", "number"), [(["deep"], 2), (["deep", "test_values.py::test_a_value"], 2), ([], 0)])
def test_only_folders_that_are_asked_for_are_shared(folder: Path, words: list[str], number: int) -> None:
    assert len(shared_collection.share_of(config(folder, *words, workerid="gw0", workercount=1))) == number


def test_whoever_is_alone_shares_nothing(folder: Path) -> None:
    assert shared_collection.share_of(config(folder, ".")) == []


def test_what_is_rewritten_is_kept_though_python_keeps_nothing_and_no_file_runs(folder: Path) -> None:
    """The broken file is told by the collection, as ever; the asserts of the others say what was compared."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "."]
    done = forked_python.PlainPopen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    said, _ = done.communicate()
    kept = {file.name.partition(".")[0] for file in folder.rglob("*-pytest-*.pyc")}
    assert kept == {"conftest", "test_values", "test_classes", "test_imports"}
    assert not [file for file in folder.rglob("*.pyc") if "-pytest-" not in file.name]
    assert "ModuleNotFoundError: No module named 'gone'" in said
    assert "def broken(:" in said
    (folder / "deep" / "test_broken.py").unlink()
    (folder / "test_imports.py").unlink()
    again = forked_python.PlainPopen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    said, _ = again.communicate()
    assert "assert 2 == 3" in said
    assert "2 failed" in said


def test_nothing_is_searched_for_garbage_before_the_end() -> None:
    shared_collection.begin(config(Path("/"), "."))
    try:
        assert not gc.isenabled()
    finally:
        shared_collection.end()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
