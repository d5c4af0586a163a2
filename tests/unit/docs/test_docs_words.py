"""Words of the pages: the glossary, and the length of the changelog."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GLOSSARY = ROOT / "docs" / "glossary.md"
ROW = re.compile(r"^\| (\*\*.+?) \| (.+) \| \[[^\]]+\]\(([^)]+)\) \|$", re.MULTILINE)
ROWS = ROW.findall(GLOSSARY.read_text(encoding="utf-8"))
WORDS = [(word, page) for words, _, page in ROWS for word in re.findall(r"\*\*(.+?)\*\*", words)]
FIELD = (  # of robotics, simulation and networks: a reader looks for these
    *("tick", "step", "real time", "lockstep", "seed", "run", "record", "snapshot", "checkpoint", "playback", "layout"),
    *("world", "scenario", "scene", "entity", "object", "target", "pose", "twist", "wrench", "engine", "robot type"),
    *("module", "device", "interface", "command", "reading", "parameter", "driver", "plugin", "client", "controller"),
    *("control law", "owner", "token", "role", "topic", "gateway", "edit", "goal", "metric", "study", "component"),
    *("channel", "event", "link", "model", "source", "host", "kernel", "squad", "referee"),
)
VERSION = re.compile(r"^## (.+)$", re.MULTILINE)


def test_every_row_of_the_glossary_has_a_word_a_meaning_and_a_page() -> None:
    rows = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| **")]
    assert [line for line in rows if not ROW.fullmatch(line)] == []


@pytest.mark.parametrize(("word", "page"), WORDS)
def test_a_word_of_the_glossary_is_used_by_the_page_that_it_names(word: str, page: str) -> None:
    text = (GLOSSARY.parent / page).read_text(encoding="utf-8").replace("-", " ")
    stem = word.replace("-", " ").removesuffix("y")  # also its plural
    assert re.search(rf"\b{stem}", re.sub(r"\s+", " ", text), re.IGNORECASE), f"{page} does not say {word}"


def test_the_glossary_has_each_word_of_the_field_once() -> None:
    words = Counter(word for word, _ in WORDS)
    assert [word for word, count in words.items() if count > 1] == []
    assert [word for word in FIELD if word not in words] == []


@pytest.mark.parametrize("meaning", [meaning for _, meaning, _ in ROWS])
def test_a_meaning_is_one_plain_sentence(meaning: str) -> None:
    assert not meaning.endswith("."), "a meaning is no full sentence"
    assert all(len(part.split()) <= 25 for part in meaning.split(";"))


def test_a_version_of_the_changelog_takes_about_ten_lines_and_says_nothing_twice() -> None:
    _, *parts = VERSION.split((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    for version, text in zip(parts[::2], parts[1::2], strict=True):
        lines = [line for line in text.splitlines() if line]
        assert len(lines) <= 16, f"{version}: say it in about ten lines; pages have the details"
        sentences = Counter(re.split(r"(?<=[.!?])\s+", " ".join(lines)))
        assert [sentence for sentence, count in sentences.items() if count > 1] == []
