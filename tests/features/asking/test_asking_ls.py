"""What `coopsim ls` prints of many names."""

from coopsim.features.asking.ls import lines

NAMES = [f"/robot{k}/motors" for k in range(500)]


def test_a_terminal_shows_the_first_of_very_many_names_and_counts_the_others() -> None:
    shown = lines(NAMES, is_terminal=True)
    assert shown[:-1] == NAMES[:20]
    assert shown[-1].startswith("... and 480 more; a longer prefix")


def test_few_names_are_all_shown_and_files_get_all() -> None:
    assert lines(NAMES[:400], is_terminal=True) == NAMES[:400]
    assert lines(NAMES, is_terminal=False) == NAMES
