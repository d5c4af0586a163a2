"""Every code block of the documentation runs, in the order of its page, and does what the page says."""

import contextlib
import re
from pathlib import Path

import pytest
from blocks import ROOT, Block, blocks, commands, course, lessons, pages, parsed
from runner import Page, Wanting, read

_LINK = re.compile(r"\]\(([^)\s:]*?)(?:#([^)\s]*))?\)")
APART = [page for page in pages() if page not in [*lessons(), *course()]]
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@pytest.mark.integration
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in APART])
def test_every_block_of_the_page_runs(page: Path, folder: Path, wanting: list[str]) -> None:
    try:
        read(page, folder)
    except Wanting as problem:
        wanting.append(str(problem))


def test_every_page_is_there() -> None:
    names = {str(page.relative_to(ROOT)) for page in pages()}
    assert {"README.md", "CONTRIBUTING.md", "docs/protocol.md", "docs/architecture.md", "docs/files.md"} <= names
    assert {"docs/dependencies.md", "clients/python_stdlib/README.md", "docs/tutorial/README.md"} <= names


def links(page: Path) -> list[tuple[Path, str]]:
    """Return where the links of a page lead: files, and headings in them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = [(link, heading) for link, heading in _LINK.findall(text) if link or heading]
    return [((page.parent / link).resolve() if link else page, heading) for link, heading in targets]


def anchors(page: Path) -> set[str]:
    """Return the names that the headings of a page have."""
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(page.read_text(encoding="utf-8")))
    return {heading.strip().replace(" ", "-") for heading in kept}


def test_links_between_pages_lead_somewhere() -> None:
    for page in pages():
        for target, heading in links(page):
            assert target.exists(), f"{page.relative_to(ROOT)} links to {target}"
            assert not heading or heading in anchors(target), f"{page.relative_to(ROOT)}: no heading #{heading}"


def test_every_page_is_reached_by_links_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            ahead += [target for target, _ in links(page) if target.suffix == ".md" and target.exists()]
    assert [str(page.relative_to(ROOT)) for page in pages() if page not in reached] == []


def test_the_first_controller_of_ones_own_takes_at_most_ten_commands() -> None:
    typed: list[str] = []
    for block in (block for lesson in lessons() for block in blocks(lesson) if block.language == "sh"):
        typed += commands(block)
        if any(command.startswith("python ") for command in typed):
            break
    assert 2 <= len(typed) <= 10, typed


def test_blocks_are_found_with_their_marks() -> None:
    text = "a\n<!-- file: a.py -->\n```python\nx = 1\n\ny = 2\n```\n```text\nno\n```\n"
    first, second = parsed(ROOT / "README.md", text)
    assert (first.language, first.text, first.mark, first.argument) == ("python", "x = 1\n\ny = 2\n", "file", "a.py")
    assert (second.language, second.line, second.mark) == ("text", 8, "")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nx = 1\n", "the block has no end"),
        ("<!-- prints -->\n\n```text\n```\n", "must stand right before a block"),
        ("<!-- run: single -->\n```python\n```\n", "a reader does not see this command"),
        ("<!-- replay: a.mcap -->\n```python\n```\n", "a reader does not see this command"),
        ("<!-- runs: single -->\n```python\n```\n", "no test knows the comment"),
        ("<!-- live: single -->\n```python\n```\n", "takes nothing"),
        ("<!-- file: hidden.py -->\n```python\n```\n", "a reader does not see that this is the file hidden.py"),
    ],
)
def test_a_page_that_a_reader_could_not_follow_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"README\.md:\d: .*{complaint}"):
        parsed(ROOT / "README.md", text)


def test_commands_of_a_console_are_those_behind_the_prompt() -> None:
    block = Block(ROOT / "README.md", 1, "console", "$ coopsim ls\n/sim/clock\n$ coopsim call \\\n  /sim/clock pause\n")
    assert commands(block) == ["coopsim ls", "coopsim call    /sim/clock pause"]


@pytest.mark.parametrize(
    ("language", "text", "mark", "argument", "complaint"),
    [
        ("python", "raise SystemExit(3)\n", "", "", "exit 3"),
        ("sh", "make nothing\n", "", "", "no target"),
        ("sh", "rm -r /\n", "", "", "no test for the program 'rm'"),
        ("sh", "false\ntrue\n", "shell", "", "exit 1"),
        ("sh", "coopsim ls\n", "live", "", "a live block runs or replays"),
        ("cobol", "", "", "", "no test for 'cobol'"),
        ("python", "", "not run", "", "say why"),
        ("world", "[FLOR]\n", "file", "mine.world", "FLOOR"),
    ],
)
def test_a_block_that_does_not_do_what_the_page_says_fails(
    folder: Path, language: str, text: str, mark: str, argument: str, complaint: str
) -> None:
    block = Block(ROOT / "README.md", 7, language, text, mark, argument)
    with contextlib.ExitStack() as runs, pytest.raises((AssertionError, pytest.fail.Exception), match=complaint):
        Page(folder, runs).run(block)


def test_a_block_that_wants_a_program_says_which(folder: Path) -> None:
    block = Block(ROOT / "README.md", 7, "sh", "nowhere_to_be_found\n", "shell", "nowhere_to_be_found")
    with contextlib.ExitStack() as runs, pytest.raises(Wanting, match="no nowhere_to_be_found here"):
        Page(folder, runs).run(block)


def test_a_file_of_a_page_is_there_for_the_blocks_behind_it(folder: Path) -> None:
    with contextlib.ExitStack() as runs:
        page = Page(folder, runs)
        page.run(Block(ROOT / "README.md", 1, "python", "print('written')\n", "file", "mine.py"))
        page.run(Block(ROOT / "README.md", 4, "sh", "for _ in 1 2; do python mine.py; done\n", "shell"))
        page.run(Block(ROOT / "README.md", 7, "text", "written\nwritten\n", "prints"))


def test_output_that_differs_from_the_page_fails(folder: Path) -> None:
    with contextlib.ExitStack() as runs:
        page = Page(folder, runs)
        page.run(Block(ROOT / "README.md", 1, "python", "print('x', 0.25)\n"))
        page.run(Block(ROOT / "README.md", 4, "text", "x ...\n", "prints"))
        with pytest.raises(AssertionError, match=r"README\.md:9: the page says"):
            page.run(Block(ROOT / "README.md", 9, "text", "y ...\n", "prints"))


def test_the_strangers_program_fails_where_its_command_is_refused(folder: Path) -> None:
    program = next(block for block in blocks(ROOT / "README.md") if "import socket" in block.text)
    with contextlib.ExitStack() as runs:
        page = Page(folder, runs)
        page.run(Block(ROOT / "README.md", 1, "sh", "coopsim run single --no-controllers\n", "live"))
        owner = "import coopsim, subprocess, sys\nwith coopsim.connect() as sim:\n    sim.step.claim('robot1')\n"
        refused = "    sys.exit(subprocess.run([sys.executable, 'stranger.py']).returncode == 0)\n"
        page.run(Block(program.page, program.line, "python", program.text, "file", "stranger.py"))
        page.run(Block(program.page, program.line, "python", owner + refused))
        with pytest.raises(AssertionError, match="end the run of before"):  # it has the usual ports
            page.run(Block(ROOT / "README.md", 9, "sh", "coopsim run single --mode free\n"))
