"""Kinds of jobs: which one plans the study of a file, and what is refused of its rows."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.errors import BadArgument, PluginClash, PluginFailed
from coopsim.features.studies.axes import Axis
from coopsim.features.studies.job import Job, Row, Task, begun_row, run_task
from coopsim.features.studies.study import JobKind, Study, StudyOptions, plan, tasks_of


@dataclass(frozen=True)
class FixedJob(Job):
    row: Row

    def run(self, task: Task) -> Row:
        return self.row


class TankStudies:
    takes: Collection[str] = ("duration",)

    def reads(self, file: str | Path) -> bool:
        return Path(file).suffix == ".tank"

    def plan(self, file: str | Path, axes: Sequence[Axis], options: StudyOptions, folder: Path | None) -> Study:
        return Study(FixedJob({}), tasks_of([{}], options))


def register(monkeypatch: pytest.MonkeyPatch, **kinds: object) -> None:
    """Let kinds of jobs be registered besides those of scenarios and systems."""
    registered, load = plugins.registered, plugins.load
    names = {**registered("jobs"), **dict.fromkeys(kinds, registered("jobs")["system"])}
    monkeypatch.setattr(plugins, "registered", lambda group: names if group == "jobs" else registered(group))
    monkeypatch.setattr(plugins, "load", lambda group, name: kinds[name] if name in kinds else load(group, name))


def test_a_kind_plans_its_files_and_is_given_only_options_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    kind: JobKind = TankStudies()
    register(monkeypatch, tank=kind)
    assert [task.seed for task in plan("a.tank", (), StudyOptions(seeds=(4, 5), duration=2.0)).tasks] == [4, 5]
    with pytest.raises(BadArgument, match=r"a\.tank: the study of a tank has no --settle; it has --duration"):
        plan("a.tank", (), StudyOptions(settle=1.0))


def test_a_file_of_two_kinds_is_refused_with_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, tank=TankStudies(), basin=TankStudies())
    with pytest.raises(PluginClash, match=r"a\.tank is a study of several kinds: tank, basin; rename the file"):
        plan("a.tank", (), StudyOptions())


def test_a_kind_that_raises_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(TankStudies):
        def reads(self, file: str | Path) -> bool:
            raise ZeroDivisionError

    register(monkeypatch, leak=Broken())
    with pytest.raises(PluginFailed, match="job leak: ZeroDivisionError"):
        plan("formation", (), StudyOptions())


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ({"number": 0}, "its job returned a row without goals, metrics, seed, success, values"),
        (
            begun_row(Task(0, {}, 1)) | {"success": "yes"},
            "its job returned a row with a mistake: success: expected true or false, found 'yes'",
        ),
    ],
)
def test_a_row_that_a_study_cannot_keep_is_one_with_an_error(row: Row, error: str) -> None:
    kept = run_task(FixedJob(row), Task(0, {}, 1))
    assert (kept["error"], kept["success"]) == (error, False)


def test_no_room_below_the_laws_knows_one_by_its_name() -> None:
    source = Path(plugins.__file__).parent.parent
    laws = [name for name in plugins.registered("controllers") if name != "game"]
    compared = re.compile(rf'run [=!]= "({"|".join(laws)})"')
    files = [
        *(source / "robots").glob("*.py"),
        *(source / "scene").glob("*.py"),
        *(source / "features" / "studies").rglob("*.py"),
    ]
    assert [file.name for file in files if compared.search(file.read_text(encoding="utf-8"))] == []
