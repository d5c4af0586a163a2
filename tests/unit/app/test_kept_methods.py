import dataclasses
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from coopsim.kept_methods import KeptMethods


@pytest.fixture
def compiled_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that are compiled."""
    texts: list[str] = []

    def compile_and_count(text: str, name: str, mode: str) -> Any:
        texts.append(text)
        return compile(text, name, mode)

    monkeypatch.setattr("coopsim.kept_methods.compile", compile_and_count, raising=False)
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    return texts


@pytest.fixture(autouse=True)
def unchanged_dataclasses() -> Iterator[None]:
    before = dict(vars(dataclasses))
    yield
    vars(dataclasses).pop("exec", None)
    vars(dataclasses).update(before)


def _point(module: str, kept: KeptMethods) -> Any:
    """Return a class of data of a module, whose methods are kept."""
    vars(dataclasses)["exec"] = kept.execute
    return dataclass(frozen=True)(type("Point", (), {"__module__": module, "__annotations__": {"x": float}, "y": 1}))


def test_methods_of_a_class_are_compiled_once_for_all_processes(tmp_path: Path, compiled_texts: list[str]) -> None:
    first = KeptMethods(tmp_path / "methods.bin")
    _point("coopsim.geometry", first)
    first.save()
    count = len(compiled_texts)
    point = _point("coopsim.geometry", KeptMethods(tmp_path / "methods.bin"))(2.0)
    assert count > 3
    assert len(compiled_texts) == count
    assert (point, repr(point)) == (point.__class__(2.0), "Point(x=2.0)")
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 3.0


def test_processes_add_to_a_file_what_they_compile(tmp_path: Path, compiled_texts: list[str]) -> None:
    file = tmp_path / "methods.bin"
    first, second = KeptMethods(file), KeptMethods(file)
    for kept, text in ((first, "a = 1"), (second, "b = 2")):
        kept.execute(text, {"__name__": "coopsim.geometry"}, {})
    first.save()
    second.save()
    values: dict[str, Any] = {}
    for text in ("a = 1", "b = 2"):
        KeptMethods(file).execute(text, {"__name__": "coopsim.geometry"}, values)
    assert values == {"a": 1, "b": 2}
    assert compiled_texts == ["a = 1", "b = 2"]


def test_classes_of_other_packages_are_none_of_its_business(tmp_path: Path, compiled_texts: list[str]) -> None:
    kept = KeptMethods(tmp_path / "methods.bin")
    assert _point("json", kept)(2.0).x == 2.0
    kept.save()
    assert not compiled_texts
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "damage", [lambda content: content[:100], lambda content: b"old " + content[4:], lambda _: b""]
)
def test_a_damaged_file_or_one_of_another_python_counts_as_none(
    tmp_path: Path, compiled_texts: list[str], damage: Any
) -> None:
    file = tmp_path / "methods.bin"
    for _ in range(2):
        kept = KeptMethods(file)
        assert _point("coopsim.geometry", kept)(2.0).x == 2.0
        kept.save()
        file.write_bytes(damage(file.read_bytes()))
    assert len(compiled_texts) == 2 * len(set(compiled_texts))


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path, compiled_texts: list[str]) -> None:
    kept = KeptMethods(tmp_path / "missing" / "methods.bin")
    _point("coopsim.geometry", kept)
    kept.save()
    assert compiled_texts
    assert not os.listdir(tmp_path)


def test_a_file_that_cannot_take_its_place_is_left_nowhere(
    tmp_path: Path, compiled_texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    kept = KeptMethods(tmp_path / "methods.bin")
    _point("coopsim.geometry", kept)
    monkeypatch.setattr("os.replace", refuse)
    kept.save()
    assert compiled_texts
    assert not os.listdir(tmp_path)
