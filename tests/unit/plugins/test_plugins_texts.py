"""Texts of foreign code are shown by terminals, and sent: nothing in them commands anything."""

import pytest

from coopsim.errors import BadArgument, PluginFailed
from coopsim.plugins import blame, blamed, words

CLEAR = "\x1b[2J\x07\u202e"


def test_control_characters_of_an_exception_are_written_out() -> None:
    odd = type(f"Odd{CLEAR}", (Exception,), {})
    text = str(blame("device gas", odd(f"gas{CLEAR}")))
    assert text.isprintable()
    assert "gas\\x1b[2J\\x07\\u202e" in text


@pytest.mark.parametrize("kind", [ValueError, BadArgument])
def test_so_are_those_of_errors_that_a_plugin_raises_as_ours(kind: type[Exception]) -> None:
    with pytest.raises(PluginFailed) as caught, blamed("device gas"):
        raise kind(f"gas{CLEAR}")
    assert str(caught.value).isprintable()


def test_lines_and_letters_of_any_language_stay() -> None:
    assert words("Größe 大\nzwei") == "Größe 大\nzwei"
