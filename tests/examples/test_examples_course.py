"""The course: its pages are run in one simulation, and its programs are the solutions less what is to be filled in."""

import contextlib
import re
from pathlib import Path

import pytest
from blocks import ROOT, Block, blocks, course, parsed
from runner import Page, Wanting

COURSE = ROOT / "docs" / "course"
PROGRAMS = sorted((COURSE / "solutions").glob("*.py")) + sorted((COURSE / "solutions").glob("*.m"))
_YOURS = re.compile(r"([#%] yours\n).*?([#%] end of yours\n)", re.DOTALL)


@pytest.mark.integration
@pytest.mark.timeout(600)
def test_every_exercise_has_a_solution_that_does_what_its_page_says_C_82_C_83(folder: Path, wanting: list[str]) -> None:
    wanting += read_on([block for page in course() for block in blocks(page)], folder)


def read_on(these: list[Block], folder: Path) -> list[str]:
    """Run blocks in one simulation; leave out those that want a program, and what they would print; say which."""
    left_out: list[str] = []
    with contextlib.ExitStack() as runs:
        runner, has_run = Page(folder, runs), True
        for block in these:
            if block.mark == "prints" and not has_run:
                continue
            try:
                runner.run(block)
                has_run = True
            except Wanting as problem:
                left_out.append(str(problem))
                has_run = False
    return left_out


def test_what_wants_a_program_is_left_out_with_what_it_prints_and_the_course_goes_on(folder: Path) -> None:
    text = (
        "<!-- shell: nowhere_to_be_found -->\n```sh\nnowhere_to_be_found\n```\n<!-- prints -->\n```text\nnothing\n```\n"
        "<!-- shell -->\n```sh\necho on\n```\n<!-- prints -->\n```text\non\n```\n"
    )
    (said,) = read_on(parsed(ROOT / "README.md", text), folder)
    assert "no nowhere_to_be_found here" in said


@pytest.mark.parametrize("solution", [pytest.param(file, id=file.name) for file in PROGRAMS])
def test_a_program_to_begin_with_is_its_solution_less_what_is_to_be_filled_in(solution: Path) -> None:
    done = solution.read_text(encoding="utf-8")
    begun = (COURSE / "start" / solution.name).read_text(encoding="utf-8")
    assert begun != done
    assert _YOURS.sub(r"\1 \2", begun) == _YOURS.sub(r"\1 \2", done)


def test_the_course_has_six_exercises_with_programs_in_both_languages() -> None:
    pages = course()[1:]
    assert len(pages) == 6
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert [
            word for word in ("**Aim.**", "**What one learns.**", "**Yours.**", "**Hints.**") if word not in text
        ] == []
        assert "python docs/course/solutions/" in text
        assert "octave-cli --norc --path clients/matlab --path docs/course/solutions" in text
