"""What is printed: nothing from a server commands the terminal, and limits of the shell are told."""

import errno
import resource

import click
import pytest

from coopsim.app import main, talk
from coopsim.errors import NoSuchName

PWNED = "taken: \x1b]0;pwned\x07, \u202eeman, caf\u00e9\nnext\tline"


def test_control_characters_are_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    for speak in (talk.data, talk.note, talk.complain):
        speak(PWNED)
    printed = capsys.readouterr()
    for said in (printed.out, printed.err):
        assert "\\x1b]0;pwned\\x07, \\u202eeman, caf\u00e9\nnext\tline" in said
        assert "\x1b" not in said


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Return the limits that the shell seems to set."""
    limits = {resource.RLIMIT_AS: -1, resource.RLIMIT_FSIZE: -1}
    monkeypatch.setattr(resource, "getrlimit", lambda number: (limits[number], -1))
    return limits


def test_a_shell_without_tight_limits_is_not_mentioned(limited: dict[int, int]) -> None:
    assert main.tight_limits() == ""
    limited[resource.RLIMIT_AS] = 8 << 30
    assert main.tight_limits() == ""


@pytest.mark.parametrize(
    ("limit", "words"),
    [(resource.RLIMIT_AS, "memory to 300 MiB"), (resource.RLIMIT_FSIZE, "the size of files, and of shared memory, to")],
)
@pytest.mark.parametrize("problem", [NoSuchName("x"), MemoryError(), OSError(errno.EFBIG, "File too large")])
def test_a_tight_limit_is_told_with_whatever_went_wrong(
    limit: int,
    words: str,
    problem: Exception,
    limited: dict[int, int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    limited[limit] = 300 << 20 if limit == resource.RLIMIT_AS else 1 << 20
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(talk, "write_no_more", lambda: None)
    monkeypatch.setattr(click.Group, "main", fail)
    assert main.run(["ls"]) == 1
    assert words in capsys.readouterr().err
