"""Model files: what they say, and all their mistakes with places."""

from fractions import Fraction
from pathlib import Path

import pytest
from example_components import mistakes_of, system

from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.amsa.components import LeafKind, load_scenario, load_system
from coopsim.features.amsa.components.files import BUILT_IN, mistakes, mistakes_in
from coopsim.features.amsa.components.parsing import parse
from coopsim.features.amsa.components.scenario import Assignment, ResetAll, steps_of
from coopsim.scene import Problems


def test_a_template_has_ports_with_types_and_parameters_with_all_they_declare() -> None:
    problems = Problems()
    text = """Template T { input a, b : int output c : text
      parameter { double p = 0.5 in 0 .. 2 unit "m/s" "speed"; int q; bool r = true; text s = "x"; } }"""
    template = parse(text, "file", problems).templates["T"]
    assert not problems.total
    assert [(port.name, port.type) for port in (*template.inputs, *template.outputs)] == [
        ("a", "double"),
        ("b", "int"),
        ("c", "text"),
    ]
    speed, *parameters = (parameter.parameter for parameter in template.parameters)
    assert (speed.default, speed.low, speed.high, speed.unit, speed.summary) == (0.5, 0, 2, "m/s", "speed")
    assert [parameter.default for parameter in parameters] == [0, 1, "x"]


def test_the_syntax_of_the_paper_alone_is_enough() -> None:
    text = "Template NAME { input a, b  output c  parameter { int p; double q; } }"
    problems = Problems()
    template = parse(text, "file", problems).templates["NAME"]
    assert not problems.total
    assert [port.name for port in (*template.inputs, *template.outputs, *template.parameters)] == [
        "a",
        "b",
        "c",
        "p",
        "q",
    ]


def test_a_leaf_has_kind_exact_rate_links_settings_and_priority() -> None:
    model = system(
        "environment s : Source @ 10/3 Hz { step = 2; priority 4; out -> d; } "
        "composite c { observer o : Relay { in1 <- d; } }"
    )
    leaf = model.leaves["s"]
    assert (leaf.kind, leaf.rate, leaf.priority) == (LeafKind.ENVIRONMENT, Fraction(10, 3), 4)
    assert [(setting.name, setting.value) for setting in leaf.settings] == [("step", 2)]
    assert model.leaves["o"].rate == 10
    assert [composite.name for composite in model.root.composites()] == ["test", "c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "\nSystem s { sensor a : Sorce; }",
            ["2:23: unknown template 'Sorce'; did you mean 'Source'?; templates: Source, Relay, Sum"],
        ),
        (
            "\nSystem s { sensr a : Source; }",
            ["2:12: expected a component, or order, alias, data, evaluate, got 'sensr'; did you mean 'sensor'?"],
        ),
        (
            "\nSystem s { environment a : Source { ot -> d; } }",
            ["2:37: a (Source) has no output 'ot'; did you mean 'out'?; it has: out"],
        ),
        (
            "\nSystem s { environment a : Source { out -> d; }\n environment b : Source { out -> d; } }",
            ["3:27: data d have two producers, b and a; one output each"],
        ),
        ("\nSystem s { environment a : Relay; }", ["2:24: a: input in1 reads no data; add `in1 <- DATA;`"]),
        (
            "\nSystem s { environment a : Source { out -> data1; } sensor b : Relay { in1 <- dta1; } }",
            ["2:72: no output produces data 'dta1'; did you mean 'data1'?; data: data1"],
        ),
        (
            "\nSystem s { environment a : Source { step = 11; } }",
            ["2:37: a: step must lie within 0 and 10, got 11"],
        ),
        (
            "\nSystem s { environment a : Source { stp = 1; } }",
            ["2:37: a has no parameter 'stp'; did you mean 'step'?; it has: step, count"],
        ),
        (
            "\nSystem s { environment a : Source; environment a : Source; }",
            ["2:48: two components are called 'a'; names are unique in a system"],
        ),
        (
            "\nSystem s { sensor a : Source { out -> d; } actuator b : Relay { in1 <- d; } }",
            [
                "2:65: a (sensor) may not feed b (actuator): a sensor produces data only for the control law or "
                "observers; allowed: control, observer"
            ],
        ),
        ("\nSystem s { order a b; environment a : Source; }", ["2:8: order of s: no component 'b'; parts: a"]),
        ("\nSystem s { alias x a.step; environment b : Source; }", ["2:18: alias x: no component 'a'"]),
        (
            "\nSystem s { environment a : Source @ 0 Hz; }",
            ["2:37: a frequency lies within 0.000001 and 1000000 Hz, got 0"],
        ),
        ("\nSystem s { environment a : Source @ 4; }", ["2:38: expected 'Hz', got ';'"]),
        ("\nSystem s {", ["2:11: expected '}', got the end of the file"]),
        (
            "\nSytem s { }",
            ["2:1: expected templates, Template, System or Scenario, got 'Sytem'; did you mean 'System'?"],
        ),
        ("\n$", ["2:1: unexpected character '$'"]),
        ("\nTemplate T { input a : float }", ["2:24: expected a type, got 'float'"]),
        ("\nTemplate T { input class }", ["2:20: 'class' is a word of Python; give it another name"]),
        (
            "\nTemplate T { parameter { int p = 5 in 0 .. 3; } }",
            ["2:30: default of p must lie within 0 and 3, got 5"],
        ),
        (
            "\nSystem s { environment a : Source { step = 1e999; } }",
            ["2:44: expected a value, a number of usual size, got '1e999'"],
        ),
    ],
)
def test_a_mistake_has_its_place_and_the_nearest_name(text: str, expected: list[str]) -> None:
    """A-6: that data have one producer is among the rules."""
    mistakes = mistakes_of(text)
    if "class" in text:
        from coopsim.features.amsa.components.checking import check_template

        problems = Problems()
        check_template(parse(text, "file", problems).templates["T"], problems)
        mistakes = [f"{problem.span.line}:{problem.span.column}: {problem.text}" for problem in problems]
    assert [mistake.partition("; one of")[0] for mistake in mistakes] == expected


