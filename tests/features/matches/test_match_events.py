"""Events of a match come from whoever publishes them: what is none is passed over."""

import json

import pytest

from coopsim.features.matches.events import match_result, match_status

STATUS = {"robots": [["a1", 80.0, 12, "red"]], "flags": {"red": [1.0, -2.5, "a1"]}}
RESULT = {"winner": "", "reason": "the time is over", "time": 300.0, "casualties": {"south": 2}}


def test_what_a_match_tells_is_read() -> None:
    assert match_status(json.dumps(STATUS)) == STATUS
    assert match_result(json.dumps(RESULT)) == RESULT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "we win!",
        "[]",
        "{}",
        "[" * 100_000,
        '{"winner": 1, "reason": "", "time": 0}',
        '{"winner": "a", "reason": "b"}',
        '{"winner": "a", "reason": "b", "time": NaN}',
        '{"robots": [["a1"]], "flags": {}}',
        '{"robots": [["a1", "many", 1, ""]], "flags": {}}',
        '{"robots": [], "flags": {"red": [1]}}',
    ],
)
def test_what_is_no_news_of_a_match_is_passed_over(text: str) -> None:
    assert match_status(text) is None
    assert match_result(text) is None
