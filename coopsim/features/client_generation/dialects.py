"""Dialects: how each language writes names, types, values and remarks, and which files its client has."""

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from coopsim.features.amsa.generation import GENERATED, GeneratedFile
from coopsim.features.amsa.generation.templates import environment
from coopsim.features.client_generation import keywords
from coopsim.features.client_generation.model import ClientModel, client_model
from coopsim.features.client_generation.naming import camel, constant, pascal, snake
from coopsim.interfaces import Interface

if TYPE_CHECKING:
    from jinja2 import Environment

_WIDTH: Final = 110


@dataclass(frozen=True, slots=True)
class SourceTemplate:
    """A file that a template makes.

    Attributes:
        template: Its name in the folder of the language.
        path: Where it goes; `{Kind}` makes one file for each interface.
    """

    template: str
    path: str
    values: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Dialect:
    """A language.

    Attributes:
        name: What the command line calls it.
        comment: What stands before the mark of generation.
        library: A file of the library that the generated ones may go beside.
        types: What it calls each type of a value.
        keywords: Words that can be no name.
        name_case: How it writes names of arguments and results.
        method_case: How it writes names of functions.
        nothing: An empty run, where an argument may be left out.
        quote: What makes a text a literal.
        unsafe: What must not stand in a remark, and what is written instead.
    """

    name: str
    comment: str
    library: str
    sources: Sequence[SourceTemplate]
    types: Mapping[str, str]
    keywords: frozenset[str]
    name_case: Callable[[str], str]
    method_case: Callable[[str], str]
    nothing: str = ""
    quote: Callable[[str], str] = json.dumps
    unsafe: Mapping[str, str] | None = None
    is_markup: bool = False

    def identifier(self, name: str) -> str:
        """Return the name of an argument or a result."""
        return self._kept(self.name_case(name))

    def method(self, name: str) -> str:
        """Return the name of a function."""
        return self._kept(self.method_case(name))

    def _kept(self, name: str) -> str:
        return f"{name}_" if name in self.keywords else name

    def literal(self, value: Any) -> str:
        """Return a value as source text."""
        if value == ():
            return self.nothing
        return self.quote(value) if isinstance(value, str) else repr(value)

    def remark(self, text: str, prefix: str = "", *, first: str | None = None) -> str:
        """Return words for a comment, in lines that begin with a prefix; nothing in them ends the comment."""
        words = " ".join("".join(char if char.isprintable() else " " for char in text).split())
        for bad, good in (self.unsafe or {}).items():
            words = words.replace(bad, good)
        shown = escape(words, quote=False) if self.is_markup else words
        return textwrap.fill(
            shown,
            _WIDTH,
            initial_indent=prefix if first is None else first,
            subsequent_indent=prefix,
            break_long_words=False,
            break_on_hyphens=False,
        )


def filters(dialect: Dialect) -> dict[str, Callable[..., str]]:
    """Return what templates apply to names, types and values."""
    return {
        "identifier": dialect.identifier,
        "method": dialect.method,
        "literal": dialect.literal,
        "remark": dialect.remark,
        "type": lambda name: dialect.types[name],
        "snake": snake,
        "camel": camel,
        "pascal": pascal,
        "constant": constant,
    }


def _types(single: Sequence[str], run: str) -> dict[str, str]:
    """Return the types of float, int, text and value, and of runs of them."""
    names = ("float", "int", "text", "value")
    runs = {f"{name}s": run.format(pattern) for name, pattern in zip(names, single, strict=True)}
    return dict(zip(names, single, strict=True)) | runs


