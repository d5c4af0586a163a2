"""URDF models that are written with macros: expanded by the package xacro, then read as URDF.

Source: wiki.ros.org/xacro. `$(find PKG)` is what `package://PKG` is in a model: neither ROS nor ament is needed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from coopsim.errors import PluginFailed
from coopsim.features.models.model_paths import find_model_folder, searched_in
from coopsim.features.models.models import model_of
from coopsim.interpreter import extra_command
from coopsim.scene import Problems, RobotFile, Span
from coopsim.scene.xml_nodes import read_xml

_LONGEST = 16 << 20
"""Bytes of the text of all macros; a few words of them can mean gigabytes."""


def read_xacro(path: Path, problems: Problems) -> RobotFile:
    """Return the robot that a file with macros describes; lines beyond those of macros are of the expanded text.

    Args:
        path: The file.
        problems: Takes every mistake.

    Raises:
        PluginFailed: The package xacro is not installed.
    """
    text = expanded(path, problems)
    root = read_xml(text.encode(), f"{path} (expanded)", problems) if text else None
    return model_of(root, path, problems)


def expanded(path: Path, problems: Problems) -> str:
    """Return a file with its macros expanded, "" where that cannot be, which is noted with its file.

    Raises:
        PluginFailed: The package xacro is not installed.
    """
    xacro = _xacro()
    trace = StringIO()
    try:
        with _finding(xacro, path), redirect_stderr(trace):
            text = str(xacro.process_file(str(path)).toxml())
    except ExpatError as problem:
        reason = f"no complete XML: {problem}"
    except RecursionError:
        reason = "its macros call themselves without an end"
    except _Missing as problem:
        reason = str(problem)
    except Exception as problem:  # macros are Python expressions: they raise whatever these do
        reason = " ".join(str(problem).split()) or type(problem).__name__
    else:
        if len(text) <= _LONGEST:
            return text
        reason = f"its macros make {len(text)} characters; expected up to {_LONGEST}"
    places = [" ".join(line.split()) for line in trace.getvalue().splitlines() if line.strip()]
    more = f" ({'; '.join(places[-2:])})" if places else ""
    problems.add(Span(str(path), 1, 1), f"xacro cannot expand this model: {reason}{more}")
    return ""


class _Missing(Exception):
    """A package that a macro names and that is nowhere."""


def _xacro() -> Any:
    """Return the package xacro.

    Raises:
        PluginFailed: It is not installed.
    """
    try:
        import xacro
        import xacro.substitution_args
    except ModuleNotFoundError as missing:
        text = f"models with macros need the package xacro: {extra_command('models')}"
        raise PluginFailed(text).advise("") from missing
    return xacro


@contextmanager
def _finding(xacro: Any, path: Path) -> Iterator[None]:
    """Let macros find packages where models find theirs."""

    def find(package: str) -> str:
        folder = find_model_folder(f"package://{package}", path)
        if folder is None:
            raise _Missing(f"$(find {package}): there is no such package; looked for in {searched_in()}")
        return str(folder)

    arguments = xacro.substitution_args
    former: Callable[[str], str] = arguments._eval_find  # noqa: SLF001 - xacro has no other door for it
    functions = arguments._eval_dict  # noqa: SLF001 - as above
    arguments._eval_find = functions["find"] = find  # noqa: SLF001 - as above
    try:
        yield
    finally:
        arguments._eval_find = functions["find"] = former  # noqa: SLF001 - as above
