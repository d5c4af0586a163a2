"""Generated files beside those that people wrote."""

from pathlib import Path

from coopsim.features.amsa.generation import GENERATED, GeneratedFile, PackageWriter

MADE = f"// {GENERATED}\n"


def written(folder: Path, *files: GeneratedFile) -> PackageWriter:
    writer = PackageWriter(folder)
    writer.write(files)
    return writer


def test_generated_files_are_written_anew(tmp_path: Path) -> None:
    place = Path("src/a.cpp")
    assert written(tmp_path, GeneratedFile(place, MADE + "1")).written == [place]
    assert written(tmp_path, GeneratedFile(place, MADE + "2")).written == [place]
    assert (tmp_path / place).read_text() == MADE + "2"


def test_a_file_that_says_the_same_is_not_touched(tmp_path: Path) -> None:
    place = Path("a.cpp")
    written(tmp_path, GeneratedFile(place, MADE))
    before = (tmp_path / place).stat().st_mtime_ns
    assert written(tmp_path, GeneratedFile(place, MADE)).written == []
    assert (tmp_path / place).stat().st_mtime_ns == before


def test_what_is_written_once_belongs_to_people(tmp_path: Path) -> None:
    place = Path("domain.cpp")
    written(tmp_path, GeneratedFile(place, "a frame", once=True))
    (tmp_path / place).write_text("a law")
    writer = written(tmp_path, GeneratedFile(place, "a frame", once=True))
    assert (tmp_path / place).read_text() == "a law"
    assert writer.written == writer.kept == []


def test_a_file_without_its_mark_is_kept_and_named(tmp_path: Path) -> None:
    place = Path("CMakeLists.txt")
    (tmp_path / place).write_text("mine\n\n\n" + MADE)
    assert written(tmp_path, GeneratedFile(place, MADE)).kept == [place]
    assert (tmp_path / place).read_text().startswith("mine")


def test_what_no_longer_belongs_to_the_package_goes_and_nothing_else(tmp_path: Path) -> None:
    written(
        tmp_path, GeneratedFile(Path("src/old.cpp"), MADE), GeneratedFile(Path("src/domain/old.cpp"), "x", once=True)
    )
    (tmp_path / "notes").write_bytes(b"\xff\xfe my own")
    writer = written(tmp_path, GeneratedFile(Path("src/new.cpp"), MADE))
    assert writer.removed == [Path("src/old.cpp")]
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["new.cpp", "notes", "old.cpp"]
