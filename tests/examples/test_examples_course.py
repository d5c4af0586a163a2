"""The course: its pages are run in one simulation, and its programs are the solutions less what is to be filled in."""

import contextlib
import re
from pathlib import Path

import pytest
from blocks import ROOT, blocks, course
from runner import Page, Wanting

COURSE = ROOT / "docs" / "course"
PROGRAMS = sorted((COURSE / "solutions").glob("*.py")) + sorted((COURSE / "solutions").glob("*.m"))
_YOURS = re.compile(r"([#%] yours\n).*?([#%] end of yours\n)", re.DOTALL)


@pytest.mark.integration
@pytest.mark.timeout(600)
def test_every_exercise_has_a_solution_that_does_what_its_page_says_C_82_C_83(folder: Path, wanting: list[str]) -> None:
    with contextlib.ExitStack() as runs:
        runner = Page(folder, runs)
        for block in (block for page in course() for block in blocks(page)):
            try:
                runner.run(block)
            except Wanting as problem:
                wanting.append(str(problem))


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
