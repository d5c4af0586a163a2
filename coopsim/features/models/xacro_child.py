"""A process that expands the macros of a model: an endless one takes this process with it, and nothing else.

Its input is the name of a file and arguments, as JSON; its output the expanded text, or why there is none.
"""

import json
import resource
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from coopsim.features.models.model_paths import find_model_folder, searched_in

MOST_SECONDS = 20
"""Processor time of all macros of a model; the largest known take two."""
_MOST_BYTES = 4 << 30
"""Memory of the process."""
_LONGEST = 16 << 20
"""Bytes of the text of all macros; a few words of them can mean gigabytes."""
_NOWHERE = "/no such package/"
_MOST_MACROS = 3  # in a message, the innermost first


class _Missing(Exception):
    """A package that a macro names and that is nowhere."""


class _Expansion:
    """One model.

    Args:
        path: The file.
        arguments: Of the file, by name.
    """

    def __init__(self, path: Path, arguments: dict[str, str]) -> None:
        import xacro
        import xacro.substitution_args

        self._path, self._arguments, self._xacro = path, arguments, xacro
        self._left_out: list[dict[str, str]] = []
        self._includes = xacro.get_include_files
        self._is_include = False
        # xacro has no other door for them
        symbols = xacro.substitution_args
        symbols._eval_find = symbols._eval_dict["find"] = self._find  # noqa: SLF001
        xacro.get_include_files = self._included

    def outcome(self) -> dict[str, Any]:
        """Return the text, or the mistake, and includes that are left out."""
        trace = StringIO()
        reason, line, column = "", 0, 0
        text = ""
        try:
            with redirect_stderr(trace), redirect_stdout(trace):
                text = str(self._xacro.process_file(str(self._path), mappings=self._arguments).toxml())
        except ExpatError as problem:
            reason = f"no complete XML: {str(problem).partition(': line')[0]}"
            line, column = problem.lineno, problem.offset + 1
        except Exception as problem:  # macros are Python expressions: they raise whatever these do
            reason = _words_of(problem)
        if len(text) > _LONGEST:
            reason, text = f"its macros make {len(text)} characters; expected up to {_LONGEST}", ""
        file = next((str(name) for name in reversed(self._xacro.filestack or []) if name), str(self._path))
        macros = [str(macro.body.getAttribute("name")) for macro in reversed(self._xacro.macrostack or [])]
        return {
            "text": text,
            "reason": reason,
            "file": file,
            "line": line,
            "column": column,
            "macros": macros[:_MOST_MACROS],
            "files": list(map(str, self._xacro.all_includes)),
            "left_out": self._left_out,
        }

    def _find(self, package: str) -> str:
        folder = find_model_folder(f"package://{package}", self._path)
        if folder is None and self._is_include:
            return _NOWHERE + package
        if folder is None:
            raise _Missing(f"$(find {package}): there is no such package; looked for in {searched_in()}")
        return str(folder)

    def _included(self, spec: str, symbols: Any) -> Iterator[str]:
        """Yield the files of an include; those of a package that is nowhere are left out, since few need them all."""
        self._is_include = True
        try:
            files = list(self._includes(spec, symbols))
        finally:
            self._is_include = False
        for file in files:
            if file.startswith(_NOWHERE):
                within = str(self._xacro.filestack[-1] or self._path)
                package = file.removeprefix(_NOWHERE).partition("/")[0]
                self._left_out.append({"spec": spec, "file": within, "package": package})
            else:
                yield file


def _words_of(problem: Exception) -> str:
    """Return what xacro says, without the names of its classes and without saying it twice."""
    innermost: Any = problem
    while isinstance(getattr(innermost, "exc", None), Exception):
        innermost = innermost.exc
    if isinstance(innermost, RecursionError):
        return "its macros call themselves without an end"
    if isinstance(innermost, MemoryError):
        return f"its macros need more than {_MOST_BYTES >> 30} GiB of memory"
    if isinstance(innermost, _Missing) or _Missing.__name__ in str(problem):
        cause = innermost if isinstance(innermost, _Missing) else innermost.__cause__ or innermost.__context__
        return str(cause if isinstance(cause, _Missing) else innermost).rpartition("_Missing'>: ")[2]
    return " ".join(str(problem).split()) or type(problem).__name__


def main() -> int:
    """Read what is to be expanded, and write what became of it."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    order = json.load(sys.stdin)
    outcome = _Expansion(Path(order["path"]), order["arguments"]).outcome()
    json.dump(outcome, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
