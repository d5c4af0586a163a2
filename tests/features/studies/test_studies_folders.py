"""Folders of studies that were given none."""

from datetime import datetime
from pathlib import Path

import pytest

from coopsim.features.studies.study import new_folder


def test_two_studies_that_begin_in_the_same_second_have_a_folder_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now = datetime(2026, 1, 2, 3, 4, 5)
    folders = []
    for _ in range(3):
        folders.append(new_folder("lab/door.scenario", now))
        folders[-1].mkdir(parents=True)
    assert [folder.name for folder in folders] == [f"door-20260102-030405{more}" for more in ("", "-2", "-3")]
