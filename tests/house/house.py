"""Bounds of the house: structure and words of `coopsim/` and its tests, from syntax trees, and sentences of the pages.

`python tests/house` prints each figure beside its bound and ends with 1 where one is not kept.
`python tests/house NAME` lists the places behind a figure.
"""

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pages import LONGEST, pages, sentences

PLACEHOLDERS = frozenset(
    ["found", "it", "each", "told", "here", "there", "came", "gone", "made", "known", "one", "other", "others"]
)
VERBS = re.compile(r"_*(take|look|place|tell)(_|$)")
QUESTION = re.compile(r"(What|Who|Where|Why|How|Which|Whose)\b")
NO_NOUN = re.compile(r"(Whether|When|It|They|This|That|These|Those|One|Everything|Something|Nothing|There|Here)\b")
SECTION = re.compile(r"^\s*\w[\w ]*:$", re.MULTILINE)
DENSE = frozenset(("kernels", "engines", "sensing", "simulation"))
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Bound:
    """Largest value that a figure may have, or the least where `is_least`, and why."""

    name: str
    value: float
    reason: str
    is_least: bool = False

    def holds(self, figure: float) -> bool:
        return figure >= self.value if self.is_least else figure <= self.value


BOUNDS = (
    Bound("core", 76_000, "lines that a newcomer has to hold before the first feature"),
    Bound("rooms", 27, "folders of the core that fit on one picture"),
    Bound("smear", 0, "a feature can be taken out only if the core imports none"),
    Bound("locals", 0.5, "percent of assignments to a local whose name says nothing of what it holds"),
    Bound("tests_locals", 0.5, "percent in tests: who reads a test to learn an interface needs the name most"),
    Bound("openings", 5, "docstrings that begin with What, Who, Where, How or Why; of modules, also with a pronoun"),
    Bound("verbs", 3, "functions called take, look, place or tell: the field has a verb for each"),
    Bound("tests_verbs", 3, "the same in tests; two stand-ins for files have the `tell` that files have"),
    Bound("sentences", 2.8, "percent of sentences of the pages with more than 25 words: they are read twice"),
    Bound("docstrings", 1.3, "percent of sentences of public docstrings with more than 25 words"),
    Bound("comments", 1.55, "per 100 lines: constants, margins and orders say why they are so", is_least=True),
    Bound("dense", 3.0, "comments per 100 lines where arithmetic needs reasons", is_least=True),
    Bound("lone", 0, "files below 60 lines with one importer: one idea in two places"),
    Bound("large", 2, "files of 395 lines and more: split by limit, not by idea"),
    Bound("longest", 45, "lines of a function: it fits a screen"),
    Bound("wide", 8, "functions with eight parameters and more"),
    Bound("tests", 0.6, "lines of tests per line of source", is_least=True),
)


@dataclass
class Module:
    """One file of the source: its name, text, tree and importers."""

    name: str
    path: Path
    text: str
    importers: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self.lines = self.text.count("\n")
        parts = self.name.split(".")
        is_feature = len(parts) > 2 and parts[1] == "features"
        self.room = parts[1] if len(parts) > 1 else ""
        self.feature = parts[2] if is_feature else "testkit" if self.room == "testkit" else ""

    def comments(self) -> int:
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        spoken = (token.string for token in tokens if token.type == tokenize.COMMENT)
        return sum(not text.startswith(("# noqa", "# type")) for text in spoken)

    def imported(self) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)


