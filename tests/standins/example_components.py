"""Small systems for the tests of components."""

from hypothesis import strategies as st

from coopsim.features.amsa.components.model import SystemModel
from coopsim.features.amsa.components.parsing import parse
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
    from coopsim.features.amsa.components.checking import find_mistakes

    problems = Problems()
    document = parse(TEMPLATES.replace("\n", " ") + text, "file", problems)
    for model in document.systems.values() if not problems.total else ():
        find_mistakes(model, problems)
    return [f"{problem.span.line}:{problem.span.column}: {problem.text}" for problem in problems]


def system(text: str) -> SystemModel:
    """Return the system that a text says, within the templates above."""
    problems = Problems()
    document = parse(f"{TEMPLATES} System test {{ {text} }}", "file", problems)
    problems.raise_any()
    return document.systems["test"]


RATES = ("1", "2", "5/2", "10/3", "7")


@st.composite
def systems(draw: st.DrawFn) -> tuple[SystemModel, dict[str, tuple[str, ...]]]:
    """Return a system without loops, its leaves in any order of the text, and what each leaf reads, by leaf."""
    statements, reads = draw(statements_of_systems())
    return system(statements), reads


@st.composite
def statements_of_systems(draw: st.DrawFn) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the leaves of a system as text, and what each leaf reads, by leaf."""
    reads: dict[str, tuple[str, ...]] = {}
    for place in range(draw(st.integers(2, 9))):
        names = sorted(reads)
        count = draw(st.sampled_from((0, 1, 2))) if names else 0
        reads[f"n{place}"] = tuple(draw(st.sampled_from(names)) for _ in range(count))
    ports = {0: ("Source", ()), 1: ("Relay", ("in1",)), 2: ("Sum", ("a", "b"))}
    lines = []
    for name, sources in reads.items():
        template, inputs = ports[len(sources)]
        links = " ".join(f"{port} <- d_{source};" for port, source in zip(inputs, sources, strict=True))
        rate = draw(st.sampled_from(RATES))
        lines.append(f"environment {name} : {template} @ {rate} Hz {{ {links} out -> d_{name}; }}")
    return " ".join(draw(st.permutations(lines))), reads
