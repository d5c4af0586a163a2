"""`coopsim keys`: roles, several files at once, and what is refused in words."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from coopsim.app.main import run
from coopsim.client.keyring import KeyRing


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return `coopsim keys ...` in the folder of a server, where `anna` and `ben` have made keys beside it."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setenv("COOPSIM_KEYS", str(tmp_path / "lab"))
    monkeypatch.chdir(tmp_path)
    for name in ("lab", "anna", "ben"):
        KeyRing(tmp_path / name).new(name)
    return lambda *arguments: run(["keys", *arguments])


def roles(tmp_path: Path) -> dict[str, str]:
    return {name: str(key.role) for name, key in KeyRing(tmp_path / "lab").trusted().items()}


def test_several_files_are_trusted_with_one_role(keys: Callable[..., int], tmp_path: Path) -> None:
    assert keys("trust", "anna/anna.pub", "ben/ben.pub", "--role", "drive", "--robots", "robot1,r*") == 0
    assert roles(tmp_path) == {"anna": "drive robot1,r*", "ben": "drive robot1,r*"}
    assert keys("role", "ben", "watch") == 0
    assert roles(tmp_path)["ben"] == "watch"


def test_the_list_shows_what_each_may_do_and_what_is_not_trusted(
    keys: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys("trust", "anna/anna.pub", "--role", "watch")
    (tmp_path / "lab" / "trusted" / "odd.pub").write_text("garbage")
    assert keys("list") == 0
    said = capsys.readouterr()
    assert "  anna  watch\n" in said.out
    assert "odd.pub holds no key" in said.err


def test_a_secret_file_is_refused_and_none_of_it_kept(
    keys: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert keys("trust", "anna/anna.key") == 1
    assert "never leaves its machine: trust anna.pub" in capsys.readouterr().err
    assert roles(tmp_path) == {}


def test_revoked_keys_are_gone(keys: Callable[..., int], tmp_path: Path) -> None:
    keys("trust", "anna/anna.pub", "ben/ben.pub")
    assert keys("revoke", "anna", "ben") == 0
    assert roles(tmp_path) == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ("trust", "anna/anna.pub", "--role", "drive"),
        ("trust", "anna/anna.pub", "--role", "watch", "--robots", "robot1"),
        ("trust", "anna/anna.pub", "--role", "captain"),
        ("trust", "anna/anna.pub", "ben/ben.pub", "--name", "both"),
        ("role", "anna", "drive"),
    ],
)
def test_roles_and_names_that_do_not_fit_are_refused_in_words(
    keys: Callable[..., int], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    assert keys(*arguments) == 2
    assert roles(tmp_path) == {}


def test_the_list_is_read_by_scripts(
    keys: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys("trust", "anna/anna.pub", "--role", "drive", "--robots", "robot1,r*")
    (tmp_path / "lab" / "trusted" / "odd.pub").write_text("garbage")
    capsys.readouterr()
    assert keys("list", "--json") == 0
    plain = json.loads(capsys.readouterr().out)
    assert (plain["own"]["name"], plain["folder"]) == ("lab", str(tmp_path / "lab"))
    (anna,) = plain["trusted"]
    assert (anna["name"], anna["role"], anna["robots"]) == ("anna", "drive", ["robot1", "r*"])
    assert anna["key"] == KeyRing(tmp_path / "anna").own.public
    assert "odd.pub" in plain["not_trusted"][0]


def test_a_folder_that_cannot_be_made_comes_with_its_cure(
    keys: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert keys("new", "anna", "--folder", str(tmp_path / "file" / "keys")) == 1
    err = capsys.readouterr().err
    assert "Not a directory" in err
    assert "--folder FOLDER here" in err


def test_a_name_is_for_one_file(keys: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert keys("trust", "anna/anna.pub", "--name", "lena", "--role", "watch") == 0
    assert roles(tmp_path) == {"lena": "watch"}
    assert keys("trust", "anna/anna.pub", "ben/ben.pub", "--name", "both") == 2
    assert "--name takes one FILE" in capsys.readouterr().err
    assert roles(tmp_path) == {"lena": "watch"}
