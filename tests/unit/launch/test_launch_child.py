"""The launcher says why a process ended, whatever that process did to its descriptors."""

import os
import sys

import pytest

from coopsim.interpreter import module_command
from coopsim.launch.child import Child
from coopsim.transport.last_words import words_of

_KEPT = "from coopsim.transport.last_words import keep_last_words, leave_words; keep_last_words(); "
_MODULES = (
    "launch.physics_process",
    "launch.playback_process",
    "launch.host_process",
    "launch.recorder_process",
    "features.desktop.cameras.process",
)


def _ending_of(code: str, *, captured: bool = False) -> str:
    child = Child("physics process", [sys.executable, "-P", "-c", code], captured=captured)
    child.wait(20.0)
    child.reap()
    child.close()
    return child.ending


def test_an_exception_that_nobody_foresaw_is_in_the_ending() -> None:
    ending = _ending_of(_KEPT + "raise KeyError('fields')")
    assert ending == "ended with exit code 1:\n  KeyError: 'fields' (<string>:1)"


def test_a_process_whose_descriptors_were_all_closed_says_so() -> None:
    ending = _ending_of(_KEPT + "import os; os.closerange(0, 100); os.write(1, b'x')")
    assert "Bad file descriptor" in ending
    assert "closed descriptors that are not its own" in ending


def test_a_refusal_that_no_message_can_carry_is_left_too() -> None:
    ending = _ending_of(_KEPT + "leave_words(ValueError('too many fields')); raise SystemExit(1)")
    assert ending == "ended with exit code 1:\n  ValueError: too many fields"


def test_a_process_that_ends_without_an_exception_has_no_last_words() -> None:
    assert _ending_of(_KEPT + "raise SystemExit(4)") == "ended with exit code 4"
    assert _ending_of("raise SystemExit(4)", captured=True) == "ended with exit code 4"


def test_last_words_are_short_and_command_no_terminal() -> None:
    ending = _ending_of(_KEPT + r"raise ValueError('\x1b[2J' + 'x' * 5000 + '\n' * 9)")
    assert "\x1b" not in ending
    assert len(ending) < 600


def test_an_exception_without_a_text_is_named() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert "Mute" in words_of(Mute())


def test_programs_of_the_process_do_not_speak_in_its_name() -> None:
    code = "import subprocess, sys; subprocess.call([sys.executable, '-c', " + repr(_KEPT + "raise KeyError") + "])"
    assert _ending_of(_KEPT + code) == "ended with exit code 0"


def test_each_of_our_processes_keeps_its_last_words() -> None:
    children = {module: Child(module, module_command(f"coopsim.{module}")) for module in _MODULES}
    for child in children.values():
        child.wait(60.0)
        child.reap()
    assert [module for module, child in children.items() if "Error" not in child.ending] == []


def test_no_descriptor_is_left_neither_of_a_process_nor_of_one_that_cannot_start() -> None:
    before = os.listdir("/dev/fd")
    _ending_of("pass")
    with pytest.raises(OSError, match="no/such/program"):
        Child("physics process", ["/no/such/program"])
    assert os.listdir("/dev/fd") == before
