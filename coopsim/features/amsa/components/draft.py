"""A model file while it is edited: its text, what it says, and changes that leave all other lines as they are."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from coopsim.errors import BadArgument, BadFile, NoSuchFile
from coopsim.features.amsa.components.checking import flow_mistakes
from coopsim.features.amsa.components.files import SYSTEM, mistakes_in, used_by
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.model import Composite, DataValue, Leaf, SystemModel, Template
from coopsim.features.amsa.components.order import execution_order
from coopsim.features.amsa.components.text_edits import (
    moved,
    with_link,
    with_order,
    with_parameter,
    with_part,
    without_leaf,
    without_link,
)
from coopsim.scene import Problems, why_unreadable
from coopsim.scene.replacing import replace_file
from coopsim.scene.source import read_file

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


class SystemDraft:
    """The one system of a file, being edited.

    Args:
        path: Of the file.

    Attributes:
        text: As it would be written now.
        model: What it says.
        templates: That leaves may be instances of.
        mistakes: What is wrong with it, located.

    Raises:
        NoSuchFile: It cannot be read.
        BadFile: It cannot be read as one system.
    """

    def __init__(self, path: Path) -> None:
        reason = why_unreadable(path)
        if reason is None and path.suffix != SYSTEM:
            reason = f"systems are read from files {SYSTEM}"
        if reason is not None:
            raise NoSuchFile(f"{path}: {reason}")
        self.path = path
        problems = Problems()
        read_file(path, problems)
        problems.raise_any()  # bytes that are no text would not stay as they are
        self.text = self._written = path.read_bytes().decode("utf-8")
        self._before: list[str] = []
        self.model: SystemModel
        self.templates: dict[str, Template] = {}
        self.mistakes: tuple[str, ...] = ()
        self._read(self.text)

    @property
    def is_changed(self) -> bool:
        """Whether the file says something else."""
        return self.text != self._written

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._before)

    @property
    def composites(self) -> tuple[str, ...]:
        """The names of the system and of all its composites."""
        return tuple(composite.name for composite in self.model.root.composites())

    def composite_of(self, leaf: str) -> Composite:
        """Return the composite in which a leaf stands."""
        return next(
            composite for composite in self.model.root.composites() if self.model.leaves[leaf] in composite.parts
        )

    def add(self, name: str, template: str, kind: LeafKind, rate: Fraction, inside: str = "") -> None:
        """Add an instance of a template; each output writes data of its own, inputs are left to be connected.

        Args:
            name: Of the instance.
            template: Its name.
            kind: Of the leaf.
            rate: Its frequency [Hz].
            inside: Composite in which it stands, "" = the system.

        Raises:
            BadArgument: It cannot have this name.
            NoSuchName: There is no such composite.
            BadFile: It cannot be written.
        """
        self._check_name(name)
        links = "".join(
            f"{port.name} -> {self._new_data(name, port.name)}; " for port in self.templates[template].outputs
        )
        declaration = f"{kind.value} {name} : {template} @ {rate} Hz {{ {links}}}"
        self._change(lambda text: with_part(text, inside or self.model.name, declaration))

    def add_composite(self, name: str, inside: str = "") -> None:
        """Add a composite without parts, in the system or in another one.

        Raises:
            BadArgument: It cannot have this name.
            NoSuchName: There is no composite to add it to.
        """
        self._check_name(name)
        self._change(lambda text: with_part(text, inside or self.model.name, f"composite {name} {{\n}}"))

    def move(self, leaf: str, composite: str) -> None:
        """Let a leaf stand in another composite, or in the system.

        Raises:
            NoSuchName: There is no such composite.
        """
        holders = {part.name for part in self.model.root.composites() if composite in _names_in(part)}
        self._change(lambda text: moved(text, leaf, composite, holders))

    def run_earlier(self, leaf: str) -> None:
        """Let a leaf step one place earlier among the parts of its composite, which says its order from now on."""
        composite = self.composite_of(leaf)
        names = list(composite.order) or self._order_of_parts(composite)
        names += [leaf] if leaf not in names else []
        place = names.index(leaf)
        if place:
            names[place - 1 : place + 1] = leaf, names[place - 1]
            self._change(lambda text: with_order(text, composite.name, names))

    def _order_of_parts(self, composite: Composite) -> list[str]:
        """Return the names of parts as they run now; as they are written where a loop of data has no order."""
        try:
            ranks = {leaf.name: rank for rank, leaf in enumerate(execution_order(self.model))}
        except BadFile:
            return [part.name for part in composite.parts]

        def first(part: Leaf | Composite) -> int:
            leaves = (part,) if isinstance(part, Leaf) else tuple(part.leaves())
            return min((ranks[leaf.name] for leaf in leaves), default=len(ranks))

        return [part.name for part in sorted(composite.parts, key=first)]

    def _check_name(self, name: str) -> None:
        is_there = name in self.model.leaves or name in self.composites
        if is_there or not name.isidentifier():
            reason = "is there already" if is_there else "is no name: letters, digits and _"
            raise BadArgument(f"component {name!r} {reason}")

    def connect(self, producer: str, output: str, consumer: str, port: str) -> None:
        """Let an input read what an output writes, in the place of what it read.

        Raises:
            BadArgument: These may not be connected.
        """
        reason = self.why_not(producer, output, consumer, port)
        if reason:
            raise BadArgument(reason)
        written = {link.port: link.data for link in self.model.leaves[producer].writes}
        data = written.get(output) or self._new_data(producer, output)

        def change(text: str) -> str:
            if output not in written:
                text = with_link(text, producer, output, data, writes=True)
            return with_link(text, consumer, port, data, writes=False)

        self._change(change)

    def why_not(self, producer: str, output: str, consumer: str, port: str) -> str:
        """Return why an output may not feed an input, "" = it may."""
        first, second = self.model.leaves[producer], self.model.leaves[consumer]
        outputs = {output.name: output for output in first.template.outputs}
        inputs = {port.name: port for port in second.template.inputs}
        return "; ".join(flow_mistakes(output, (first, outputs[output]), second, inputs[port]))

    def disconnect(self, leaf: str, port: str) -> None:
        """Let an input read nothing; it must read something before the system runs."""
        self._change(lambda text: without_link(text, leaf, port))

    def remove(self, leaf: str) -> None:
        """Take out a leaf; what read its data reads nothing that is produced."""
        self._change(lambda text: without_leaf(text, leaf))

    def set_parameter(self, leaf: str, name: str, value: DataValue) -> None:
        """Give a parameter of a leaf another value.

        Raises:
            BadArgument: It is of another type, or out of range.
        """
        declared = self.model.leaves[leaf].template.parameter(name)
        if declared is not None:
            checked = declared.check(value)
            self._change(lambda text: with_parameter(text, leaf, name, checked))

    def undo(self) -> None:
        """Take back the last change."""
        if self._before:
            self._read(self._before.pop())

    def save(self, path: Path | None = None) -> None:
        """Write the file; None = where it came from. Elsewhere the files of its templates are copied beside it.

        Raises:
            NoSuchFile: It cannot be written.
        """
        wanted = path or self.path
        try:
            if wanted.parent.resolve() != self.path.parent.resolve():
                self._copy_templates(wanted.parent)
            replace_file(wanted, self.text.encode("utf-8"))
        except OSError as problem:
            raise NoSuchFile(f"{wanted} cannot be written: {problem.strerror}") from None
        self.path, self._written = wanted, self.text

    def _copy_templates(self, folder: Path) -> None:
        for name, path in used_by(self.text, self.path.parent).items():
            if not (folder / name).exists():
                replace_file(folder / name, path.read_bytes())

    def _change(self, edit: Callable[[str], str]) -> None:
        before = self.text
        self._read(edit(before))
        if self.text != before:
            self._before.append(before)

    def _read(self, text: str) -> None:
        """Take over a text.

        Raises:
            BadFile: It is not one system; the text stays as it was.
        """
        document, problems = mistakes_in(text.removeprefix(_BOM), self.path)
        if len(document.systems) != 1:
            problems.raise_any()
            raise BadFile(f"{self.path}: expected one System, found {len(document.systems)}")
        self.text, self.templates = text, document.templates
        self.model = next(iter(document.systems.values()))
        self.mistakes = tuple(f"{problem.span.line}:{problem.span.column}: {problem.text}" for problem in problems)

    def _new_data(self, leaf: str, port: str) -> str:
        """Return a name for data that nobody writes."""
        taken = self.model.producers()
        names = (f"{leaf}_{port}{number or ''}" for number in range(len(taken) + 1))
        return next(name for name in names if name not in taken)


def _names_in(composite: Composite) -> set[str]:
    """Return its name and those of all composites in it."""
    return {part.name for part in composite.composites()}


def initial_values(leaf: Leaf) -> dict[str, DataValue]:
    """Return the values that the parameters of a leaf begin with."""
    given = {setting.name: setting.value for setting in leaf.settings}
    return {
        parameter.name: given.get(parameter.name, parameter.parameter.default) for parameter in leaf.template.parameters
    }
