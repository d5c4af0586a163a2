"""YAML whose values know their lines, so that what has no counterpart can be named where it stands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from coopsim.errors import BadFile, NoSuchPlugin
from coopsim.features.others.worlds.plan import WorldPlan
from coopsim.interpreter import extra_command

MOST_VALUES = 200_000
"""Values of a file; aliases that mean others again and again would have no end."""

Plain: TypeAlias = Any
"""Texts, numbers, lists and dicts."""


@dataclass(frozen=True)
class YamlValue:
    """StageValue with its line.

    Attributes:
        value: A text, a number, a list of entries, or a dict of entries by name.
        line: From 1 on.
    """

    value: Any
    line: int

    def plain(self) -> Plain:
        """Return it without lines."""
        if isinstance(self.value, dict):
            return {name: entry.plain() for name, entry in self.value.items()}
        if isinstance(self.value, list):
            return [entry.plain() for entry in self.value]
        return self.value

    def items(self) -> list["YamlValue"]:
        """Return the entries of a list; of anything else it alone."""
        return self.value if isinstance(self.value, list) else [self]


class YamlKeys:
    """Keys of a mapping, of which those are losses that nobody asked for.

    Args:
        entry: The mapping.
        file: What it stands in.
        plan: Gets what `leave` finds.

    Raises:
        BadFile: It is no mapping.
    """

    def __init__(self, entry: YamlValue, file: Path, plan: WorldPlan) -> None:
        if not isinstance(entry.value, dict):
            raise BadFile(f"{file}:{entry.line}: expected keys and values, got {str(entry.plain())[:60]!r}")
        self._entry, self._file, self._plan = entry, file, plan
        self._asked: set[str] = set()

    @property
    def line(self) -> int:
        """Where the mapping begins."""
        return self._entry.line

    def get(self, name: str) -> YamlValue | None:
        """Return an entry, None if it is missing or empty."""
        self._asked.add(name)
        entry: YamlValue | None = self._entry.value.get(name)
        return None if entry is None or entry.value is None else entry

    def plain(self, name: str, usual: Plain = None) -> Plain:
        """Return a value without lines, `usual` if it is missing."""
        entry = self.get(name)
        return usual if entry is None else entry.plain()

    def number(self, name: str, usual: float) -> float:
        """Return a number, `usual` if it is missing.

        Raises:
            BadFile: It is no finite number.
        """
        entry = self.get(name)
        return usual if entry is None else finite(entry, name, self._file)

    def lose(self, name: str, reason: str) -> None:
        """Say of a key, if it is there, that it has no counterpart."""
        entry = self._entry.value.get(name)
        self._asked.add(name)
        if entry is not None and entry.value is not None:
            self._plan.lose(f"{self._file}:{entry.line}", name, reason)

    def leave(self) -> None:
        """Say of all keys that nobody asked for that they have no counterpart."""
        for name in self._entry.value:
            if name not in self._asked:
                self.lose(name, "left out: it has no counterpart")


def finite(entry: YamlValue, name: str, file: Path) -> float:
    """Return a number.

    Raises:
        BadFile: It is none, or not finite.
    """
    value = entry.value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e9:
        raise BadFile(f"{file}:{entry.line}: {name}: expected a number below 1e9, got {str(entry.plain())[:60]!r}")
    return float(value)


def row(entry: YamlValue, name: str, file: Path) -> list[float]:
    """Return a list of numbers.

    Raises:
        BadFile: It is none.
    """
    if not isinstance(entry.value, list):
        raise BadFile(f"{file}:{entry.line}: {name}: expected a list of numbers, got {str(entry.plain())[:60]!r}")
    return [finite(part, name, file) for part in entry.value]


def read_yaml(text: str, file: Path) -> YamlValue:
    """Return what a file says.

    Raises:
        BadFile: It is no YAML, or has too many values.
        NoSuchPlugin: PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError:
        text = "worlds of IR-SIM need the package PyYAML, which is not installed"
        raise NoSuchPlugin(text).advise(extra_command("others")) from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark is not None else str(file)
        raise BadFile(f"{place}: no YAML: {problem.problem}") from None
    except (yaml.YAMLError, RecursionError) as problem:
        raise BadFile(f"{file}: no YAML: {str(problem).splitlines()[0]}") from None
    if node is None:
        raise BadFile(f"{file}: the file is empty")
    return _YamlReader(file).entry(node)


class _YamlReader:
    def __init__(self, file: Path) -> None:
        import yaml

        self._file, self._count, self._yaml = file, 0, yaml
        self._constructor = yaml.SafeLoader("")

    def entry(self, node: Any, depth: int = 0) -> YamlValue:
        """Return a node and what is below it.

        Raises:
            BadFile: There are too many, or one cannot be read.
        """
        self._count += 1
        line = node.start_mark.line + 1
        if self._count > MOST_VALUES or depth > 50:
            raise BadFile(f"{self._file}:{line}: more than {MOST_VALUES} values, or 50 levels of them")
        if isinstance(node, self._yaml.MappingNode):
            pairs = [(self.entry(key, depth + 1), value) for key, value in node.value]
            return YamlValue({str(key.plain()): self._below(key, value, depth) for key, value in pairs}, line)
        if isinstance(node, self._yaml.SequenceNode):
            return YamlValue([self.entry(part, depth + 1) for part in node.value], line)
        try:
            return YamlValue(self._constructor.construct_object(node), line)
        except (ValueError, self._yaml.YAMLError) as problem:
            raise BadFile(f"{self._file}:{line}: {str(problem).splitlines()[0]}") from None

    def _below(self, key: YamlValue, node: Any, depth: int) -> YamlValue:
        # a value in a later line is found at once by its key
        return YamlValue(self.entry(node, depth + 1).value, key.line)
