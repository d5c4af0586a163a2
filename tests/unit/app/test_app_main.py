import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from coopsim.app.beginning import begin
from coopsim.app.command_list import LINES
from coopsim.app.main import cli, run
from coopsim.app.options import DURATION, STEP, Wanted
from coopsim.errors import all_errors
from coopsim.features.files.figures import show
from coopsim.robots import built_in_names
from coopsim.scene import source


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nix"],
        ["run"],
        ["run", "formation", "--mode", "fast"],
        ["run", "formation", "--speed", "0.05"],
        ["run", "formation", "--speed", "101"],
        ["run", "formation", "--speed", "nan"],
        ["run", "formation", "--duration", "0"],
        ["run", "formation", "--duration", "inf"],
        ["run", "formation", "--duration", "1e300"],
        ["run", "formation", "--step", "0.005"],
        ["run", "formation", "--seed", "-1"],
        ["run", "formation", "--port", "70000"],
        ["run", "formation", "--wait-for", "a,,b"],
        ["run", "formation", "--plot", "/nowhere/at/all/plot.svg"],
        ["check"],
        ["explain", "many"],
        ["bench", "nix"],
        ["watch", "/robot1/sonars", "--count", "0"],
        ["call", "/robot1/motors", "set_velocity", "0.3", "--port", "5570"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_missing_file_is_exit_code_1(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "no_such.scenario"]) == 1
    printed = capsys.readouterr()
    assert "no_such.scenario" in printed.out + printed.err
    assert "formation" in printed.out + printed.err


def test_a_bad_file_prints_every_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.world"
    file.write_text("[FLOOR]\nsize 1 2\nfrictoin 3\n")
    assert run(["check", str(file)]) == 1
    printed = capsys.readouterr().out
    assert "bad.world:2:1: " in printed
    assert "bad.world:3:1: " in printed
    assert run(["run", str(file)]) == 1
    assert "frictoin → friction?" in capsys.readouterr().err


def test_warnings_are_printed_and_are_mistakes_only_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "near.scenario"
    file.write_text("[ROBOT_1]\ntype single\n[ROBOT_2]\ntype single\nposition 0.1 0 0\n")
    assert run(["check", str(file)]) == 0
    printed = capsys.readouterr()
    assert "3:1: warning: 'robot_2' and 'robot_1' overlap by 0.4 m" in printed.out
    assert printed.err == f"{file}: ok, 1 warning\n"
    assert run(["check", "--strict", str(file)]) == 1


def test_a_file_is_read_once_to_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    bytes_of = source._read_bytes
    monkeypatch.setattr(source, "_read_bytes", lambda path, problems: read.append(path) or bytes_of(path, problems))
    assert run(["check", "formation", "--engine", "kinematic"]) == 0
    assert sorted(path.name for path in read) == ["formation.scenario", "obstacles.world", "single.robot"]


def test_a_run_says_what_is_warned_of_and_that_nothing_can_move(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "away.scenario"
    file.write_text("[WORLD]\nfile arena\n[ROBOT_1]\ntype single\nposition 50 0 0\n")
    begin(str(file), None, (), {"seed": None})
    assert "warning: 'robot_1' is off the floor" in capsys.readouterr().err
    begin("arena", None, (), {"seed": None})
    assert "arena: no robots in it" in capsys.readouterr().err


def test_good_files_are_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "formation", "single", "vee", "arena"]) == 0
    assert capsys.readouterr().out == ""


def test_every_error_number_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for number in all_errors():
        assert run(["explain", str(number)]) == 0
    assert run(["explain", "204"]) == 0
    assert "Another client controls this robot" in capsys.readouterr().out


def test_an_unknown_error_number_is_exit_code_1() -> None:
    assert run(["explain", "299"]) == 1


def test_all_errors_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(all_errors())


