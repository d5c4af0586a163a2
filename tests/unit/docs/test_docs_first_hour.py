"""The script of the first hour: what it types, counts and writes down, at a place where nothing is slow."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
SAYS = {
    "make run": "installing\nanswering on tcp://127.0.0.1:1 (ZeroMQ)\n    0.06 s  x0.29    real-time\n",
    "coopsim run single --port 0": "answering on tcp://127.0.0.1:7 (ZeroMQ) and 127.0.0.1:8 (plain TCP)\n",
}


@pytest.fixture(scope="module")
def first_hour() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
        import first_hour

        yield first_hour


class Stage:
    """A place where commands say what they are told to say."""

    about, preparing = "a test", ""

    def __init__(self, code: int = 0) -> None:
        self.code, self.typed, self.files = code, [], {}

    def write(self, name: str, text: str) -> None:
        self.files[name] = text

    def begin(self, command: str, **environment: str) -> "subprocess.Popen[str]":
        self.typed.append((command, environment))
        said = next((said for words, said in SAYS.items() if command.endswith(words)), "done\n")
        code = f"import sys; sys.stdout.write({said!r}); sys.exit({self.code})"
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", code], stdout=pipe, text=True, start_new_session=True)


def typed(first_hour: ModuleType, folder: Path, text: str, stage: Stage) -> object:
    page = folder / "lesson.md"
    page.write_text(text, encoding="utf-8")
    hour = first_hour.Hour()
    first_hour.Typist(stage, hour).read(page)
    return hour


def test_commands_files_and_runs_of_a_page_are_typed_in_their_order(first_hour: ModuleType, tmp_path: Path) -> None:
    page = """# 1. One
```sh
make run
```
<!-- not run: a builtin -->
```sh
. .venv/bin/activate
```
<!-- live -->
```sh
coopsim run single
```
<!-- file: away.py -->
```python
print()
```
```sh
python away.py
coopsim ls
```
"""
    stage = Stage()
    hour = typed(first_hour, tmp_path, page, stage)
    environment = {"COOPSIM_ENDPOINT": "tcp://127.0.0.1:7"}
    assert stage.typed == [
        ("make run", {}),
        (". .venv/bin/activate && exec coopsim run single --port 0", {}),
        (". .venv/bin/activate && python away.py", environment),
        (". .venv/bin/activate && coopsim ls", environment),
    ]
    assert stage.files == {"away.py": "print()\n"}
    assert hour.typed == 4
    assert 0.0 < hour.moving <= hour.seconds["make run"]
    rows = {row["case"]: row for row in first_hour.rows_of(hour)}
    assert rows["first controller of one's own"]["ok"]
    assert "$ coopsim ls\ndone\n" in first_hour.page_of(stage, hour)


def test_a_command_that_fails_ends_the_hour_with_what_it_said(first_hour: ModuleType, tmp_path: Path) -> None:
    page = "# 1. One\n```sh\ncoopsim ls\n```\n"
    with pytest.raises(first_hour.Unexpected, match="coopsim ls: exit code 4\ndone"):
        typed(first_hour, tmp_path, page, Stage(code=4))
    assert typed(first_hour, tmp_path, page.replace("```sh", "<!-- fails: 4 -->\n```sh"), Stage(code=4)).typed == 1


def test_long_outputs_are_cut_in_the_middle(first_hour: ModuleType) -> None:
    lines = first_hour._shortened("".join(f"{n}\n" for n in range(100)))
    assert (lines[0], lines[-1], len(lines)) == ("0", "99", first_hour.SHOWN + 1)
    assert "... 82 lines ..." in lines
