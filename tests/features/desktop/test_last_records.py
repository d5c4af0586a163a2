"""Records since the newest key frame, as a launcher keeps them for a run that dies."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.features.desktop.autosave import last_records
from coopsim.features.desktop.autosave.last_records import LastRecords
from coopsim.state import Layout

SIZE = 100
"""Of a record without a key frame [bytes]."""
LAYOUTS = {generation: Layout(generation, (), (), ()) for generation in range(2)}


class Written:
    """A writer that notes what it is given."""

    def __init__(self, path: Path, *, metadata: Any, attachments: Any) -> None:
        self.lines = LINES
        LINES.append(f"{path.name} {metadata} {attachments}")

    def layout(self, layout: Layout) -> None:
        self.lines.append(f"layout {layout.generation}")

    def write(self, record: Any, keyframe: bytes | None) -> None:
        self.lines.append(f"{record.header.revision}" + " key" * (keyframe is not None))

    def __enter__(self) -> "Written":
        return self

    def __exit__(self, *_: object) -> None:
        self.lines.append("closed")


LINES: list[str] = []


@pytest.fixture(autouse=True)
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(last_records, "Writer", Written)
    LINES.clear()
    return LINES


def record(revision: int, *, is_key: bool) -> Any:
    header = SimpleNamespace(
        revision=revision, keyframe_bytes=8 * SIZE * is_key, size=SIZE + 8 * SIZE * is_key, time_ns=revision * 10**7
    )
    return SimpleNamespace(header=header, keyframe=b"state" * is_key)


def kept(tmp_path: Path, revisions: list[int], keys: set[int], most_bytes: int = 100 * SIZE) -> dict[str, Any]:
    """Hand records on, of which the odd ones beyond 6 have another layout; save what is kept."""
    keeper = LastRecords(most_bytes)
    for revision in revisions:
        keeper.add(LAYOUTS[int(revision > 6)], record(revision, is_key=revision in keys))
    return dict(keeper.save(tmp_path / "last.mcap", {"seed": 1}, {"a.world": ""}))


@pytest.mark.parametrize(
    ("revisions", "keys", "lines"),
    [
        ([0, 1, 2, 3, 4], {0, 3}, ["layout 0", "3 key", "4"]),  # from the newest key frame on
        ([5, 6, 7, 8], {5}, ["layout 0", "5 key", "6", "layout 1", "7", "8"]),
        ([0, 1, 3, 4], {0}, ["layout 0", "0 key", "1"]),  # nothing after one that is missing
        ([0, 1, 3, 4, 5], {0, 4}, ["layout 0", "4 key", "5"]),
        ([0, 1, 2, 3, 4, 5], {0}, ["layout 0", "0 key", "1", "2", "3"]),  # 300 bytes at most
    ],
)
def test_what_follows_the_newest_key_frame_is_kept_as_far_as_it_is_whole_and_has_room(
    tmp_path: Path, written: list[str], revisions: list[int], keys: set[int], lines: list[str]
) -> None:
    (tmp_path / "last.mcap").write_text("of an earlier run")
    end = kept(tmp_path, revisions, keys, 3 * SIZE)
    assert written == ["last.mcap {'seed': 1} {'a.world': ''}", *lines, "closed"]
    assert end == {"file": str(tmp_path / "last.mcap"), "time": int(lines[-1].split()[0]) / 100}


def test_without_a_key_frame_there_is_nothing_to_go_on_from(tmp_path: Path, written: list[str]) -> None:
    assert kept(tmp_path, [1, 2, 3], set()) == {}
    assert written == []


def test_a_folder_that_cannot_be_written_leaves_nothing_to_go_on_from(tmp_path: Path) -> None:
    (tmp_path / "last.mcap").mkdir()
    assert kept(tmp_path, [0, 1], {0}) == {}
