"""Who did what: printed, and appended to a file."""

import re
from pathlib import Path

import pytest

from coopsim.errors import BadArgument
from coopsim.launch.audit_log import OLDER_FILES, AuditLog, check_audit_file


def test_lines_are_printed_and_appended_with_the_date(tmp_path: Path) -> None:
    file, said = tmp_path / "audit.txt", []
    file.write_text("an older run\n")
    line = (1_700_000_000.0, "anna: /sim/clock pause")
    AuditLog(said.append, file).write([line], [line])
    assert said == ["anna: /sim/clock pause"]
    older, line = file.read_text().splitlines()
    assert older == "an older run"
    assert re.fullmatch(r"2023-11-1\dT\d\d:\d\d:\d\d[+-]\d{4} anna: /sim/clock pause", line)


def test_a_file_that_cannot_be_written_any_more_is_told_once(tmp_path: Path) -> None:
    said: list[str] = []
    log = AuditLog(said.append, tmp_path / "gone" / "audit.txt")
    lines = [(0.0, "anna: pause"), (0.0, "anna: continue")]
    log.write(lines, lines)
    log.write([], lines)
    assert [line for line in said if "anna" in line] == ["anna: pause", "anna: continue"]
    assert len([line for line in said if "nothing more is written" in line]) == 1


def test_a_file_holds_lines_that_are_not_printed(tmp_path: Path) -> None:
    said: list[str] = []
    AuditLog(said.append, tmp_path / "audit.txt").write([(0.0, "eve: 1 more lines")], [(0.0, "eve: remove robot1")])
    assert said == ["eve: 1 more lines"]
    assert (tmp_path / "audit.txt").read_text().endswith(" eve: remove robot1\n")


def test_a_full_file_is_kept_under_a_number_and_a_new_one_is_begun(tmp_path: Path) -> None:
    log = AuditLog([].append, tmp_path / "audit.txt", largest=40)
    for number in range(OLDER_FILES + 3):
        log.write([], [(0.0, f"anna: deed {number} of them all")])
    kept = {path.name: path.read_text().split()[3] for path in tmp_path.iterdir()}
    newest = OLDER_FILES + 2
    assert kept == {f"audit.txt.{age}": str(newest + 1 - age) for age in range(1, OLDER_FILES + 1)}


def test_a_file_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    check_audit_file(tmp_path / "audit.txt")
    with pytest.raises(BadArgument, match="--audit"):
        check_audit_file(tmp_path)
