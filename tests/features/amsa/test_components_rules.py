"""Rules of a model that need more than one part of it: orders, aliases, first values, evaluations, types."""

from pathlib import Path

import pytest
from example_components import mistakes_of
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadFile
from coopsim.features.amsa.components.checking import check_model, check_template
from coopsim.features.amsa.components.files import document_of, mistakes, problems_of_file
from coopsim.features.amsa.components.leaf_random import LeafRandom
from coopsim.features.amsa.components.parsing import parse
from coopsim.scene import Problems

SOURCE = "environment a : Source { out -> d; }"


def said(text: str) -> list[str]:
    """Return the mistakes of a system without their places."""
    return [mistake.partition(": ")[2] for mistake in mistakes_of(f"\nSystem s {{ {text} }}")]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (f"order a a; {SOURCE}", "order of s: a stands there twice"),
        (f"order aa; {SOURCE}", "order of s: no component 'aa'; did you mean 'a'?; parts: a"),
        (f"alias x a.stp; {SOURCE}", "alias x: a has no parameter 'stp'; did you mean 'step'?"),
        (f"{SOURCE} data e = 3;", "no output produces data 'e'; data: d"),
        (f'{SOURCE} data d = "x";', "data d are double, got 'x'"),
        (f"{SOURCE} data d = true;", "data d are double, got True"),
        (
            "environment a : Source { out -> d; out -> e; }",
            "a: output out is linked twice",
        ),
        (
            f"{SOURCE} sensor b : Relay {{ in1 <- d; in1 <- d; }}",
            "b: input in1 is linked twice",
        ),
        ("environment a : Source { step = 1; step = 2; }", "a: step is given twice"),
        (
            "composite c { environment a : Source; } environment c : Source;",
            "two components are called 'c'; names are unique in a system",
        ),
        (
            "environment a : Relay { in1 <- e; out -> d; } environment b : Relay { in1 <- d; out -> e; }",
            "",
        ),
    ],
)
def test_what_does_not_fit_is_named(text: str, mistake: str) -> None:
    lines = said(text)
    if mistake:
        assert lines == [mistake]
    else:
        assert len(lines) == 1
        assert all(name in lines[0] for name in ("a", "b"))


@pytest.mark.parametrize(
    ("type_name", "value", "fits"),
    [
        ("int", "3", True),
        ("int", "3.0", True),
        ("int", "3.5", False),
        ("int", "true", False),
        ("int", '"3"', False),
        ("double", "3", True),
        ("double", "3.5", True),
        ("double", "false", False),
        ("bool", "true", True),
        ("bool", "1", True),
        ("bool", "2", False),
        ("text", '"x"', True),
        ("text", "1", False),
    ],
)
def test_first_values_of_data_fit_the_type_of_their_output(type_name: str, value: str, *, fits: bool) -> None:
    text = f"Template T {{ output t : {type_name} }} System s {{ environment a : T {{ t -> d; }} data d = {value}; }}"
    lines = mistakes_of(f"\n{text}")
    assert (lines == []) is fits
    if not fits:
        assert f"data d are {type_name}, got" in lines[0]


@pytest.mark.parametrize(
    ("line", "mistakes_wanted"),
    [
        ("evaluate e reference 3;", []),
        ("evaluate e reference 3 by max_distance rms_error;", []),
        ("evaluate d reference 3;", ["data d are no numbers, and cannot be compared with a reference"]),
        ("evaluate x reference 3;", ["no output produces data 'x'; data: d, e"]),
        ("evaluate e reference 3 by rms_eror;", ["no figure 'rms_eror'; did you mean 'rms_error'?"]),
    ],
)
def test_numbers_are_compared_with_a_reference_by_figures_that_there_are(line: str, mistakes_wanted: list[str]) -> None:
    text = "Template T { output t : text, n : double } System s { environment a : T { t -> d; n -> e; } "
    lines = [mistake.partition(": ")[2].partition("; figures")[0] for mistake in mistakes_of(f"\n{text} {line} }}")]
    assert lines == mistakes_wanted


def test_a_template_has_names_that_differ_and_types_that_there_are() -> None:
    problems = Problems()
    template = parse("Template T { input a output a parameter { double b; double b; } }", "file", problems).templates
    check_template(template["T"], problems)
    assert [problem.text for problem in problems] == ["template T has 'a' twice", "template T has 'b' twice"]


