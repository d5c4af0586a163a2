"""Sections `[CONTROLLER_n]` of the control law `components`: whether its lines fit its system and the robots."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from coopsim.errors import BadArgument, BadFile, PluginFailed
from coopsim.features.amsa.components import SystemModel
from coopsim.features.amsa.components.bindings import binding, lines_of
from coopsim.features.amsa.components.files import SYSTEM, load_system
from coopsim.features.amsa.sections.binding_checks import BindingChecks
from coopsim.features.amsa.sections.systems import model_file
from coopsim.robots.law_checks import LawSurroundings
from coopsim.scene import Controller, Entry, Problems, Span, choices, find_entry, hint, quoted

_USUAL = "challenge_physics"
_FORMS = {"input": "DATA PATH [FACTOR]", "output": "PATH DATA... [FACTOR]"}


def check_section(section: Controller, surroundings: LawSurroundings) -> None:
    """Note every mistake of a section of the law `components` whose robots are known."""
    _SectionCheck(surroundings).check(section)


@dataclass(frozen=True)
class _SectionCheck:
    surroundings: LawSurroundings

    @property
    def _problems(self) -> Problems:
        return self.surroundings.problems

    def check(self, section: Controller) -> None:
        """Note every mistake of a section."""
        model = self._model(section)
        if model is None:
            return
        for span, text in self._leaves(section, model):
            self._problems.add(span, text)
        types = self.surroundings.types
        robots = [robot for robot in section.robots if robot in types]
        checks = BindingChecks(model, robots[:1], types, self.surroundings.devices, robots)
        for key in _FORMS:
            self._check_bindings(section, key, checks)
        for line in _lines(find_entry(section.entries, "set")):
            text = _why_not_set(" ".join(word for word, _ in line), model)
            if text:
                self._problems.add(line[0][1], text)

    def _model(self, section: Controller) -> SystemModel | None:
        entry = find_entry(section.entries, "system")
        name, span = (entry.values[0], entry.value_spans[0]) if entry and entry.values else (_USUAL, section.span)
        path = model_file(name, SYSTEM, self.surroundings.folder, span, self._problems)
        if path is None:
            return None
        try:
            return load_system(path)
        except BadFile as problem:
            for text in problem.problems:
                self._problems.add(text.span, text.text)
        return None

    def _leaves(self, section: Controller, model: SystemModel) -> Iterator[tuple[Span, str]]:
        entry = find_entry(section.entries, "leaf")
        chosen = [] if entry is None else list(zip(entry.values, entry.value_spans, strict=True))
        for name, span in chosen:
            if name not in model.leaves:
                yield span, f"no component {quoted(name)}{hint(name, model.leaves)}; there are: {choices(model.leaves)}"
        names = [name for name, _ in chosen if name in model.leaves]
        given = {line[0][0] for line in _lines(find_entry(section.entries, "input"))}
        outside = {
            link.data for leaf in model.leaves.values() if chosen and leaf.name not in names for link in leaf.writes
        }
        for name in names:
            for link in model.leaves[name].reads:
                if link.data in outside - given:
                    yield (
                        entry.span if entry else section.span,
                        (f"{name} reads {link.data}, which no leaf here writes: add `input {link.data} PATH`"),
                    )

    def _check_bindings(self, section: Controller, key: str, checks: BindingChecks) -> None:
        for line in _lines(find_entry(section.entries, key)):
            words = [word for word, _ in line]
            try:
                link = binding((words[1], words[0], *words[2:]) if key == "input" else words)
            except (BadArgument, IndexError) as problem:
                about = f": {problem}" if isinstance(problem, BadArgument) else ""
                self._problems.add(line[0][1], f"{key} takes {_FORMS[key]}{about}")
                continue
            for text, index in checks.mistakes(link, is_input=key == "input"):
                self._problems.add(line[min(index, len(line) - 1)][1], text)


def _lines(entry: Entry | None) -> list[list[tuple[str, Span]]]:
    """Return the lines of an entry, which commas divide: each word with its place."""
    if entry is None:
        return []
    return [[(word, entry.value_spans[index]) for word, index in line] for line in lines_of(entry.values)]


def _why_not_set(text: str, model: SystemModel) -> str:
    """Return why `LEAF.NAME=VALUE` cannot be set, "" where it can."""
    path, equals, value = text.partition("=")
    name, dot, parameter = path.partition(".")
    if not equals or not dot:
        return f"expected LEAF.NAME=VALUE, got {quoted(text)}"
    if name not in model.leaves:
        return f"no component {quoted(name)}{hint(name, model.leaves)}; there are: {choices(model.leaves)}"
    template = model.leaves[name].template
    declared = template.parameter(parameter)
    if declared is None:
        names = [parameter.name for parameter in template.parameters]
        return f"{name} has no parameter {quoted(parameter)}{hint(parameter, names)}; it has: {choices(names)}"
    try:
        declared.check(_value(value))
    except BadArgument as problem:
        return f"{name}: {problem}"
    return ""


def _value(text: str) -> str | int | float | bool:
    try:
        settings = json.loads(text)
    except ValueError:
        return text
    return settings if isinstance(settings, str | int | float) else text


def check_component(name: str, thing: Any) -> None:
    """Check that `thing` can be a component of a plugin.

    Raises:
        PluginFailed: It cannot.
    """
    if not callable(getattr(thing, "do_step", thing)):
        raise PluginFailed(
            f"component {name}: expected a class with do_step(inputs, parameters), or that function; got {thing!r}"
        )
    if inspect.isclass(thing) and not hasattr(thing, "do_step"):
        raise PluginFailed(f"component {name}: the class has no method do_step(inputs, parameters)")