def test_all_mistakes_of_a_file_come_at_once() -> None:
    text = """
    System s {
        environment a : Source { step = ; out -> d }
        sensor b : Rlay { in1 <- d; }
        sensor c Relay { in1 <- d; }
        sensor e : Relay { in1 = = d; }
        oder a b;
    }
    Scenario t { ParamEvent at 0 on n { n.x = 1 } ParamEvnt at 1 on n { } ParamEvent at 2 on n { reset(); } }
    """
    assert [int(mistake.partition(":")[0]) for mistake in mistakes_of(text)] == [3, 3, 4, 5, 6, 7, 9, 9]


def test_mistakes_of_syntax_hide_none_of_other_leaves() -> None:
    text = """
    Template Source { output out : double }
    Template Sink { input in1 : double  parameter { double gain = 1; } }
    Template Torn { input in1  output out of }
    System all {
        sensor a : Source @ 20 hz { out -> x; }
        control b : Sink @ 10 Hz { in2 <- x; gane = 2; }
        control c : Sink @ 10 Hz { in1 < x; gane = 2; }
        control d : Torn @ 10 Hz { in3 <- x; }
    }
    """
    said = [problem.text for problem in mistakes_in(text, Path("all.amsa"))[1]]
    assert any("did you mean 'Hz'" in line for line in said)
    assert any(line.startswith("b (Sink) has no input 'in2'") for line in said)
    assert any(line.startswith("b has no parameter 'gane'") for line in said)
    assert not any(line.startswith(("c ", "c:", "d ", "d:")) for line in said)  # of which parts were not read


def test_blocks_may_not_be_in_each_other_without_end() -> None:
    problems = Problems()
    parse("System s {" + "".join(f"composite c{number} {{" for number in range(3000)) + "}" * 3001, "file", problems)
    assert "file:1:" in str(next(iter(problems)))
    assert "more than 64 blocks are in each other" in str(next(iter(problems)))


def test_ports_of_different_types_do_not_fit_but_a_whole_number_is_a_number() -> None:
    templates = "Template A { output t : text, n : int } Template B { input x } "
    text = (
        templates
        + "System s { environment a : A { t -> t; n -> n; } sensor b : B { x <- t; } sensor c : B { x <- n; } }"
    )
    assert [mistake.partition(": ")[2] for mistake in mistakes_of(text)] == ["b.x takes double, but t is text (a.t)"]


