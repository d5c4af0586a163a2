"""Meshes of the running world by message: pages of a list, parts by hash, and no other file."""

import base64
import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.errors import BadArgument, CoopsimError, NoSuchName
from coopsim.scene.stl import stl_of
from coopsim.server.modules import mesh_store
from coopsim.server.modules.mesh_store import MeshStore
from coopsim.state import Visual

TENT = np.array([[(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (0, 1, 0)]], float)


class Asked:
    """A request whose reply, or refusal, is kept."""

    def __init__(self) -> None:
        self.words: tuple[Any, ...] = ()
        self.sizes: list[float] = []
        self.refusal: CoopsimError | None = None
        self.request = SimpleNamespace(reply=lambda words, data=(), tick=0: (words, list(data), tick))

    def reply(self, message: Any) -> None:
        self.words, self.sizes, self.tick = message

    def refuse(self, problem: CoopsimError) -> None:
        self.refusal = problem


class AtOnce:
    """A worker that does everything at once."""

    def do(self, work: Any, then: Any, refuse: Any) -> None:
        try:
            outcome = work()
        except CoopsimError as problem:
            refuse(problem)
        else:
            then(outcome)


class Shown:
    """A world that is drawn with some meshes, and who asks for them."""

    def __init__(self, folder: Path, count: int) -> None:
        self.files = []
        for number in range(count):
            file = folder / f"tent{number}.stl"
            file.write_bytes(stl_of(TENT * (1.0 + number)))
            self.files.append(str(file))
        self.forbidden: set[str] = set()
        self.store = MeshStore(AtOnce(), lambda file: file not in self.forbidden)  # type: ignore[arg-type]

    def now(self) -> Any:
        rows = [SimpleNamespace(visuals=(Visual("mesh", mesh=file), Visual("mesh", mesh=file))) for file in self.files]
        return SimpleNamespace(entities=rows), SimpleNamespace(tick=7)

    def list(self, first: int, count: int) -> Asked:
        asked = Asked()
        self.store.list(self.now(), first, count, asked)  # type: ignore[arg-type]
        return asked

    def part(self, wanted: str, first: int = 0) -> Asked:
        asked = Asked()
        self.store.part(self.now(), wanted, first, asked)  # type: ignore[arg-type]
        return asked


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    return Shown(tmp_path, 3)


def digest(number: int) -> str:
    return hashlib.sha256(stl_of(TENT * (1.0 + number))).hexdigest()


def test_each_mesh_is_listed_once_with_its_hash_and_size(shown: Shown) -> None:
    asked = shown.list(0, 10)
    assert asked.words == (3, *[word for number, file in enumerate(shown.files) for word in (file, digest(number))])
    assert asked.sizes == [float(len(stl_of(TENT)))] * 3
    assert asked.tick == 7


@pytest.mark.parametrize(
    ("first", "count", "numbers"), [(0, 2, [0, 1]), (1, 1, [1]), (2, 5, [2]), (3, 5, []), (0, 0, [])]
)
def test_a_list_is_read_by_pages(shown: Shown, first: int, count: int, numbers: list[int]) -> None:
    assert shown.list(first, count).words[1::2] == tuple(shown.files[number] for number in numbers)


def test_no_page_is_longer_than_a_message_holds(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_store, "MOST_LISTED", 2)
    asked = shown.list(0, 1000)
    assert (asked.words[0], asked.words[1::2]) == (3, tuple(shown.files[:2]))


def test_parts_of_a_mesh_make_up_its_triangles(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_store, "PART", 50)
    whole, content = stl_of(TENT * 2.0), b""
    while len(content) < len(whole):
        size, piece = shown.part(digest(1), len(content)).words
        assert size == len(whole)
        content += base64.b64decode(piece)
    assert content == whole
    beyond = shown.part(digest(1), len(whole)).refusal
    assert isinstance(beyond, BadArgument)


def test_what_is_not_drawn_here_or_may_not_be_read_is_not_handed_out(shown: Shown, tmp_path: Path) -> None:
    shown.forbidden.add(shown.files[0])
    assert isinstance(shown.part(digest(9)).refusal, NoSuchName)
    assert shown.list(0, 1).words == (3, shown.files[0], "")
    assert isinstance(shown.part(digest(0)).refusal, NoSuchName)
    (tmp_path / "tent1.stl").unlink()
    assert shown.list(1, 1).words == (3, shown.files[1], "")


def test_a_file_that_changed_has_another_hash(shown: Shown) -> None:
    shown.list(0, 1)
    Path(shown.files[0]).write_bytes(stl_of(np.vstack((TENT, TENT))))
    assert shown.list(0, 1).words[2] == hashlib.sha256(stl_of(np.vstack((TENT, TENT)))).hexdigest()