def test_help_needs_no_simulator_and_no_numpy() -> None:
    code = (
        "import sys; from coopsim.app.main import run; run(['--help']);"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'numba', 'zmq', 'pymunk')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_robots_to_wait_for_are_a_number_or_names() -> None:
    wanted = Wanted()
    assert wanted.convert("3", None, None) == 3
    assert wanted.convert("robot1, team1/leader", None, None) == ("robot1", "team1/leader")
    with pytest.raises(click.BadParameter):
        wanted.convert("-3", None, None)


def test_numbers_of_options_are_finite() -> None:
    for kind in (STEP, DURATION):
        with pytest.raises(click.BadParameter):
            kind.convert("inf", None, None)


def test_a_benchmark_prints_json_alone_and_its_table_as_talk(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"case": "W", "value": 1.5, "ok": True}, {"case": "single", "value": 2.0, "ok": None}], as_json=True)
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "results": [{"case": "W", "value": 1.5, "ok": True}, {"case": "single", "value": 2.0, "ok": None}]
    }
    assert err.split()[:3] == ["case", "value", "ok"]


def test_benchmarks_are_found_by_the_names_of_their_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--help"]) == 0
    assert "tick" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["describe", "sonars"], ["describe", "single"], ["describe", "pymunk"]])
def test_what_is_installed_describes_itself(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 0
    assert arguments[1] in capsys.readouterr().out


def test_what_is_not_installed_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["describe", "warp_drive"]) == 1
    assert "`coopsim describe` lists everything" in capsys.readouterr().err


def test_nobody_at_the_endpoint_is_exit_code_1_with_a_cure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ls", "--endpoint", "nonsense"]) == 1
    assert "tcp://HOST:PORT" in capsys.readouterr().err


def test_a_negative_number_is_no_option_and_an_unknown_option_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["call", "/robot1/motors", "set_velocity", "-0.3", "-inf", "-1e-3"]
    assert run([*words, "--endpoint", "tcp://127.0.0.1:1", "--timeout", "0.01"]) == 1
    assert "nothing answers there" in capsys.readouterr().err
    assert run([*words, "--endpont", "tcp://127.0.0.1:1"]) == 2
    assert "there is no option --endpont; did you mean --endpoint?" in capsys.readouterr().err


