"""Runs the code blocks of a page of the documentation as its reader would."""

import contextlib
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import PROSE, ROOT, Block, blocks, commands
from live import Live, live

FILES = {"world", "scenario", "robot"}
LONGEST = 250.0
_OPENGL = "libegl1 libgl1"


class Wanting(Exception):
    """A block needs a program that this machine does not have; the text says which."""


class Page:
    """Runs the blocks of one page, in its order.

    Args:
        folder: Where programs run and write.
        runs: Where simulations are kept that serve several blocks.
        python: Interpreter of the environment that coopsim is installed in.
        is_literal: Whether commands are typed as they stand, on the usual ports, and what runs ends only where the page
            says so.
    """

    def __init__(
        self, folder: Path, runs: contextlib.ExitStack, python: str = sys.executable, *, is_literal: bool = False
    ) -> None:
        self._folder, self._runs, self._python, self._is_literal = folder, runs, python, is_literal
        self._live: Live | None = None
        self._printed = ""

    def run(self, block: Block) -> None:
        """Run a block as the comment before it says, otherwise as its language says."""
        match block.mark:
            case "not run":
                assert block.argument, f"{block}: say why it is not run"
            case "prints":
                self._compare(block)
            case "ends":
                assert block.text == "Ctrl-C\n", f"{block}: say `Ctrl-C`"
                self._runs.close()
                self._live = None
            case "file":
                self._write(block)
            case "live":
                word, *arguments = _words_of_live(block)
                self._begin(word, arguments)
            case "shell":
                missing = [program for program in block.argument.split() if shutil.which(program) is None]
                if missing:
                    raise Wanting(f"{block}: there is no {', '.join(missing)} here")
                self._do(block, ["sh", "-eu", "-c", block.text])
            case "fails":
                self._plain(block, code=int(block.argument))
            case _:
                self._plain(block)

    def _begin(self, word: str, arguments: list[str]) -> None:
        if not self._is_literal:
            self._runs.close()
        begun = live(arguments, self._folder, word, python=self._python, is_literal=self._is_literal)
        self._live = self._runs.enter_context(begun)

    def _plain(self, block: Block, *, code: int = 0) -> None:
        if block.language == "python":
            program = self._folder / f"block{block.line}.py"
            program.write_text(block.text, encoding="utf-8")
            self._do(block, [self._python, str(program)], code)
        elif block.language in {"sh", "console"}:
            for line in commands(block):
                self._command(block, line, code)
        elif block.language in FILES:
            self._check(block, self._folder / f"page.{block.language}")
        else:
            assert block.language in PROSE, f"{block}: no test for {block.language!r}: say `<!-- not run: WHY -->`"

    def _compare(self, block: Block) -> None:
        same = doctest.OutputChecker().check_output(
            block.text, self._printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        )
        assert same, f"{block}: the page says\n{block.text}but the program printed\n{self._printed}"

    def _command(self, block: Block, line: str, code: int = 0) -> None:
        words = shlex.split(line, comments=True)
        match words[0]:
            case "make":
                _is_target(block, words[1:])
            case "coopsim" if words[1:2] == ["run"]:
                # a reader has the usual ports alone, and the run of the other terminal has them
                assert self._live is None or "--port" in words, f"{block}: end the run of before (`<!-- ends -->`)"
                more = [] if "--duration" in words else ["--duration", "0.3"]
                more += [] if self._is_literal else ["--port", "0"]
                self._do(block, [*self._coopsim, *words[1:], *more], code)
            case "coopsim":
                self._do(block, [*self._coopsim, *words[1:]], code)
            case "python" | "python3":
                self._do(block, [self._python, *words[1:]], code)
            case other:
                pytest.fail(f"{block}: no test for the program {other!r}: say `<!-- not run: WHY -->`")

    def _write(self, block: Block) -> None:
        file = self._folder / block.argument
        if block.language in FILES:
            self._check(block, file)
        else:
            file.write_text(block.text, encoding="utf-8")

    def _check(self, block: Block, file: Path) -> None:
        file.write_text(block.text, encoding="utf-8")
        self._do(block, [*self._coopsim, "check", str(file)])

    @property
    def _coopsim(self) -> list[str]:
        return [self._python, "-m", "coopsim"]

    @property
    def _addresses(self) -> dict[str, str]:
        """What programs must be told where a run does not answer on the usual ports."""
        return self._live.environment if self._live and not self._is_literal else {}

    def _do(self, block: Block, command: list[str], code: int = 0) -> None:
        path = os.pathsep.join([str(Path(self._python).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, **self._addresses}
        done = subprocess.run(
            command, cwd=self._folder, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )
        if _OPENGL in done.stderr:
            raise Wanting(f"{block}: there is no OpenGL here: apt-get install {_OPENGL}")
        self._printed = done.stdout + (done.stderr if code else "")
        assert done.returncode == code, (
            f"{block}: {shlex.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
        )


def read(page: Path, folder: Path, python: str = sys.executable) -> None:
    """Run all blocks of a page in a folder, as its reader would.

    Raises:
        Wanting: It needs a program that is not there.
    """
    with contextlib.ExitStack() as runs:
        runner = Page(folder, runs, python)
        for block in blocks(page):
            runner.run(block)


def _words_of_live(block: Block) -> list[str]:
    (line,) = commands(block)
    words = shlex.split(line, comments=True)
    assert words[:2] in (["coopsim", "run"], ["coopsim", "replay"]), f"{block}: a live block runs or replays"
    return words[1:]


def _is_target(block: Block, targets: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    assert set(targets) <= rules, f"{block}: make has no target {set(targets) - rules}"
