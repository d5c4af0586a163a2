"""Every input that once was of interest, and some mutants of it: readers refuse in words or accept, nothing else."""

from pathlib import Path

import pytest

from coopsim.testkit.fuzz import TARGETS, Fuzzer, outcome
from coopsim.testkit.fuzz.handshakes import CARRIERS

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(file for file in CORPUS.glob("*/*") if file.is_file() and file.parent.name in TARGETS)
MUTANTS = 150


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_corpus_is_read_or_refused_in_words(file: Path) -> None:
    assert outcome(TARGETS[file.parent.name], file.read_bytes())


def test_each_target_has_inputs_and_each_input_a_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == {*TARGETS, *CARRIERS}


@pytest.mark.parametrize("name", TARGETS)
def test_mutants_of_the_corpus_are_read_or_refused_in_words(name: str) -> None:
    fuzzer = Fuzzer(TARGETS[name], [file.read_bytes() for file in FILES if file.parent.name == name], seed=20_000)
    for _ in range(MUTANTS):
        fuzzer.turn()
    assert fuzzer.findings == []
    assert len(fuzzer.kinds) > 3, "mutants reach nothing"
