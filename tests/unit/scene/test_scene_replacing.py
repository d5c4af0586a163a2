"""A file is replaced whole, or not at all."""

import os
from pathlib import Path

import pytest

from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.amsa.components.draft import SystemDraft
from coopsim.features.amsa.components.files import find
from coopsim.scene import replacing
from coopsim.scene.replacing import replace_file


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(replacing.os, "fsync", full)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    for suffix in (".amsa", ".amsatemplate"):
        (tmp_path / f"challenge{suffix}").write_bytes(find("challenge", suffix).read_bytes())
    return tmp_path / "challenge.amsa"


def test_rights_and_links_of_a_file_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    replace_file(link, b"new")
    assert (real.read_text(), real.stat().st_mode & 0o777, link.is_symlink()) == ("new", 0o640, True)


@pytest.mark.usefixtures("full_disk")
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(OSError, match="No space left"):
        replace_file(tmp_path / "file", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.usefixtures("full_disk")
def test_a_model_stays_as_it_was_where_its_edit_cannot_be_saved(model: Path) -> None:
    before = model.read_bytes()
    draft = SystemDraft(model)
    draft.remove("Leader")
    with pytest.raises(NoSuchFile, match="cannot be written: No space left"):
        draft.save()
    assert (model.read_bytes(), draft.is_changed, len(list(model.parent.iterdir()))) == (before, True, 2)


def test_a_model_that_is_no_text_is_not_edited(model: Path) -> None:
    model.write_bytes(b"// caf\xe9\n" + model.read_bytes())
    with pytest.raises(BadFile, match=r"challenge\.amsa:1:7: byte 0xe9 is not UTF-8"):
        SystemDraft(model)