class House:
    """Figures of a source folder and its tests, and the places behind them."""

    def __init__(self, source: Path, tests: Path, texts: Iterable[Path] = ()) -> None:
        self.places: dict[str, list[str]] = defaultdict(list)
        self._source = source
        self._modules = {module.name: module for module in map(self._read, sorted(source.rglob("*.py")))}
        self._stores = self._longest = self._told = 0
        for module in self._modules.values():
            self._count_words(module)
            self._count_imports(module)
        self._tests = self._tests_stores = 0
        for path in sorted(tests.rglob("*.py")):
            self._count_test(path, path.read_text())
        self._sentences = 0
        for path in texts:
            self._count_sentences(path)

    def figures(self) -> dict[str, float]:
        """Return the value of each bound's figure."""
        modules = list(self._modules.values())
        lines = sum(module.lines for module in modules)
        dense = [module for module in modules if module.room in DENSE]
        core = [module for module in modules if not module.feature]
        rooms = {module.room for module in core if (self._source / module.room).is_dir()} - {"", "features"}
        self.places["lone"] = [f"{module.path} {module.lines}" for module in modules if self._is_lone(module)]
        self.places["large"] = [f"{module.path} {module.lines}" for module in modules if module.lines >= 395]
        counted = {
            name: float(len(self.places[name]))
            for name in ("smear", "openings", "verbs", "tests_verbs", "lone", "large", "wide")
        }
        return counted | {
            "core": sum(module.lines for module in core),
            "rooms": len(rooms),
            "locals": round(100 * len(self.places["locals"]) / max(1, self._stores), 2),
            "tests_locals": round(100 * len(self.places["tests_locals"]) / max(1, self._tests_stores), 2),
            "comments": _share(modules),
            "dense": _share(dense),
            "sentences": round(100 * len(self.places["sentences"]) / max(1, self._sentences), 1),
            "docstrings": round(100 * len(self.places["docstrings"]) / max(1, self._told), 1),
            "longest": self._longest,
            "tests": round(self._tests / max(1, lines), 2),
        }

    def _read(self, path: Path) -> Module:
        name = ".".join(path.relative_to(self._source.parent).with_suffix("").parts).removesuffix(".__init__")
        return Module(name, path, path.read_text())

    def _count_test(self, path: Path, text: str) -> None:
        self._tests += text.count("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._tests_stores += 1
                if node.id in PLACEHOLDERS:
                    self.places["tests_locals"].append(f"{path}:{node.lineno}: {node.id}")
            elif isinstance(node, FUNCTIONS) and VERBS.match(node.name):
                self.places["tests_verbs"].append(f"{path}:{node.lineno}: {node.name}")

    def _count_sentences(self, path: Path) -> None:
        for line, words in sentences(path.read_text(encoding="utf-8")):
            self._sentences += 1
            if words > LONGEST:
                self.places["sentences"].append(f"{path}:{line}: {words} words")

    def _count_words(self, module: Module) -> None:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Module | ast.ClassDef | FUNCTIONS):
                self._count_opening(module, node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._stores += 1
                if node.id in PLACEHOLDERS:
                    self.places["locals"].append(f"{module.path}:{node.lineno}: {node.id}")
            elif isinstance(node, FUNCTIONS):
                self._count_function(module, node)

    def _count_opening(
        self, module: Module, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> None:
        doc, line = ast.get_docstring(node) or "", getattr(node, "lineno", 1)
        if doc and (isinstance(node, ast.Module) or not node.name.startswith("_")):
            lengths = [words for _, words in sentences(SECTION.sub("", doc))]
            self._told += len(lengths)
            self.places["docstrings"] += [
                f"{module.path}:{line}: {words} words" for words in lengths if words > LONGEST
            ]
        if QUESTION.match(doc) or (isinstance(node, ast.Module) and NO_NOUN.match(doc)):
            self.places["openings"].append(f"{module.path}:{line}: {doc.splitlines()[0]}")

    def _count_function(self, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        place = f"{module.path}:{node.lineno}: {node.name}"
        body = [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
        if body:
            self._longest = max(self._longest, (node.end_lineno or 0) - body[0].lineno + 1)
        if VERBS.match(node.name):
            self.places["verbs"].append(place)
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        if sum(argument.arg not in ("self", "cls") for argument in arguments) >= 8:
            self.places["wide"].append(place)

    def _count_imports(self, module: Module) -> None:
        for name in module.imported():
            while name and name not in self._modules:
                name = name.rpartition(".")[0]  # noqa: PLW2901  # the module that holds what is imported
            if name in ("", module.name, self._source.name):
                continue
            target = self._modules[name]
            target.importers.add(module.name)
            if target.feature and not module.feature:
                self.places["smear"].append(f"{module.path} imports {name}")

    @staticmethod
    def _is_lone(module: Module) -> bool:
        return len(module.importers) == 1 and module.lines < 60 and module.path.name != "__init__.py"


def _share(modules: list[Module]) -> float:
    return round(100 * sum(map(Module.comments, modules)) / max(1, sum(module.lines for module in modules)), 2)


def main(names: list[str]) -> int:
    """Print figures, or the places behind those that are named; return 1 where a bound is not kept."""
    house = House(Path("coopsim"), Path("tests"), pages(Path()))
    figures = house.figures()
    if names:
        print("\n".join(place for name in names for place in house.places[name]))
        return 0
    broken = 0
    for bound in BOUNDS:
        is_kept = bound.holds(figures[bound.name])
        broken += not is_kept
        word, sign = "kept  " if is_kept else "BROKEN", ">=" if bound.is_least else "<="
        print(f"{word} {bound.name} {figures[bound.name]:g} {sign} {bound.value:g}: {bound.reason}")
    if broken:
        print("`python tests/house NAME` lists the places behind a figure", file=sys.stderr)
    return int(broken > 0)