def test_a_model_with_mistakes_is_refused_with_all_of_them() -> None:
    problems = Problems()
    text = "Template T { input i output o } System s { environment a : T { i <- x; } environment a : T; }"
    model = parse(text, "file", problems).systems["s"]
    assert not problems.total
    with pytest.raises(BadFile) as refusal:
        check_model(model)
    texts = [problem.text for problem in refusal.value.problems]
    assert "two components are called 'a'; names are unique in a system" in texts
    assert "no output produces data 'x'; data: none" in texts or any("produces data 'x'" in line for line in texts)
    assert any("input i reads no data" in line for line in texts)


def test_files_say_what_they_lack(tmp_path: Path) -> None:
    for name, text, lacks in (
        ("empty.amsa", "", "expected a System; there is none in this file"),
        ("empty.amsascenario", "", "expected a Scenario; there is none in this file"),
        ("idle.amsa", "System idle { }", "system idle has no components"),
    ):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        assert any(lacks in line for line in problems_of_file(file)), name


def test_templates_are_taken_from_files_of_templates_that_do_not_use_themselves(tmp_path: Path) -> None:
    (tmp_path / "t.amsatemplate").write_text("Template T { output o }", encoding="utf-8")
    (tmp_path / "u.amsatemplate").write_text('templates "t.amsatemplate"; Template U { input i }', encoding="utf-8")
    (tmp_path / "s.amsa").write_text("System s { }", encoding="utf-8")
    problems = Problems()
    text = 'templates "u.amsatemplate"; System own { environment a : T { o -> d; } environment b : U { i <- d; } }'
    document = document_of(text, tmp_path / "own.amsa", problems)
    assert not problems.total
    assert sorted(document.templates) == ["T", "U"]
    document_of('templates "s.amsa";', tmp_path / "own.amsa", problems)
    assert "templates are taken from files .amsatemplate" in next(iter(problems)).text
    (tmp_path / "a.amsatemplate").write_text('templates "b.amsatemplate";', encoding="utf-8")
    (tmp_path / "b.amsatemplate").write_text('templates "a.amsatemplate";', encoding="utf-8")
    lines = [str(problem) for problem in mistakes(tmp_path / "a.amsatemplate")[1]]
    assert any("uses itself" in line for line in lines)


@given(st.text(max_size=20), st.integers(0, 50))
def test_random_numbers_of_a_leaf_follow_from_its_seed_and_their_count(seed: str, skipped: int) -> None:
    first, second = LeafRandom(seed), LeafRandom(seed)
    for _ in range(skipped):
        first.random()
    second.go_to(*first.numbers())
    assert [first.random() for _ in range(5)] == [second.random() for _ in range(5)]


def test_distributions_are_those_of_python_on_numbers_of_the_leaf() -> None:
    numbers = LeafRandom(7)
    drawn = [numbers.random() for _ in range(4000)]
    assert all(0.0 <= number < 1.0 for number in drawn)
    assert abs(sum(drawn) / len(drawn) - 0.5) < 0.02
    assert len(set(drawn)) == len(drawn)
    assert [LeafRandom(7).random(), LeafRandom(8).random()] == [drawn[0], LeafRandom(8).random()]
    assert LeafRandom(8).random() != drawn[0]


@pytest.mark.parametrize("bits", [1, 8, 63, 64, 65, 200])
def test_whole_numbers_have_as_many_bits_as_are_asked_for(bits: int) -> None:
    numbers = LeafRandom(3)
    drawn = [numbers.getrandbits(bits) for _ in range(200)]
    assert all(0 <= number < 1 << bits for number in drawn)
    assert max(drawn).bit_length() == bits


def test_the_second_half_of_a_pair_of_gauss_belongs_to_the_state() -> None:
    first, second = LeafRandom(5), LeafRandom(5)
    first.gauss(0.0, 1.0)
    second.go_to(*first.numbers())
    assert [first.gauss(0.0, 1.0) for _ in range(3)] == [second.gauss(0.0, 1.0) for _ in range(3)]
    first.seed(5)
    assert first.numbers()[0] == 0.0