_PYTHON = Dialect(
    "python",
    "#",
    "link.py",
    (
        SourceTemplate("modules.py", "modules.py", {"is_async": False}),
        SourceTemplate("modules.py", "aio_modules.py", {"is_async": True}),
        SourceTemplate("errors.py", "error_codes.py"),
    ),
    _types(("float", "int", "str", "Value"), "tuple[{}, ...]"),
    keywords.PYTHON,
    snake,
    snake,
    "()",
    unsafe={"\\": "/", '"""': "'''"},
)
_TYPESCRIPT = Dialect(
    "typescript",
    "//",
    "stepping.js",
    (
        SourceTemplate("modules.js", "modules.js"),
        SourceTemplate("errors.js", "error_codes.js"),
    ),
    _types(("number", "number | bigint", "string", "Value"), "readonly {}[]")
    | {"ints": "readonly (number | bigint)[]"},
    keywords.JAVASCRIPT,
    camel,
    camel,
    "[]",
    unsafe={"\\": "/", "*/": "* /", "@": "(at)"},
)
_GO = Dialect(
    "go",
    "//",
    "client.go",
    (SourceTemplate("modules.go", "modules.go"), SourceTemplate("errors.go", "error_codes.go")),
    _types(("float64", "int64", "string", "any"), "[]{}"),
    keywords.GO,
    camel,
    pascal,
)
_RUST = Dialect(
    "rust",
    "//",
    "stepping.rs",
    (SourceTemplate("modules.rs", "modules.rs"), SourceTemplate("errors.rs", "error_codes.rs")),
    _types(("f64", "i64", "String", "Param"), "Vec<{}>"),
    keywords.RUST,
    snake,
    snake,
    unsafe={"\\": "/", "[": "\\[", "]": "\\]", "<": "\\<"},
)
_JAVA = Dialect(
    "java",
    "//",
    "../Client.java",
    (
        SourceTemplate("Kind.java", "{Kind}.java"),
        *(SourceTemplate(name, name) for name in ("Readings.java", "Stepper.java", "ErrorCode.java")),
    ),
    _types(("double", "long", "String", "Object"), "List<{}>") | {"floats": "double[]", "ints": "List<Long>"},
    keywords.JAVA,
    camel,
    camel,
    unsafe={"\\": "/", "*/": "* /", "@": "(at)"},
    is_markup=True,
)
_CSHARP = Dialect(
    "csharp",
    "//",
    "Client.cs",
    (SourceTemplate("Modules.cs", "Modules.cs"), SourceTemplate("ErrorCode.cs", "ErrorCode.cs")),
    _types(("double", "long", "string", "object"), "{}[]"),
    keywords.CSHARP,
    camel,
    pascal,
    unsafe={"\\": "/"},
    is_markup=True,
)
_C = Dialect(
    "c",
    "/*",
    "coopsim.h",
    (
        SourceTemplate("modules.h", "coopsim_modules.h"),
        SourceTemplate("modules.c", "coopsim_modules.c"),
        SourceTemplate("errors.h", "coopsim_errors.h"),
    ),
    _types(("double", "int64_t", "text", "param"), "{}"),
    keywords.CPP,
    snake,
    snake,
    unsafe={"\\": "/", "*/": "* /", "/*": "/ *"},
)
_CPP = Dialect(
    "cpp",
    "//",
    "coopsim.hpp",
    (SourceTemplate("modules.hpp", "coopsim_modules.hpp"), SourceTemplate("errors.hpp", "coopsim_errors.hpp")),
    _types(("double", "std::int64_t", "std::string", "Param"), "std::vector<{}>"),
    keywords.CPP,
    snake,
    snake,
    unsafe={"\\": "/"},
)


def _quote_lua(text: str) -> str:
    r"""Return a literal of Lua: all bytes but plain ones as `\ddd`."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03d}" for byte in text.encode())
    return f'"{"".join(plain)}"'


_LUA = Dialect(
    "lua",
    "--",
    "coopsim_stepping.lua",
    (SourceTemplate("modules.lua", "coopsim_modules.lua"), SourceTemplate("errors.lua", "coopsim_errors.lua")),
    _types(("number", "integer", "string", "any"), "{}[]"),
    keywords.LUA,
    snake,
    snake,
    "{}",
    quote=_quote_lua,
)
_MATLAB = Dialect(
    "matlab",
    "%",
    "Coopsim.m",
    (
        SourceTemplate("Kind.m", "Coopsim{Kind}.m"),
        SourceTemplate("Stepper.m", "CoopsimStepper.m"),
        SourceTemplate("ErrorCode.m", "CoopsimErrorCode.m"),
    ),
    _types(("double", "int64", "char", "any"), "{}"),
    keywords.MATLAB,
    camel,
    camel,
    "[]",
    quote=lambda text: "'" + text.replace("'", "''") + "'",
)
DIALECTS: Final[Mapping[str, Dialect]] = {
    dialect.name: dialect for dialect in (_PYTHON, _TYPESCRIPT, _GO, _RUST, _JAVA, _CSHARP, _C, _CPP, _LUA, _MATLAB)
}
"""The languages by what the command line calls them."""


def client_files(
    dialect: Dialect, interfaces: Iterable[Interface], source: str = "built-in", *, is_beside: bool = True
) -> list[GeneratedFile]:
    """Return the files of a client.

    Args:
        dialect: The language.
        interfaces: What it knows.
        source: Where these come from, for the first line of each file.
        is_beside: Whether they go beside the library of the language; others name it as a package.

    Raises:
        BadArgument: A name in them can be no name in a program.
        NoSuchPlugin: Jinja2 is not installed.
    """
    model = client_model(interfaces)
    shared = {"model": model, "is_beside": is_beside}
    mark = f"{GENERATED} from the {source} interfaces: coopsim generate client {dialect.name}"
    templates = _environment(dialect)
    return [
        file
        for part in dialect.sources
        for file in _files(templates, part, shared | {"mark": f"{dialect.comment} {mark}"})
    ]


def _files(templates: "Environment", part: SourceTemplate, shared: Mapping[str, Any]) -> list[GeneratedFile]:
    template = templates.get_template(f"{part.template}.jinja")
    values = {**shared, **(part.values or {})}
    if "{Kind}" not in part.path:
        return [GeneratedFile(Path(part.path), template.render(values))]
    model: ClientModel = shared["model"]
    return [
        GeneratedFile(Path(part.path.format(Kind=pascal(interface.kind))), template.render(values, interface=interface))
        for interface in (*((model.base,) if shared["is_beside"] else ()), *model.interfaces)
    ]


def _environment(dialect: Dialect) -> "Environment":
    of_language = environment(f"templates/{dialect.name}", __package__)
    of_language.filters.update(filters(dialect))
    return of_language
