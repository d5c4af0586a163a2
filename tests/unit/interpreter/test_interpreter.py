"""Commands that begin our processes, and those that install packages."""

import re
import sys
from pathlib import Path

import coopsim
from coopsim import interpreter

SOURCES = Path(coopsim.__path__[0])
ROOT = SOURCES.parent


def texts() -> dict[str, str]:
    return {str(file.relative_to(SOURCES)): file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py")}


def test_modules_are_begun_without_the_current_folder() -> None:
    command = interpreter.module_command("coopsim.some", "--option", is_unbuffered=True)
    assert command == (sys.executable, "-P", "-u", "-m", "coopsim.some", "--option")


def test_nobody_begins_modules_in_another_way() -> None:
    begun = re.compile(r"sys\.executable,[^\n]*\"-m\"")
    assert [name for name, text in texts().items() if begun.search(text)] == ["interpreter.py"]
