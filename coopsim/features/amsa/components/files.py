"""Model files: found by name, read with the templates that they use."""

from collections.abc import Sequence
from pathlib import Path

from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.amsa.components.checking import check_leaf, check_template, find_mistakes
from coopsim.features.amsa.components.model import Leaf, SystemModel, Template
from coopsim.features.amsa.components.parsing import ModelText, parse
from coopsim.features.amsa.components.scenario import ParameterScenario
from coopsim.scene import Problems, Span, why_unreadable
from coopsim.scene.source import read_file
from coopsim.suggest import did_you_mean, listed

BUILT_IN = Path(__file__).parents[3] / "scenarios" / "amsa"  # beside the package, as setup.cfg installs it
SYSTEM, TEMPLATES, SCENARIO = ".amsa", ".amsatemplate", ".amsascenario"
IMPORTED = ".amsacore"


def find(name: str | Path, suffix: str) -> Path:
    """Return the path of a file: as given, or a built-in one by its bare name.

    Raises:
        NoSuchFile: There is none.
        BadFile: It is a model of another editor.
    """
    path = Path(name)
    if path.suffix == IMPORTED:
        text = f"{path}: a model of AMSA's own editor, which is imported first"
        raise BadFile(text).advise(f"`coopsim components import {path.name} -o {path.stem}.amsa` reads it.")
    built_in = BUILT_IN / f"{name}{suffix}"
    if path.exists() or not built_in.is_file():
        if not path.exists():
            built_in_names = sorted(path.stem for path in BUILT_IN.glob(f"*{suffix}"))
            text = f"no file {str(name)!r}{did_you_mean(str(name), built_in_names)}; built in: {listed(built_in_names)}"
            raise NoSuchFile(text).advise("")
        return path
    return built_in


def read_document(path: Path, problems: Problems, users: tuple[Path, ...] = ()) -> ModelText:
    """Return what a file says, with the templates of the files that it uses; mistakes are noted.

    Args:
        path: Of the file.
        problems: Where mistakes are noted.
        users: Files that use this one.
    """
    return document_of("\n".join(read_file(path, problems)), path, problems, users)


def document_of(text: str, path: Path, problems: Problems, users: tuple[Path, ...] = ()) -> ModelText:
    """Return what a text says that is, or will be, the file of a path; mistakes are noted."""
    templates: dict[str, Template] = {}
    for used, span in parse(text, str(path), Problems()).uses:
        templates |= _used(path.parent / used, span, problems, (*users, path.resolve()))
    document = parse(text, str(path), problems, templates)
    document.templates = templates | document.templates
    return document


def _used(path: Path, span: Span, problems: Problems, users: tuple[Path, ...]) -> dict[str, Template]:
    reason = why_unreadable(path)
    if reason is None and path.suffix != TEMPLATES:
        reason = f"templates are taken from files {TEMPLATES}"
    if reason is None and path.resolve() in users:
        reason = "uses itself"
    if reason is not None:
        problems.add(span, f"{path}: {reason}")
        return {}
    return read_document(path, problems, users).templates


def used_by(text: str, folder: Path) -> dict[str, Path]:
    """Return the template files that a text in a folder uses, and those that these use, as they are named."""
    files: dict[str, Path] = {}
    texts = [text]
    while texts:
        for name, _ in parse(texts.pop(), "", Problems()).uses:
            path = folder / name
            if name not in files and why_unreadable(path) is None:
                files[name] = path
                texts.append("\n".join(read_file(path, Problems())))
    return files


def mistakes(path: Path) -> tuple[ModelText, Problems]:
    """Return what a file says and all its mistakes; of systems whatever is wrong with the model, too."""
    problems = Problems()
    return _checked(read_document(path, problems), problems), problems


def problems_of_file(path: Path) -> list[str]:
    """Return all mistakes of a file of components as lines, for `coopsim check`."""
    document, problems = mistakes(path)
    check_content(document, path, problems)
    return [str(problem) for problem in problems]


def check_content(document: ModelText, path: Path, problems: Problems) -> None:
    """Note what a file lacks that can be read."""
    if problems.total:
        return
    if path.suffix == SYSTEM and not document.systems:
        problems.add(Span(str(path), 1, 1), "expected a System; there is none in this file")
    if path.suffix == SCENARIO and not document.scenarios:
        problems.add(Span(str(path), 1, 1), "expected a Scenario; there is none in this file")
    for system in document.systems.values():
        if not system.leaves:
            problems.add(system.root.span, f"system {system.name} has no components")


def mistakes_in(text: str, path: Path) -> tuple[ModelText, Problems]:
    """Return what a text says that will be the file of a path, and all its mistakes."""
    problems = Problems()
    return _checked(document_of(text, path, problems), problems), problems


def _checked(document: ModelText, problems: Problems) -> ModelText:
    for template in document.templates.values():
        check_template(template, problems)
    faulty = {problem.span.file for problem in problems}
    for model in document.systems.values():
        if not faulty:
            find_mistakes(model, problems)
        else:  # leaves that were read as a whole, of templates that were
            for leaf in model.root.leaves():
                is_of_other_file = leaf.template.span.file not in {leaf.span.file, *faulty}
                if leaf.span not in document.incomplete and (is_of_other_file or _is_whole(leaf, document)):
                    check_leaf(leaf, problems)
    return document


def _is_whole(leaf: Leaf, document: ModelText) -> bool:
    """Return whether the template of a leaf stands in the same file and has no mistake of syntax."""
    template = leaf.template.span
    return template.file == leaf.span.file and template not in document.incomplete


def load_system(name: str | Path) -> SystemModel:
    """Return the system of a file `.amsa`, or a built-in one by its name.

    Raises:
        NoSuchFile: There is no such file.
        BadFile: It has mistakes, or more or less than one system.
    """
    path = find(name, SYSTEM)
    document, problems = mistakes(path)
    problems.raise_any()
    _check_single("System", [system.root.span for system in document.systems.values()], path)
    return next(iter(document.systems.values()))


def load_scenario(name: str | Path) -> ParameterScenario:
    """Return the scenario of a file `.amsascenario`, or a built-in one by its name.

    Raises:
        NoSuchFile: There is no such file.
        BadFile: It has mistakes, or more or less than one scenario.
    """
    path = find(name, SCENARIO)
    document, problems = mistakes(path)
    problems.raise_any()
    _check_single("Scenario", [scenario.span for scenario in document.scenarios.values()], path)
    return next(iter(document.scenarios.values()))


def _check_single(what: str, spans: Sequence[Span], path: Path) -> None:
    """See to it that a file has one system, or scenario; the place of the second one is said.

    Raises:
        BadFile: It has none, or several.
    """
    if len(spans) != 1:
        problems = Problems()
        read_file(path, problems)
        place = spans[1] if spans else Span(str(path), 1, 1)
        problems.add(place, f"expected one {what}, found {len(spans)}; a file of its own for each can be run")
        problems.raise_any()
