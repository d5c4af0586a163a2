"""Every client passes its own tests, its checkers find nothing, and its package can be installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim.testkit import Run
from coopsim.testkit.conformance import Language, languages
from coopsim.testkit.conformance.languages import QUICK
from coopsim.testkit.conformance.live import ROOM

FOLDER = Path(__file__).parents[2] / "clients"
HERE = [language for language in languages(FOLDER) if not language.missing]
pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]  # the first build fetches libraries


@pytest.fixture(scope="module")
def room() -> Iterator[str]:
    with Run(ROOM, "--no-controllers") as run:
        yield run.plain.rpartition("/")[2]


@pytest.fixture(scope="module", params=HERE, ids=lambda language: language.folder.name)
def language(request: pytest.FixtureRequest) -> Language:
    """A language whose programs are built."""
    language: Language = request.param
    language.make(QUICK)
    return language


def test_its_own_tests_pass_and_its_tools_find_nothing(language: Language, tmp_path: Path) -> None:
    for line in filter(None, (language.test, language.lint)):
        done = language.done(line, QUICK, tmp_path)
        assert done.returncode == 0, f"{language.name}, {line}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


def test_a_program_drives_by_its_package(language: Language, room: str, tmp_path: Path) -> None:
    if language.package:
        done = language.done(language.package, QUICK | {"COOPSIM_TCP": room}, tmp_path)
        assert done.returncode == 0, f"{language.name}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        program = "08_typed" if "08_typed" in language.examples else "02_drive"
        assert done.stdout == (FOLDER / "expected" / f"{program}.txt").read_text(encoding="utf-8")
