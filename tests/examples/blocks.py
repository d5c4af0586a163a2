"""The fenced code blocks of the documentation, and what is said about each of them.

A comment on the line before a block says what a test has to know:

* `<!-- live -->` before the command of a terminal of its own, `coopsim run ...` or `coopsim replay ...`: it serves all
  blocks that follow on the page, until the next such comment. There is no other way to start one: a reader sees the
  command that a program needs.
* `<!-- file: drive.py -->` writes the block to a file of this name; worlds, scenarios and robots are checked there.
* `<!-- fails: 1 -->` before a command that ends with this exit code, since the page shows a mistake.
* `<!-- shell -->` gives the whole block to the shell, loops and pipes and all; `<!-- shell: cc -->` where that needs a
  program.
* `<!-- not run: WHY -->` leaves the block alone.
* `<!-- ends -->` before the text `Ctrl-C`: the reader ends what runs in the first terminal.
* `<!-- prints -->` before a text block: the program before it must have printed this; `...` stands for anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROSE = {"text"}
_ALONE = {"live", "ends", "prints"}
_FENCE = re.compile(r"^```(\S*)\s*$")
_COMMENT = re.compile(r"^<!-- (live|file|fails|shell|not run|ends|prints):? ?(.*?) -->$")
_HIDDEN = re.compile(r"^<!-- (run|replay): ")
_GENERATED = re.compile(r"^<!-- (generated: .+|end) -->$")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the comment before it."""

    page: Path
    line: int
    language: str
    text: str
    mark: str = ""
    argument: str = ""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Return every page of the documentation."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    files += sorted((ROOT / "docs").rglob("*.md")) + sorted((ROOT / "clients").glob("*/README.md"))
    return [page for page in files if page.exists()]


def lessons() -> list[Path]:
    """Return the lessons of the tutorial in their order; each goes on in the folder of the one before."""
    return sorted((ROOT / "docs" / "tutorial").glob("[0-9]*.md"))


def course() -> list[Path]:
    """Return the pages of the course in their order; the simulation that the first one starts serves all of them."""
    folder = ROOT / "docs" / "course"
    return [folder / "README.md", *sorted(folder.glob("[0-9]*.md"))]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in their order."""
    return parsed(page, page.read_text(encoding="utf-8"))


def parsed(page: Path, text: str) -> list[Block]:
    """Return the blocks of a text.

    Raises:
        ValueError: A block has no end, a comment stands before no block or is unknown, or the reader does not see the
            name of a file that the page writes.
    """
    blocks: list[Block] = []
    lines = iter(enumerate(text.splitlines(), 1))
    mark = argument = ""
    for number, line in lines:
        comment, fence = _COMMENT.match(line), _FENCE.match(line)
        if _HIDDEN.match(line):
            raise ValueError(f"{page}:{number}: a reader does not see this command; show it in a block of its own")
        if line.startswith("<!--") and not (comment or _GENERATED.match(line)):
            raise ValueError(f"{page}:{number}: no test knows the comment `{line}`, see tests/examples/blocks.py")
        if mark and not fence:
            raise ValueError(f"{page}:{number}: a comment `{mark}` must stand right before a block")
        if comment:
            mark, argument = comment.groups()
            if argument and mark in _ALONE:
                raise ValueError(
                    f"{page}:{number}: the comment `{mark}` takes nothing; what it runs stands in the block"
                )
        elif fence:
            body = _body(lines)
            if body is None:
                raise ValueError(f"{page}:{number}: the block has no end")
            blocks.append(Block(page, number, fence[1], body, mark, argument))
            mark = argument = ""
    _check_files_are_named(blocks, text)
    return blocks


def _check_files_are_named(blocks: list[Block], text: str) -> None:
    seen = "\n".join(line for line in text.splitlines() if not _COMMENT.match(line))
    for block in blocks:
        if block.mark == "file" and Path(block.argument).stem not in seen:
            raise ValueError(f"{block.page}:{block.line}: a reader does not see that this is the file {block.argument}")


def _body(lines: Iterator[tuple[int, str]]) -> str | None:
    body: list[str] = []
    for _, line in lines:
        if line.startswith("```"):
            return "".join(f"{line}\n" for line in body)
        body.append(line)
    return None


def commands(block: Block) -> list[str]:
    """Return the command lines of a block: all of `sh`, of `console` those behind a prompt."""
    lines = [line.strip() for line in block.text.replace("\\\n", " ").splitlines()]
    if block.language == "console":
        return [line.removeprefix("$").strip() for line in lines if line.startswith("$ ")]
    return [line for line in lines if line and not line.startswith("#")]
