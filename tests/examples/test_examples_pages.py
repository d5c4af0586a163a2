"""Every code block of the documentation runs, in the order of its page, and does what the page says."""

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import PROSE, ROOT, Block, blocks, commands, pages, parsed
from live import COOPSIM, Live, live

FILES = {"world", "scenario", "robot"}
LONGEST = 100.0


class Page:
    """Runs the blocks of one page."""

    def __init__(self, folder: Path, runs: contextlib.ExitStack) -> None:
        self._folder, self._runs = folder, runs
        self._live: Live | None = None
        self._printed = ""

    def run(self, block: Block) -> None:
        if block.mark == "not run":
            assert block.argument, f"{block}: say why it is not run"
            return
        if block.mark in {"run", "replay"}:
            self._runs.close()
            self._live = self._runs.enter_context(live(shlex.split(block.argument), self._folder, block.mark))
        if block.mark == "prints":
            self._compare(block)
        elif block.language == "python":
            self._do(block, [sys.executable, "-c", block.text])
        elif block.language in {"sh", "console"}:
            for line in commands(block):
                self._command(block, line)
        elif block.language in FILES:
            self._check(block)
        else:
            assert block.language in PROSE, f"{block}: no test for {block.language!r}: say `<!-- not run: WHY -->`"

    def _compare(self, block: Block) -> None:
        same = doctest.OutputChecker().check_output(block.text, self._printed, doctest.ELLIPSIS)
        assert same, f"{block}: the page says\n{block.text}but the program printed\n{self._printed}"

    def _command(self, block: Block, line: str) -> None:
        words = shlex.split(line, comments=True)
        match words[0]:
            case "make":
                _is_target(block, words[1:])
            case "coopsim" if words[1:2] == ["run"]:
                self._do(block, [*COOPSIM, *words[1:], "--port", "0", "--duration", "0.3"])
            case "coopsim":
                self._do(block, [*COOPSIM, *words[1:]])
            case "python" | "python3":
                self._do(block, [sys.executable, *words[1:]])
            case other:
                pytest.fail(f"{block}: no test for the program {other!r}: say `<!-- not run: WHY -->`")

    def _check(self, block: Block) -> None:
        file = self._folder / f"page.{block.language}"
        file.write_text(block.text, encoding="utf-8")
        self._do(block, [*COOPSIM, "check", str(file)])

    def _do(self, block: Block, command: list[str]) -> None:
        environment = {**os.environ, **(self._live.environment if self._live else {})}
        done = subprocess.run(
            command, cwd=self._folder, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )
        self._printed = done.stdout
        assert done.returncode == 0, (
            f"{block}: {shlex.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
        )


def _is_target(block: Block, targets: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    assert set(targets) <= known, f"{block}: make has no target {set(targets) - known}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a clone, where programs may write."""
    for name in ("clients", "docs", "scenarios", "worlds"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "recordings").mkdir()
    return tmp_path


@pytest.mark.integration
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages()])
def test_every_block_of_the_page_runs(page: Path, folder: Path) -> None:
    with contextlib.ExitStack() as runs:
        runner = Page(folder, runs)
        for block in blocks(page):
            runner.run(block)


def test_every_page_is_there() -> None:
    names = {str(page.relative_to(ROOT)) for page in pages()}
    assert {"README.md", "CONTRIBUTING.md", "docs/protocol.md", "docs/architecture.md", "docs/files.md"} <= names
    assert {"docs/dependencies.md", "clients/python_stdlib/README.md"} <= names


def test_links_between_pages_lead_somewhere() -> None:
    for page in pages():
        for link in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.relative_to(ROOT)} links to {link}"


def test_blocks_are_found_with_their_marks() -> None:
    text = "a\n<!-- run: single -->\n```python\nx = 1\n\ny = 2\n```\n```text\nno\n```\n"
    first, second = parsed(ROOT / "README.md", text)
    assert (first.language, first.text, first.mark, first.argument) == ("python", "x = 1\n\ny = 2\n", "run", "single")
    assert (second.language, second.line, second.mark) == ("text", 8, "")


@pytest.mark.parametrize("text", ["```python\nx = 1\n", "<!-- prints -->\n\n```text\n```\n"])
def test_a_page_with_a_block_left_open_or_a_mark_left_alone_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"README\.md:\d"):
        parsed(ROOT / "README.md", text)


def test_commands_of_a_console_are_those_behind_the_prompt() -> None:
    block = Block(ROOT / "README.md", 1, "console", "$ coopsim ls\n/sim/clock\n$ coopsim call \\\n  /sim/clock pause\n")
    assert commands(block) == ["coopsim ls", "coopsim call    /sim/clock pause"]


@pytest.mark.parametrize(
    ("language", "text", "complaint"),
    [
        ("python", "raise SystemExit(3)\n", "exit 3"),
        ("sh", "make nothing\n", "no target"),
        ("sh", "rm -r /\n", "no test for the program 'rm'"),
        ("cobol", "", "no test for 'cobol'"),
    ],
)
def test_a_block_that_does_not_do_what_the_page_says_fails(
    folder: Path, language: str, text: str, complaint: str
) -> None:
    block = Block(ROOT / "README.md", 7, language, text)
    with contextlib.ExitStack() as runs, pytest.raises((AssertionError, pytest.fail.Exception), match=complaint):
        Page(folder, runs).run(block)


def test_output_that_differs_from_the_page_fails(folder: Path) -> None:
    with contextlib.ExitStack() as runs:
        page = Page(folder, runs)
        page.run(Block(ROOT / "README.md", 1, "python", "print('x', 0.25)\n"))
        page.run(Block(ROOT / "README.md", 4, "text", "x ...\n", "prints"))
        with pytest.raises(AssertionError, match=r"README\.md:9: the page says"):
            page.run(Block(ROOT / "README.md", 9, "text", "y ...\n", "prints"))
