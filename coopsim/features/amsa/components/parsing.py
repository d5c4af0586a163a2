"""Templates, systems and scenarios as text: AMSA's syntax, with more for parameters.

The reader goes on behind a mistake, so that all mistakes of a file are found at once. A generated parser (textX) stops
at the first, and takes longer than 2 s for a system of 1000 leaves.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction

from coopsim.features.amsa.components.cursor import Cursor
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.model import (
    DEFAULT_RATE,
    INITIAL,
    Alias,
    Composite,
    DataLink,
    DataValue,
    Evaluation,
    InterfacePort,
    Leaf,
    NamedValue,
    Port,
    SystemModel,
    Template,
    TypedParameter,
)
from coopsim.features.amsa.components.parameter_text import read_parameter
from coopsim.features.amsa.components.scenario import Action, Assignment, ParameterScenario, ParamEvent, ResetAll
from coopsim.features.amsa.components.tokens import END, tokens_of
from coopsim.scene import Problems, Span
from coopsim.suggest import did_you_mean, listed

_KINDS = {kind.value: kind for kind in LeafKind}
_PARTS = (
    *_KINDS,
    "composite",
    "order",
    "priority",
    "auto_scheduling",
    "alias",
    "data",
    "evaluate",
    "provides",
    "requires",
)


@dataclass
class ModelText:
    """Text of a file, parsed.

    Attributes:
        uses: Files whose templates it takes, each with the place where it says so.
        incomplete: Where templates and leaves begin in which there are mistakes of syntax, so that parts are missing.
    """

    templates: dict[str, Template] = field(default_factory=dict)
    systems: dict[str, SystemModel] = field(default_factory=dict)
    scenarios: dict[str, ParameterScenario] = field(default_factory=dict)
    uses: list[tuple[str, Span]] = field(default_factory=list)
    incomplete: set[Span] = field(default_factory=set)


def parse(text: str, file: str, problems: Problems, templates: dict[str, Template] | None = None) -> ModelText:
    """Return what a text says; every mistake is noted.

    Args:
        text: Of the file.
        file: Its name, for mistakes.
        problems: Where they are noted.
        templates: Templates of other files.
    """
    problems.learn(file, text.split("\n"))
    reader = _Reader(Cursor(tokens_of(text, file, problems), file, problems), templates or {})
    reader.read()
    return reader.document


@dataclass
class _OfSystem:
    """Statements of any composite that count for the whole system."""

    initial: list[NamedValue] = field(default_factory=list)
    aliases: list[Alias] = field(default_factory=list)
    evaluation: Evaluation | None = None


@dataclass
class _Interfaces:
    """Statements about the interfaces of a component."""

    provides: list[InterfacePort] = field(default_factory=list)
    requires: list[InterfacePort] = field(default_factory=list)

    def both(self) -> tuple[tuple[InterfacePort, ...], tuple[InterfacePort, ...]]:
        """Return them as components hold them."""
        return tuple(self.provides), tuple(self.requires)


class _Reader:
    def __init__(self, cursor: Cursor, templates: dict[str, Template]) -> None:
        self._at = cursor
        self._known = dict(templates)
        self.document = ModelText()

    def read(self) -> None:
        while self._at.next.kind != END:
            self._at.attempt(self._element)

    def _element(self) -> None:
        at = self._at
        span = at.here
        match at.one_of(
            ("templates", "Template", "System", "Scenario"), "templates, Template, System or Scenario"
        ).text:
            case "templates":
                path = at.value()
                self.document.uses.append((str(path), span))
                at.expect(";")
            case "Template":
                self._template()
            case "System":
                self._system()
            case _:
                self._scenario()

    def _template(self) -> None:
        at = self._at
        span, name = at.here, at.name("the name of a template").text
        if name in self._known:
            at.note(f"there is a template {name!r} already", span)
        template = Template(name, span=span)
        ports: dict[str, list[Port]] = {"input": [], "output": []}
        parameters: list[TypedParameter] = []

        def section() -> None:
            word = at.one_of(("input", "output", "parameter"), "input, output or parameter").text
            if word == "parameter":
                at.block(lambda: parameters.append(read_parameter(at)))
            else:
                ports[word] += self._ports()

        before = at.mistakes
        at.block(section)
        if at.mistakes > before:
            self.document.incomplete.add(span)
        template = replace(
            template, inputs=tuple(ports["input"]), outputs=tuple(ports["output"]), parameters=tuple(parameters)
        )
        self._known[name] = self.document.templates[name] = template

    def _ports(self) -> list[Port]:
        at = self._at
        ports = []
        while True:
            span, name = at.here, at.name("the name of a port").text
            type_name = at.one_of(INITIAL, "a type").text if at.comes(":") else "double"
            ports.append(Port(name, type_name, span))
            if not at.comes(","):
                at.comes(";")
                return ports

    def _system(self) -> None:
        at = self._at
        span, name = at.here, at.name("the name of a system").text
        of_all = _OfSystem()
        root = self._composite(name, span, of_all)
        if name in self.document.systems:
            at.note(f"there is a system {name!r} already", span)
        self.document.systems[name] = SystemModel(root, tuple(of_all.initial), tuple(of_all.aliases), of_all.evaluation)

    def _composite(self, name: str, span: Span, of_all: "_OfSystem") -> Composite:
        at = self._at
        parts: list[Leaf | Composite] = []
        order: list[str] = []
        options: dict[str, int | bool] = {}
        interfaces = _Interfaces()

        def part() -> None:
            start = at.here
            word = at.one_of(_PARTS, "a component, or order, alias, data, evaluate").text
            match word:
                case "composite":
                    place, inner = at.here, at.name("the name of a composite").text
                    parts.append(self._composite(inner, place, of_all))
                    return
                case "order":
                    order.extend(self._names())
                case "auto_scheduling":
                    options["auto"] = at.one_of(("yes", "no"), "yes or no").text == "yes"
                case "priority":
                    options["priority"] = self._priority()
                case "alias":
                    of_all.aliases.append(self._alias())
                case "provides" | "requires":
                    self._interface(word, interfaces)
                case "evaluate":
                    of_all.evaluation = self._evaluation(start)
                case "data":
                    data = at.name("the name of data").text
                    at.expect("=")
                    of_all.initial.append(NamedValue(data, at.value(), start))
                case _:
                    self._leaf(_KINDS[word], parts)
                    return
            at.expect(";")

        at.block(part)
        auto, priority = bool(options.get("auto", True)), int(options.get("priority", 0))
        return Composite(name, tuple(parts), tuple(order), auto, priority, span, *interfaces.both())

    def _interface(self, word: str, interfaces: "_Interfaces") -> None:
        """Read what stands behind `provides` or `requires`: an interface, and who is required `from`."""
        at = self._at
        span, name = at.here, at.name("the name of an interface").text
        if word == "provides":
            interfaces.provides.append(InterfacePort(name, "", span))
        else:
            provider = at.name("the name of a component").text if at.comes("from") else ""
            interfaces.requires.append(InterfacePort(name, provider, span))

    def _names(self, what: str = "the name of a component") -> list[str]:
        names = [self._at.name(what).text]
        while self._at.next.kind == "word":
            names.append(self._at.next_token().text)
        return names

    def _priority(self) -> int:
        span, number = self._at.here, self._at.number("a priority")
        if number.denominator != 1:
            self._at.note("a priority is a whole number", span)
        return int(number)

    def _evaluation(self, span: Span) -> Evaluation:
        at = self._at
        data = at.name("the name of data").text
        at.expect("reference")
        reference = float(at.number("the value that they should have"))
        measures = tuple(self._names("a figure to compare runs by")) if at.comes("by") else ()
        return Evaluation(data, reference, span, measures)

    def _alias(self) -> Alias:
        at = self._at
        span, name = at.here, at.name("a name").text
        leaf = at.name("the name of a component").text
        at.expect(".")
        return Alias(name, leaf, at.name("the name of a parameter").text, span)

    def _leaf(self, kind: LeafKind, parts: "list[Leaf | Composite]") -> None:
        at = self._at
        span, name = at.here, at.name("the name of a component").text
        at.expect(":")
        template = self._template_named()
        rate = self._rate() if at.comes("@") else DEFAULT_RATE
        reads: list[DataLink] = []
        writes: list[DataLink] = []
        settings: list[NamedValue] = []
        priority = [0]
        interfaces = _Interfaces()

        def item() -> None:
            start, word = at.here, at.name("a port or a parameter").text
            if word == "priority" and at.next.kind == "number":
                priority[0] = self._priority()
            elif word in ("provides", "requires") and at.next.kind == "word":
                self._interface(word, interfaces)
            elif at.comes("->"):
                writes.append(DataLink(word, at.name("the name of data").text, start))
            elif at.comes("<-"):
                reads.append(DataLink(word, at.name("the name of data").text, start))
            elif at.comes("="):
                settings.append(NamedValue(word, at.value(), start))
            else:
                raise at.fail(f"expected '->', '<-' or '=' behind {word!r}, got {at.next.shown}")
            at.expect(";")

        before = at.mistakes
        if not at.comes(";"):
            at.block(item)
        if at.mistakes > before:
            self.document.incomplete.add(span)
        if template is not None:
            links = tuple(reads), tuple(writes), tuple(settings)
            parts.append(Leaf(name, template, kind, rate, *links, priority[0], span, *interfaces.both()))

    def _template_named(self) -> Template | None:
        span, name = self._at.here, self._at.name("the name of a template").text
        if name not in self._known:
            near = did_you_mean(name, self._known)
            self._at.note(f"unknown template {name!r}{near}; templates: {listed(self._known)}", span)
        return self._known.get(name)

    def _rate(self) -> Fraction:
        at = self._at
        span, rate = at.here, at.number("a frequency")
        if at.comes("/"):
            below = at.number("a frequency")
            if below == 0:
                raise at.fail("expected a frequency with a divisor that is not 0", span)
            rate /= below
        at.expect("Hz")
        if not Fraction(1, 1_000_000) <= rate <= 1_000_000:
            at.note(f"a frequency lies within 0.000001 and 1000000 Hz, got {float(rate):g}", span)
            return DEFAULT_RATE
        return rate

    def _scenario(self) -> None:
        at = self._at
        span, name = at.here, at.name("the name of a scenario").text
        events: list[ParamEvent] = []
        at.block(lambda: events.append(self._event()))
        if name in self.document.scenarios:
            at.note(f"there is a scenario {name!r} already", span)
        self.document.scenarios[name] = ParameterScenario(name, tuple(events), span)

    def _event(self) -> ParamEvent:
        at = self._at
        span = at.here
        at.expect("ParamEvent")
        at.expect("at")
        when = at.number("a time in seconds")
        at.expect("on")
        place, node = at.here, at.name("the name of a node").text
        actions: list[Action] = []
        at.block(lambda: actions.append(self._action()))
        return ParamEvent(when, node, tuple(actions), span, place)

    def _action(self) -> Action:
        at = self._at
        span, node = at.here, at.name("reset(), or a parameter").text
        if node == "reset" and at.comes("("):
            at.expect(")")
            at.expect(";")
            return ResetAll(span)
        at.expect(".")
        parameter = at.name("the name of a parameter").text
        at.expect("=")
        value: DataValue = at.value()
        at.expect(";")
        return Assignment(node, parameter, value, span)
