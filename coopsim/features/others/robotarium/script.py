"""A script of the Robotarium as a program: `python SCRIPT`, with another class in its `rps`."""

import importlib
import os
import runpy
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from coopsim.app import talk
from coopsim.errors import CoopsimError, NoSuchPlugin
from coopsim.features.others.robotarium.arena import ScriptRobots
from coopsim.features.others.robotarium.figures import DeferredFigures, may_be_deferred, unused_names
from coopsim.features.others.robotarium.served import served
from coopsim.interpreter import install_command
from coopsim.memory import collect_seldom, uncollected

_PACKAGE, _MODULE = "rps", "rps.robotarium"
_PACKAGES = "git+https://github.com/robotarium/robotarium_python_simulator", "matplotlib", "cvxopt"


def prepare(script: Path, arguments: Sequence[str], arena: ScriptRobots, *, is_drawn: bool, is_paced: bool) -> None:
    """Make this process what the script expects.

    Args:
        script: The program.
        arguments: Its own.
        arena: The robots.
        is_drawn: Whether windows of matplotlib are opened as usual.
        is_paced: Whether a step takes as long as it simulates.

    Raises:
        NoSuchPlugin: The package `rps` is missing, or is another one of that name.
    """
    sys.argv[:] = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    if not is_drawn:
        # axes are there as a script expects them, and nothing is drawn that nobody sees
        os.environ["MPLBACKEND"] = "Agg"
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
    figures = DeferredFigures(unused_names(script)) if not is_drawn and may_be_deferred(_PACKAGE) else None
    try:
        with uncollected():
            module: Any = importlib.import_module(_MODULE) if figures is None else figures.import_module(_MODULE)
            collect_seldom()
        kind = module.Robotarium
    except ImportError as problem:
        text = f"the simulator of the Robotarium, the Python package rps, cannot be imported: {problem}"
        raise NoSuchPlugin(text).advise(install_command(*_PACKAGES)) from None
    module.Robotarium = served(kind, arena, is_drawn=is_drawn, is_paced=is_paced, figures=figures)


def run_script(script: Path) -> None:
    """Run it as the main program; its exceptions are its own."""
    runpy.run_path(str(script), run_name="__main__")


def report(problem: Exception, script: Path) -> None:
    """Print what ended a script: an error of ours with its line, any other as Python does, from the script on."""
    own: TracebackType | None = problem.__traceback__
    while own is not None and Path(own.tb_frame.f_code.co_filename).resolve() != script.resolve():
        own = own.tb_next
    if isinstance(problem, CoopsimError) and own is not None:
        talk.complain(f"{script}:{own.tb_lineno}: {problem}", problem.cure)
    else:
        traceback.print_exception(type(problem), problem, own)
