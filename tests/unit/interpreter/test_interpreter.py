"""Commands that begin our processes, and those that install packages."""

import json
import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import coopsim
from coopsim import interpreter
from coopsim.features.doctor.probes import EXTRAS

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


def kept_as(monkeypatch: pytest.MonkeyPatch, facts: dict[str, object] | None) -> None:
    """Let coopsim have been installed from where these facts say, None = from an index."""

    class Installed:
        def read_text(self, _: str) -> str | None:
            return facts and json.dumps(facts)

    monkeypatch.setattr("importlib.metadata.distribution", lambda _: Installed())
    interpreter._source.cache_clear()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (None, ["coopsim[studies]"]),
        ({"url": "file:///a%20b", "dir_info": {"editable": True}}, ["-e", "/a b[studies]"]),
        ({"url": "file:///a/coopsim-1.whl", "archive_info": {}}, ["coopsim[studies] @ file:///a/coopsim-1.whl"]),
        ({"url": "file:///a", "dir_info": {}}, ["coopsim[studies] @ file:///a"]),
    ],
)
def test_extras_come_from_where_coopsim_came_from(
    monkeypatch: pytest.MonkeyPatch, facts: dict[str, object] | None, words: list[str]
) -> None:
    kept_as(monkeypatch, facts)
    try:
        assert shlex.split(interpreter.extra_command("studies")) == [sys.executable, "-m", "pip", "install", *words]
        rebuilding = shlex.split(interpreter.rebuild_command())[4:]
        anew = [] if words[0] == "-e" else ["--force-reinstall", "--no-binary", "coopsim"]
        assert rebuilding == ["--no-deps", *anew, *(word.replace("[studies]", "") for word in words)]
    finally:
        interpreter._source.cache_clear()


def test_a_checkout_without_an_installation_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    interpreter._source.cache_clear()
    assert interpreter.extra_command().endswith("install coopsim")
    interpreter._source.cache_clear()


def test_nobody_writes_an_install_command_of_his_own() -> None:
    assert [name for name, text in texts().items() if "pip install" in text or "coopsim[" in text] == []


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("clients/**/*.md")]


def test_pages_send_for_optional_parts_to_one_place() -> None:
    pages = {
        str(page.relative_to(ROOT)) for page in PAGES if re.search(r"coopsim\[[a-z]", page.read_text(encoding="utf-8"))
    }
    assert pages - {"CHANGELOG.md", "README.md"} == {"docs/dependencies.md"}


def test_pages_that_name_an_optional_part_name_one_that_there_is() -> None:
    for page in PAGES:
        for name in re.findall(r"extra `([a-z]+)`", page.read_text(encoding="utf-8")):
            assert name in EXTRAS, page
