"""Clients that a folder holds: what their files say, what is missing, how they are built and run."""

import sys
from pathlib import Path

import pytest

from coopsim.errors import NoReply
from coopsim.testkit.conformance.languages import EXAMPLES, Language, languages

TOML = """
name = "{name}"
needs = ["sh"]
packages = "none"
build = "echo built > made"
run = "sh {{program}}.sh {{python}}"
"""


def language(folder: Path, **more: object) -> Language:
    facts = {"name": "Own", "folder": folder, "needs": ["sh"], "packages": "none", "build": "", "run": "sh {program}"}
    (folder / "client.toml").touch()
    return Language(**{**facts, **more})  # type: ignore[arg-type]


def test_each_folder_with_a_file_is_a_client_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("rust", "c", "java"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "client.toml").write_text(TOML.format(name=name.title()), encoding="utf-8")
    (tmp_path / "notes").mkdir()
    clients = languages(tmp_path)
    assert [(client.name, client.folder.name) for client in clients] == [("C", "c"), ("Java", "java"), ("Rust", "rust")]
    assert (clients[0].examined, clients[0].zeromq, clients[0].examples) == (True, False, [*EXAMPLES])


def test_a_file_with_an_unknown_key_is_no_client(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "client.toml").write_text(TOML.format(name="C") + 'speed = "fast"\n', encoding="utf-8")
    with pytest.raises(TypeError, match="speed"):
        languages(tmp_path)


def test_programs_that_are_missing_are_named_and_a_library_counts_as_one(tmp_path: Path) -> None:
    assert language(tmp_path).missing == []
    assert language(tmp_path, needs=["sh", "no-such-compiler", "cat"]).missing == ["no-such-compiler"]
    assert language(tmp_path, probe="exit 0").missing == []
    assert language(tmp_path, probe="exit 3").missing == ["a library"]
    assert language(tmp_path, needs=["no-such-compiler"], probe="exit 3").missing == ["no-such-compiler"]


def test_examples_that_it_does_not_support_are_left_out(tmp_path: Path) -> None:
    without = language(tmp_path, without=["07_stream", "08_typed"])
    assert without.examples == [*EXAMPLES[:-2]]


def test_it_is_built_in_its_own_folder_with_variables_beside_ours(tmp_path: Path) -> None:
    client = language(tmp_path, build='echo "$FLAVOUR {python}" > made')
    client.make({"FLAVOUR": "quick"})
    assert (tmp_path / "made").read_text(encoding="utf-8") == f"quick {sys.executable}\n"
    assert language(tmp_path, build="").make() is None


def test_what_a_compiler_printed_is_told(tmp_path: Path) -> None:
    client = language(tmp_path, build="echo at line 3; echo of main.c >&2; false; echo never > made")
    with pytest.raises(NoReply) as refusal:
        client.make()
    assert str(refusal.value).startswith("Own cannot be built:\nat line 3\nof main.c")
    assert not (tmp_path / "made").exists()


def test_command_lines_run_in_its_folder_and_tell_how_they_went(tmp_path: Path) -> None:
    client = language(tmp_path)
    done = client.done("pwd; echo {folder}; exit 7", folder=tmp_path / "out")
    assert (done.returncode, done.stdout.split()) == (7, [str(tmp_path), str(tmp_path / "out")])
    assert client.done("false; echo gone on").stdout == ""


def test_a_program_is_run_by_words(tmp_path: Path) -> None:
    assert language(tmp_path, run="{python} {program}.py").command("01_ping") == [sys.executable, "01_ping.py"]
