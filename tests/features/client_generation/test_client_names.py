"""Names in generated clients: conventions of languages, words that they keep, and types of values."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.client_generation import keywords
from coopsim.features.client_generation.naming import camel, check_names, constant, pascal, snake
from coopsim.features.client_generation.types import FLOAT, INT, MANY, TEXT, VALUE, type_of
from coopsim.interfaces import CAMERA, CLOCK, EVENTS, MOTORS, WORLD, Command, Field, Interface, Parameter

WORD = st.from_regex(r"[a-z][a-z0-9]{1,6}", fullmatch=True)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("set_wheel_speeds", ("set_wheel_speeds", "SetWheelSpeeds", "setWheelSpeeds", "SET_WHEEL_SPEEDS")),
        ("stop", ("stop", "Stop", "stop", "STOP")),
        ("go_to", ("go_to", "GoTo", "goTo", "GO_TO")),
        ("q8", ("q8", "Q8", "q8", "Q8")),
    ],
)
def test_a_name_is_written_as_a_language_has_it(name: str, written: tuple[str, str, str, str]) -> None:
    assert (snake(name), pascal(name), camel(name), constant(name)) == written


@given(st.lists(WORD, min_size=1, max_size=4))
def test_a_name_comes_back_from_its_pascal_form(words: list[str]) -> None:
    name = "_".join(words)
    assert snake(pascal(name)) == name
    assert camel(name)[0].islower()
    assert constant(pascal(name)) == name.upper()


def _interface(kind: str = "arm", command: str = "go", field: str = "place", parameter: str = "gain") -> Interface:
    commands = (Command(10, command, takes=(Field(field, "m"),)),)
    return Interface(kind, "Moves.", commands, (Parameter(parameter, float, 1.0),))


def test_names_that_can_be_words_of_a_program_pass() -> None:
    check_names(_interface())
    check_names(_interface(kind="A" + "b" * 63))
    for interface in (MOTORS, WORLD, CAMERA):
        check_names(interface)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "an arm"}, "the kind 'an arm' can be no name"),
        ({"command": "go;import"}, "the command 'go;import' can be no name"),
        ({"field": "1st"}, "the value of go '1st' can be no name"),
        ({"parameter": ""}, "the parameter '' can be no name"),
        ({"parameter": "_private"}, "the parameter '_private' can be no name"),
        ({"field": "ä"}, "the value of go 'ä' can be no name"),
        ({"command": "x" * 65}, "can be no name"),
        ({"command": 'a"""\nimport os'}, "can be no name"),
    ],
)
def test_what_can_be_no_word_of_a_program_is_refused_with_what_it_names(changes: dict[str, str], says: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        check_names(_interface(**changes))
    assert says in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_python_keeps_its_keywords_and_every_language_its_control_flow() -> None:
    assert set(keyword.kwlist) <= keywords.PYTHON
    languages = [getattr(keywords, name) for name in ("JAVASCRIPT", "GO", "RUST", "JAVA", "CSHARP", "CPP")]
    for words in (keywords.PYTHON, *languages):
        assert {"break", "continue", "return", "for"} <= words
    assert {"break", "return", "for"} <= keywords.LUA & keywords.MATLAB


@pytest.mark.parametrize(
    ("field", "kind", "type_name"),
    [
        (Field("v", "m/s"), "motors", FLOAT),
        (Field("v", "m/s", count=3), "motors", MANY[FLOAT]),
        (Field("count", default=1), "own", INT),
        (Field("share", default=0.5), "own", FLOAT),
        (Field("share", default=1, choices=(1, 0.5)), "own", FLOAT),
        (Field("mode", choices=("a", "b")), "own", TEXT),
        (Field("mode", choices=(1, "b")), "own", TEXT),
        (Field("level", low=0, high=5), "own", INT),
        (Field("level", low=0.5), "own", FLOAT),
        (Field("anything"), "own", VALUE),
        (Field("anything", count=0), "own", MANY[VALUE]),
        (Field("name"), "world", TEXT),
        (Field("picture", encoding="rgb8"), "own", TEXT),
    ],
)
def test_the_type_of_a_value_is_what_its_description_shows(field: Field, kind: str, type_name: str) -> None:
    assert type_of(kind, "command", field) == type_name


def test_counts_of_built_in_interfaces_are_whole_numbers() -> None:
    total, entities, _ = WORLD.command("list").gives
    assert type_of("world", "list", total) == INT
    assert type_of("world", "list", entities) == MANY[TEXT]
    assert type_of("camera", "image", CAMERA.command("image").gives[0]) == INT
    assert type_of("events", "publish_all", EVENTS.command("publish_all").takes[0]) == MANY[VALUE]
    assert type_of("clock", "set_mode", CLOCK.command("set_mode").takes[0]) == TEXT