def test_both_scenarios_of_the_paper_are_read_as_printed() -> None:
    first, second = load_scenario("scenario1"), load_scenario("scenario2")
    assert [int(event.at) for event in first.events] == [0, 200, 400, 600]
    assert [int(event.at) for event in second.events] == [0, 100]
    reset, gain = second.events[1].actions
    assert isinstance(reset, ResetAll)
    assert isinstance(gain, Assignment)
    assert (gain.node, gain.parameter, gain.value) == ("scenarioNode", "Kv", 0.05)


def test_a_parameter_of_a_scenario_is_that_of_the_leaf_that_has_it() -> None:
    first, *_ = steps_of(load_scenario("scenario2"), load_system("challenge"))
    assert first.settings == (
        ("MyNormalizePower", "motorCoef", 60),
        ("LeaderGPS", "lostDataGPS", 10),
        ("Leader", "behavior", 4),
        ("MyFollowerController", "Kv", 0.35),
        ("MyFollowerController", "Kw", 0.005),
    )


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("test.stp = 1;", "1:37: no component has a parameter 'stp'; did you mean 'step'?; known: step, count"),
        ("test.step = 1;", "1:37: step belongs to a, b; write a.step, or say in the system `alias step a.step;`"),
        ("a.stp = 1;", "1:37: a has no parameter 'stp'; did you mean 'step'?; known: step, count"),
        ("a.step = 12;", "1:37: a: step must lie within 0 and 10, got 12"),
        ("c.step = 1;", "1:37: no component 'c'"),
        ("a.step = 1; } ParamEvent at 7 on b1 {", "1:70: no component 'b1'; did you mean 'b'?"),
        ("a.step = 1; } ParamEvent at 3 on a {", "1:51: time goes backwards: 3 s comes behind 5 s"),
    ],
)
def test_a_scenario_that_does_not_fit_its_system_says_where(action: str, said: str) -> None:
    problems = Problems()
    text = f"Scenario s {{ ParamEvent at 5 on a {{ {action} }} }}"
    scenario = parse(text, "file", problems).scenarios["s"]
    model = system("environment a : Source { out -> d; } environment b : Source { out -> e; }")
    with pytest.raises(BadFile) as caught:
        steps_of(scenario, model)
    assert str(caught.value).startswith(f"file:{said}")


def test_templates_are_taken_from_other_files_and_their_mistakes_name_those(tmp_path: Path) -> None:
    (tmp_path / "t.amsatemplate").write_text("Template T { output }")
    (tmp_path / "loop.amsatemplate").write_text('templates "loop.amsatemplate";')
    file = tmp_path / "s.amsa"
    file.write_text(
        'templates "t.amsatemplate";\ntemplates "none.amsatemplate";\ntemplates "loop.amsatemplate";\nSystem s { }'
    )
    _, problems = mistakes(file)
    lines = [(Path(problem.span.file).name, problem.span.line) for problem in problems]
    assert sorted(lines) == [("loop.amsatemplate", 1), ("s.amsa", 2), ("t.amsatemplate", 1)]


def test_files_are_found_by_name_and_must_hold_what_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="built in: challenge"):
        load_system("chalenge")
    empty = tmp_path / "empty.amsa"
    empty.write_text("")
    with pytest.raises(BadFile, match="expected one System, found 0"):
        load_system(empty)
    for file in sorted(BUILT_IN.glob("*.amsa*")):
        assert not mistakes(file)[1].total


def test_a_thousand_leaves_are_read_checked_and_ordered() -> None:
    leaves = "".join(
        f"environment l{n} : Relay @ 4 Hz {{ in1 <- d{n - 1}; out -> d{n}; }}\n" for n in range(999, 0, -1)
    )
    model = system(f"{leaves} environment l0 : Source {{ out -> d0; }}")
    from coopsim.features.amsa.components import execution_order

    assert [leaf.name for leaf in execution_order(model)] == [f"l{number}" for number in range(1000)]
