"""What the project promises of the papers: each item is in the name, or the docstring, of a test that proves it."""

from collections import Counter

from paper_items import COUNTS, items_in, naming_tests, paper_items


def test_every_item_of_the_papers_is_listed_with_our_words() -> None:
    numbered = {f"{paper}-{number}" for paper, count in COUNTS.items() for number in range(1, count + 1)}
    assert set(paper_items()) == numbered
    assert [item.name for item in paper_items().values() if len(item.words.split()) < 1] == []


def test_every_promised_item_is_named_by_a_test_function() -> None:
    tests = naming_tests()
    assert [item.name for item in paper_items().values() if not item.unpromised and item.name not in tests] == []


def test_nothing_is_both_proved_and_not_promised() -> None:
    tests = naming_tests()
    assert [item.name for item in paper_items().values() if item.unpromised and item.name in tests] == []


def test_no_test_names_an_item_that_no_paper_has() -> None:
    assert sorted(set(naming_tests()) - set(paper_items())) == []


def test_most_items_are_promised() -> None:
    promised = Counter(item.name[0] for item in paper_items().values() if not item.unpromised)
    assert promised["C"] >= 85
    assert promised["S"] >= 70
    assert promised["A"] >= 88
    assert promised["G"] >= 87
    assert promised["D"] >= 5


def test_a_range_names_all_of_its_items_and_a_letter_of_gaming_needs_no_separator() -> None:
    assert items_in("test_a_60_to_a_63_each") == {"A-60", "A-61", "A-62", "A-63"}
    assert items_in("behaviour_g58_g59") == {"G-58", "G-59"}
    assert items_in("C-30: a step waits, S-7…S-9") == {"C-30", "S-7", "S-8", "S-9"}
    assert items_in("test_max_3_of_png12") == set()
