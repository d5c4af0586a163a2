"""What shells complete words of `coopsim` with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from coopsim.app.main import cli
from coopsim.testkit.run import Run

BIN = Path(sys.executable).parent
FILES = ("verify", "info", "replay", "judge", "recover", "export", "plot", "diff")
SCENES = ("run", "check", "trial", "sweep", "search", "compare", "screenshot", "video", "gui")


def offered(*words: str) -> set[tuple[str, str]]:
    """Return values and types of what the last word can become."""
    *before, last = words
    completer = ShellComplete(cli, {}, "coopsim", "_COOPSIM_COMPLETE")
    return {(completion.value, completion.type) for completion in completer.get_completions(before, last)}


@pytest.mark.parametrize("command", FILES)
def test_files_are_left_to_the_shell(command: str) -> None:
    assert offered(command, "ya") == {("ya", "file")}
    if command == "diff":
        assert offered(command, "a.mcap", "b") == {("b", "file")}


@pytest.mark.parametrize("command", SCENES)
def test_scenes_are_offered_beside_files(command: str) -> None:
    assert offered(command, "forma") == {("formation", "plain"), ("forma", "file")}


def test_names_and_numbers_are_offered_where_they_are_asked_for() -> None:
    assert ("sonars", "plain") in offered("describe", "so")
    assert offered("explain", "40") == {(f"40{k}", "plain") for k in (0, 1, 2, 3, 4)}
    assert ("free", "plain") in offered("run", "formation", "--mode", "f")


def test_what_a_simulation_serves_is_offered_while_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as run:
        monkeypatch.setenv("COOPSIM_ENDPOINT", run.endpoint)
        for command in ("call", "watch", "ls", "describe"):
            assert ("/robot1/sonars", "plain") in offered(command, "/robot1/s")
        listed = subprocess.run([str(BIN / "coopsim"), "ls", "/robot1/", "--json"], check=True, capture_output=True)
        assert "/robot1/sonars" in json.loads(listed.stdout)
        assert offered("call", "/robot1/motors", "set_v") == {("set_velocity", "plain")}
        assert offered("call", "--endpoint", run.endpoint, "/robot1/mot") == {("/robot1/motors", "plain")}
    assert offered("call", "/robot1/s") == set()


BASH = """
eval "$(coopsim completion bash 2> /dev/null)"
for words in "$@"; do
    COMP_WORDS=($words) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    compopt() { :; }
    _coopsim_completion coopsim
    echo "$words: ${COMPREPLY[*]}"
done
"""


def test_bash_completes_files_and_scenes(tmp_path: Path) -> None:
    for name in ("yard.scenario", "yard.mcap", "formation and more.scenario"):
        (tmp_path / name).touch()
    variables = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    command = [
        "bash",
        "-c",
        BASH,
        "bash",
        "coopsim run ya",
        "coopsim run forma",
        "coopsim verify yard.m",
        "coopsim verif",
    ]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=variables, cwd=tmp_path).stdout
    lines = printed.splitlines()
    assert sorted(lines[0].partition(": ")[2].split()) == ["yard.mcap", "yard.scenario"]
    assert lines[1].partition(": ")[2] == "formation formation and more.scenario"
    assert lines[2:] == ["coopsim verify yard.m: yard.mcap", "coopsim verif: verify"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_program(shell: str) -> None:
    command = [str(BIN / "coopsim"), "completion", shell]
    assert "_COOPSIM_COMPLETE" in subprocess.run(command, check=True, capture_output=True, text=True).stdout
