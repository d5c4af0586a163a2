"""The lists of faults are what they say: cheap checks, which run nothing that is broken."""

import ast
import json
from pathlib import Path

import pytest
from mutants_faults import ROOT, Fault, faults, without_fault
from mutants_results import FILE
from paper_items import naming_tests, paper_items

FAULTS = faults()


def test_there_are_many_faults_with_names_of_their_own() -> None:
    assert len(FAULTS) >= 150
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("file", sorted({fault.file for fault in FAULTS}))
def test_each_fault_replaces_a_text_that_occurs_once_and_leaves_a_program(file: str) -> None:
    read = (lambda text: ast.dump(ast.parse(text))) if file.endswith(".py") else str.split
    whole = read((ROOT / file).read_text(encoding="utf-8"))
    for fault in FAULTS:
        if fault.file == file:
            assert read(fault.source()) != whole, f"{fault.name} changes nothing"


def test_a_text_that_does_not_occur_once_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("b = 1\nb = 1\n")
    with pytest.raises(ValueError, match=r"fault f: the old text occurs 2 times in a\.py, not once"):
        Fault("f", "a.py", "b = 1", "b = 2", "b", ("C-1",)).source(tmp_path)


def test_each_fault_names_promised_items_that_tests_name_and_says_what_is_broken() -> None:
    tests, items = naming_tests(), paper_items()
    for fault in FAULTS:
        assert fault.breaks
        assert fault.items
        for item in fault.items:
            assert item in items, f"{fault.name}: {item} is no item"
            assert not items[item].unpromised, f"{fault.name}: {item} is not promised"
            assert tests.get(item), f"{fault.name}: no test names {item}"


def test_most_promised_items_are_broken_by_a_fault() -> None:
    broken = {item for fault in FAULTS for item in fault.items}
    promised = {item.name for item in paper_items().values() if not item.unpromised}
    assert len(broken & promised) >= 0.5 * len(promised)


def test_an_item_without_a_fault_is_promised_and_no_fault_breaks_it() -> None:
    broken = {item for fault in FAULTS for item in fault.items}
    items = paper_items()
    for name, reason in without_fault().items():
        assert reason
        assert not items[name].unpromised, f"{name} is not promised"
        assert name not in broken, f"{name} has a fault"


@pytest.mark.parametrize("paper", ["C", "S", "A", "D"])
def test_every_promised_item_has_a_fault_or_a_reason_why_it_has_none(paper: str) -> None:
    named = {item for fault in FAULTS for item in fault.items} | set(without_fault())
    promised = {item.name for item in paper_items().values() if item.name[0] == paper and not item.unpromised}
    assert sorted(promised - named) == []


def test_every_fault_that_survived_the_last_run_is_explained_and_what_is_explained_did_survive() -> None:
    fault_of = {fault.name: fault for fault in FAULTS}
    results = json.loads(FILE.read_text(encoding="utf-8"))["faults"]
    assert [name for name in results if name not in fault_of] == []
    caught = {name for name, result in results.items() if result["state"] == "caught"}
    assert [name for name in results if name not in caught and not fault_of[name].survives] == []
    assert [name for name in caught if fault_of[name].survives] == []
    assert len(caught) >= 100
