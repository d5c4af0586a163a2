"""Who did what: printed, and appended to a file."""

import re
from pathlib import Path

import pytest

from coopsim.errors import BadArgument
from coopsim.launch.audit_log import AuditLog, check_audit_file


def test_lines_are_printed_and_appended_with_the_date(tmp_path: Path) -> None:
    file, said = tmp_path / "audit.txt", []
    file.write_text("an older run\n")
    AuditLog(said.append, file).take([(1_700_000_000.0, "anna: /sim/clock pause")])
    assert said == ["anna: /sim/clock pause"]
    older, line = file.read_text().splitlines()
    assert older == "an older run"
    assert re.fullmatch(r"2023-11-1\dT\d\d:\d\d:\d\d[+-]\d{4} anna: /sim/clock pause", line)


def test_a_file_that_cannot_be_written_any_more_is_told_once(tmp_path: Path) -> None:
    said: list[str] = []
    log = AuditLog(said.append, tmp_path / "gone" / "audit.txt")
    log.take([(0.0, "anna: pause"), (0.0, "anna: continue")])
    assert [each for each in said if "anna" in each] == ["anna: pause", "anna: continue"]
    assert len([each for each in said if "nothing more is written" in each]) == 1


def test_a_file_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    check_audit_file(tmp_path / "audit.txt")
    with pytest.raises(BadArgument, match="--audit"):
        check_audit_file(tmp_path)
