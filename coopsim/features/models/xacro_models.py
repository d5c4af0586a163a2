"""URDF models that are written with macros: expanded by the package xacro, then read as URDF.

Source: wiki.ros.org/xacro. `$(find PKG)` is what `package://PKG` is in a model: neither ROS nor ament is needed.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coopsim.errors import PluginFailed
from coopsim.features.models import xacro_child
from coopsim.features.models.model_paths import searched_in
from coopsim.features.models.models import model_of
from coopsim.interpreter import extra_command
from coopsim.scene import Problems, RobotFile, Span
from coopsim.scene.xml_nodes import read_xml

_PATIENCE = 3.0 * xacro_child.MOST_SECONDS
"""On a busy core a process needs more time than it is given [s]."""
_COMMAND = ("-m", xacro_child.__name__)
_NO_ARGUMENT = "Undefined substitution argument "
_QUOTED = re.compile(r"'([^']+)'|\b(xacro:[\w.]+)|(\$\([^)]*\))")


def read_xacro(path: Path, problems: Problems, arguments: Mapping[str, str] | None = None) -> RobotFile:
    """Return the robot that a file with macros describes; lines beyond those of macros are of the expanded text.

    Args:
        path: The file.
        problems: Takes every mistake.
        arguments: What stands for `$(arg NAME)`, by name; without one the file's default does.

    Raises:
        PluginFailed: The package xacro is not installed.
    """
    text = expanded(path, problems, arguments)
    root = read_xml(text.encode(), f"{path} (expanded)", problems) if text else None
    return model_of(root, path, problems)


def expanded(path: Path, problems: Problems, arguments: Mapping[str, str] | None = None) -> str:
    """Return a file with its macros expanded, "" where that cannot be, which is noted with its place.

    Raises:
        PluginFailed: The package xacro is not installed.
    """
    if find_spec("xacro") is None:
        text = f"models with macros need the package xacro: {extra_command('models')}"
        raise PluginFailed(text).advise("")
    outcome = _expanded_by_child(path, arguments or {})
    for part in outcome["left_out"]:
        text = f"what is included from the package {part['package']!r} is left out: there is no such package"
        problems.warn(_span_of([part["file"]], [part["spec"]]), text)
    if outcome["text"]:
        return str(outcome["text"])
    _add_mistake(path, outcome, problems)
    return ""


def _add_mistake(path: Path, outcome: Mapping[str, Any], problems: Problems) -> None:
    """Note why there is no text, with its place as far as the words of xacro tell it."""
    reason = f"{outcome['reason']}{_advice(path, outcome['reason'])}"
    packages = dict.fromkeys(f"$(find {part['package']})" for part in outcome["left_out"])
    if packages:
        reason += f"; {', '.join(packages)}: there is no such package; looked for in {searched_in()}"
    if outcome["macros"]:
        reason += f" (in the macro {', called by '.join(outcome['macros'])})"
    span = Span(outcome["file"], outcome["line"], outcome["column"])
    if not outcome["line"]:
        words = [next(filter(None, match)) for match in _QUOTED.findall(outcome["reason"])]
        words += [Path(word).name for word in words if "/" in word]
        words += [f'name="{name}"' for name in outcome["macros"]]
        span = _span_of([outcome["file"], *outcome["files"]], words)
    problems.add(span, f"xacro cannot expand this model: {reason}")


def _expanded_by_child(path: Path, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return what a process of its own makes of a file: macros are programs, which may never end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    failed: dict[str, Any] = {
        "text": "",
        "file": str(path),
        "line": 0,
        "column": 0,
        "macros": [],
        "files": [],
        "left_out": [],
    }
    try:
        done = subprocess.run(
            [sys.executable, *_COMMAND],
            input=json.dumps({"path": str(path), "arguments": dict(arguments)}),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            env=environment,
            check=False,
        )
        outcome: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {**failed, "reason": f"its macros have not ended after {_PATIENCE:g} s"}
    except ValueError:  # it was ended, and wrote nothing
        limit = f"its macros have not ended after {xacro_child.MOST_SECONDS} s of processor time"
        words = done.stderr.strip().rpartition("\n")[2]
        return {**failed, "reason": limit if done.returncode < 0 else f"the process of xacro ended: {words}"}
    return outcome


def _advice(path: Path, reason: str) -> str:
    """Return how the arguments of a file are given, where one is missing."""
    if not reason.startswith(_NO_ARGUMENT):
        return ""
    name = reason.removeprefix(_NO_ARGUMENT).split()[0]
    command = f"coopsim import robot {path.name} --arg {name}:=VALUE"
    return f": give it by `{command}`, or in a .robot file by `model {path.name} {name}:=VALUE`"


def _span_of(files: Iterable[str], words: Sequence[str]) -> Span:
    """Return the first place of one of some words in one of some files; the beginning of the first without one."""
    names = list(dict.fromkeys(files))
    for file in names:
        try:
            lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for word in words:
            for number, line in enumerate(lines, 1):
                if word in line:
                    return Span(file, number, line.index(word) + 1)
    return Span(names[0], 1, 1)
