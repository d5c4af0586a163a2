"""Small systems for the tests of components."""

from coopsim.components.model import SystemModel
from coopsim.components.parsing import parse
from coopsim.scene import Problems

TEMPLATES = """
Template Source { output out parameter { double step = 1 in 0 .. 10; int count = 0; } }
Template Relay { input in1 output out }
Template Sum { input a, b output out }
"""
BEHAVIORS = {
    "Relay": lambda inputs, _: inputs.in1,
    "Sum": lambda inputs, _: inputs.a + inputs.b,
}


def mistakes_of(text: str) -> list[str]:
    """Return the mistakes of a text as `line:column: text`, those of its systems too."""
    from coopsim.components.checking import find_mistakes

    problems = Problems()
    document = parse(TEMPLATES.replace("\n", " ") + text, "file", problems)
    for model in document.systems.values() if not problems.total else ():
        find_mistakes(model, problems)
    return [f"{each.span.line}:{each.span.column}: {each.text}" for each in problems]


def system(text: str) -> SystemModel:
    """Return the system that a text says, within the templates above."""
    problems = Problems()
    document = parse(f"{TEMPLATES} System test {{ {text} }}", "file", problems)
    problems.raise_any()
    return document.systems["test"]
