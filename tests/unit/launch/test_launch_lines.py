import os

import pytest

from coopsim.launch.controller_processes import Lines


class Pipe:
    """A pipe whose reading end is a file object, as subprocess makes it."""

    def __init__(self) -> None:
        reader, self.writer = os.pipe()
        self.reader = os.fdopen(reader, "rb", buffering=0)


@pytest.fixture
def pipe():
    pipe = Pipe()
    yield pipe
    pipe.reader.close()


def test_lines_come_whole_however_they_were_written(pipe: Pipe) -> None:
    lines = Lines(pipe.reader)
    os.write(pipe.writer, b"one\ntw")
    assert lines.read() == ["one"]
    os.write(pipe.writer, b"o\r\n")
    assert lines.read() == ["two"]
    assert lines.read() == []
    os.close(pipe.writer)


def test_the_last_line_needs_no_end(pipe: Pipe) -> None:
    lines = Lines(pipe.reader)
    os.write(pipe.writer, b"half")
    os.close(pipe.writer)
    assert lines.read() == []
    assert lines.read() == ["half"]
    assert lines.closed


def test_only_the_last_lines_are_remembered(pipe: Pipe) -> None:
    lines = Lines(pipe.reader, kept=2)
    os.write(pipe.writer, b"1\n2\n3\n")
    lines.read()
    assert list(lines.last) == ["2", "3"]
    os.close(pipe.writer)


def test_bytes_that_are_no_text_and_lines_without_end_do_no_harm(pipe: Pipe) -> None:
    lines = Lines(pipe.reader)
    os.write(pipe.writer, b"\xff\xfe\n" + b"x" * 5000)
    assert lines.read() == ["��", "x" * 5000]
    os.close(pipe.writer)