def coopsim(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which `coopsim` is a word."""
    script = f'coopsim() {{ "{sys.executable}" -m coopsim "$@"; }}; {command}'
    env = os.environ | environment
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False, env=env)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["explain", "--help", "describe single"])
def test_an_output_that_cannot_be_written_is_told_in_a_line(command: str, unbuffered: str) -> None:
    done = coopsim(f"coopsim {command} >/dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr) == (1, "coopsim: the output: No space left on device\n")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-", "2>/dev/full"])
def test_outputs_that_are_closed_hurt_nobody(closed: str) -> None:
    done = coopsim(f"coopsim explain 204 {closed}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_has_enough_hurts_nobody() -> None:
    done = coopsim("set -o pipefail; coopsim describe | head -1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "robot types\n", "")


def test_the_version_is_said_with_build_and_protocol() -> None:
    done = coopsim("coopsim --version")
    assert re.fullmatch(r"coopsim \d+\.\d+\.\d+, build [0-9a-f]{12}, protocol 1, revision \d+\n", done.stdout), done


def test_ctrl_c_while_the_program_is_being_read_is_exit_code_130_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    done = coopsim("coopsim --version", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_folder_that_was_removed_is_told_in_a_line(tmp_path: Path) -> None:
    done = coopsim(f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir ../gone && coopsim run single --port 0")
    assert done.returncode == 1
    assert done.stderr == "coopsim: the current folder: it was removed; go to another folder\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], "coopsim: there is no command 'rnu'; did you mean 'run'?\n  `coopsim --help` lists the commands\n"),
        (["bench", "tik"], "coopsim: there is no command 'tik'; did you mean 'tick'?\n  `coopsim bench --help` lists"),
        (["keys", "lst"], "coopsim: there is no command 'lst'; did you mean 'list'?\n"),
        (["run", "--dur", "3"], "coopsim: there is no option --dur; did you mean --duration?\n  usage: coopsim run ["),
        (
            ["diff"],
            "coopsim: missing argument 'FIRST'\n  usage: coopsim diff [OPTIONS] FIRST SECOND; `coopsim diff --help`",
        ),
    ],
)
def test_wrong_usage_is_told_like_every_other_error(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith(said)


def test_quiet_leaves_out_the_talk_and_json_is_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "single", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert run(["check", "single"]) == 0
    assert capsys.readouterr() == ("", "single: ok\n")


@pytest.mark.parametrize(
    ("word", "seconds"), [("10", 10.0), ("2.5s", 2.5), ("500ms", 0.5), ("2min", 120.0), ("1h", 3600.0)]
)
def test_times_may_have_a_unit(word: str, seconds: float) -> None:
    assert DURATION.convert(word, None, None) == seconds


@pytest.mark.parametrize("word", ["10x", "ten", "s", "-5s", "1e300h", ""])
def test_what_is_no_time_is_told(word: str) -> None:
    with pytest.raises(click.BadParameter):
        DURATION.convert(word, None, None)


def test_run_without_a_scenario_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run"]) == 2
    names = ", ".join(built_in_names(".scenario"))
    assert f"{names}; `coopsim scenes`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "single", "--plot", "a.png"],
        ["run", "single", "--record", "a.txt"],
        ["export", "a.mcap", "--html", "a.pdf"],
        ["plot", "a.mcap", "--paths", "a.png"],
        ["compare", "a.mcap", "--engines", "pymunk", "kinematic", "--plot", "a.pdf"],
    ],
)
def test_a_name_that_promises_another_kind_of_file_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert "; call it a." in capsys.readouterr().err


def test_options_of_run_come_in_groups_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--help"]) == 0
    shown = capsys.readouterr().out
    titles = ["What is run:", "How time passes:", "Controllers:", "Who may reach it:", "What is kept and shown:"]
    assert [line for line in shown.splitlines() if line in titles] == titles
    assert "coopsim run formation " in shown
    assert "Open no window" in " ".join(shown.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    out, err = capsys.readouterr()
    assert f"_COOPSIM_COMPLETE={shell}_complete" in out
    assert err.startswith("# ")


def test_names_with_umlauts_work_where_there_is_no_locale(tmp_path: Path) -> None:
    locale = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "POSIX"}
    done = coopsim(f"coopsim check '{tmp_path}/\u00fcbung.scenario'", **locale)
    assert done.returncode == 1
    assert "\u00fcbung.scenario:1:1: there is no such file" in done.stdout + done.stderr


def test_help_imports_no_command_and_says_of_each_what_the_command_says() -> None:
    asked = "import sys; from coopsim.app.main import run; run(['--help']); print(*sys.modules, sep='\\n')"
    printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    modules = set(printed.splitlines())
    assert not {f"coopsim.app.{name}" for name in LINES} & modules
    assert not {"numpy", "numba", "coopsim.robots"} & modules
    context = click.Context(cli)
    assert set(LINES) == set(cli.list_commands(context))
    for name, line in LINES.items():
        command = cli.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(1000) == line


def test_help_lists_commands_by_use_wherever_they_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    help_text = capsys.readouterr().out
    section = help_text.partition("Talk to a run:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in section.splitlines()][:5] == ["status", "ls", "call", "watch", "web"]
    assert help_text.index("  verify ") < help_text.index("  diff ") < help_text.index("  recover ")


def test_errors_are_explained_as_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "401", "--json"]) == 0
    (explained,) = json.loads(capsys.readouterr().out)
    assert (explained["number"], explained["name"]) == (401, "NoSuchFile")
    assert explained["cure"]
    assert run(["explain", "--json"]) == 0
    assert [load["number"] for load in json.loads(capsys.readouterr().out)] == list(all_errors())
    assert run(["explain", "999999", "--json"]) == 1
