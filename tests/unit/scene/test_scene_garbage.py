"""Files that are no scene files at all: located problems, never an exception, and never without bound."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadFile
from coopsim.scene import Problems, changed, read_additions, read_robot, read_scenario, read_world
from coopsim.scene.lines import parse
from coopsim.scene.source import LARGEST
from coopsim.scene.specs import Floor

READERS = [read_world, read_scenario, read_robot]
Reader = Callable[[Path], tuple[Any, Problems]]


def first(problems: Problems) -> str:
    return next(iter(problems)).text


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_a_problem_at_its_beginning(tmp_path: Path, read: Reader, content: bytes) -> None:
    file = tmp_path / "empty"
    file.write_bytes(content)
    _, problems = read(file)
    assert str(problems).startswith(f"{file}:1:1: the file is empty")
    assert problems.total == 1


@pytest.mark.parametrize("read", READERS)
def test_ten_megabytes_of_noise_are_refused_unread(tmp_path: Path, read: Reader) -> None:
    file = tmp_path / "noise"
    file.write_bytes(random.Random(1).randbytes(10_000_000))
    _, problems = read(file)
    assert first(problems) == "the file is larger than 4 MiB"


@pytest.mark.parametrize(
    "line", [b"ab cd\n", b"[\n", b"\n", b"#\n", b"\xff", b"[FLOOR]\n", b"[WALL_1]\nsize 1\n", b"a " * 500 + b"\n"]
)
def test_a_full_size_file_of_one_repeated_line_ends_in_at_most_a_hundred_printed_problems(
    tmp_path: Path, line: bytes
) -> None:
    file = tmp_path / "a.world"
    file.write_bytes((line * (LARGEST // len(line)))[:LARGEST])
    _, problems = read_world(file)
    assert 1 <= len(problems) <= 100
    assert len(str(problems)) < 30_000


def test_problems_beyond_a_hundred_are_counted() -> None:
    problems = Problems()
    parse("a", ["[x]"] * 150, ("FLOOR",), problems)
    assert len(list(problems)) == 100
    assert str(problems).endswith("... and 50 more")


def test_a_reader_gives_up_after_a_thousand_problems() -> None:
    problems = Problems()
    parse("a", ["[x]"] * 100_000, ("FLOOR",), problems)
    assert problems.total == 1000


def test_a_section_and_a_line_have_an_end() -> None:
    problems = Problems()
    endless = parse(
        "a", ["[TARGET]", *["red 1 2 3"] * 30_000, "[X_1]", "a" + " b" * 70_000], ("TARGET", "X_"), problems
    )
    assert [(problem.span.line, problem.text) for problem in problems] == [
        (20_002, "a section has at most 20000 lines"),
        (30_003, "a line has at most 65536 words"),
    ]
    assert [len(section.lines) for section in endless] == [20_000, 0]


def test_a_byte_that_is_not_utf_8_is_located_and_the_rest_is_still_read(tmp_path: Path) -> None:
    file = tmp_path / "a.world"
    file.write_bytes("[FLOOR]\n# größe \n".encode() + "size 3 3 1 # grö\nmas 1\n".encode("latin-1"))
    world, problems = read_world(file)
    assert [(problem.span.line, problem.span.column) for problem in problems] == [(3, 16), (4, 1)]
    assert first(problems) == "byte 0xf6 is not UTF-8; save the file as UTF-8"
    assert world.floor.size == (3.0, 3.0, 1.0)


def test_utf_16_is_refused_at_its_first_byte(tmp_path: Path) -> None:
    file = tmp_path / "a.world"
    file.write_bytes("[FLOOR]\nsize 1 1 1\n".encode("utf-16"))
    _, problems = read_world(file)
    assert str(problems).startswith(f"{file}:1:1: the file is UTF-16; save the file as UTF-8")


def test_a_nul_byte_is_located(tmp_path: Path) -> None:
    file = tmp_path / "a.world"
    file.write_bytes(b"[FLOOR]\nsize\0 1\n")
    _, problems = read_world(file)
    assert str(problems) == f"{file}:2:5: NUL byte: this is not a text file"


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    _, problems = read_world(tmp_path / "none.world")
    assert str(problems) == f"{tmp_path / 'none.world'}:1:1: there is no such file"


def test_a_folder_is_a_problem(tmp_path: Path) -> None:
    _, problems = read_scenario(tmp_path)
    assert first(problems) == "is a directory, expected a file"


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    _, problems = read_scenario(tmp_path / "pipe")
    assert first(problems) == "is not a regular file"


@pytest.mark.parametrize("name", ["loop", "x" * 5000, "file/inside"])
def test_a_file_that_the_system_cannot_open_is_a_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    _, problems = read_robot(tmp_path / name)
    assert first(problems).startswith("cannot be read: ")


def test_a_file_without_permission_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.world"
    file.touch()
    # permissions do not bind the superuser, who may be running this
    monkeypatch.setattr(os, "access", lambda *_: False)
    _, problems = read_world(file)
    assert first(problems) == "cannot be read: Permission denied"


def test_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "a.world"
    file.write_text("[FLOOR]\nsize \x1b[31m 1 1\n\x1b[2J 1\n")
    _, problems = read_world(file)
    assert problems.total == 2
    assert "\x1b" not in str(problems)


def test_a_long_line_is_shown_around_its_flaw(tmp_path: Path) -> None:
    file = tmp_path / "a.world"
    file.write_text("[FLOOR]\nsize" + " " * 5000 + "one 1 1\n")
    _, problems = read_world(file)
    shown, marks = str(problems).split("\n")[1:]
    assert len(shown) < 120
    assert shown[marks.index("^") :].startswith("one")


SECTIONS = "[FLOOR] [WALL_1] [ROBOT_1] [TARGET] [EVENT_1] [WORLD] [BODY] [DEVICE_1] [CONTROLLER_1] [SIMULATION]"
KEYS = "size position type box name red file set at reset all robots run color mass 1 -1 nan 1e999 [ ]"
ODD = ["#", "\t", "\n", "\n", "\n", "\r", "\x0b", "\x85", "\u2028", "é", "\0"]
WORDS = st.sampled_from([*SECTIONS.split(), *KEYS.split(), *ODD])
TEXTS = st.one_of(st.text(), st.lists(st.one_of(WORDS, st.text(max_size=5)), max_size=60).map(" ".join))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch") / "any.file"


@pytest.mark.parametrize("read", READERS)
@given(content=st.one_of(st.binary(), TEXTS.map(lambda text: text.encode(errors="surrogatepass"))))
def test_any_bytes_give_a_spec_and_printable_located_problems(scratch: Path, read: Reader, content: bytes) -> None:
    scratch.write_bytes(content)
    spec, problems = read(scratch)
    assert spec.file == str(scratch)
    for problem in problems:
        assert problem.span.line >= 1
        assert problem.span.column >= 1
        assert str(problem).startswith(f"{problem.span.file}:{problem.span.line}:{problem.span.column}: ")


@given(text=TEXTS)
def test_any_message_gives_additions_and_problems(text: str) -> None:
    _, problems = read_additions(text)
    assert all(problem.span.file == "message" for problem in problems)


@given(text=TEXTS)
def test_any_change_gives_an_entity_or_all_its_problems(text: str) -> None:
    problems: tuple[Any, ...] = ()
    try:
        entity = changed(Floor(), text)
    except BadFile as error:
        entity, problems = None, error.problems
    assert isinstance(entity, Floor) != bool(problems)
