"""Control laws that a program gives to a study: functions, which travel to the processes of its runs by their files."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from coopsim import plugins
from coopsim.errors import BadArgument
from coopsim.interfaces import parameters_of_function
from coopsim.robots import RunSpec
from coopsim.scene import Controller

_FORM = "def lloyd(seen, gain=0.3) at the top of a file"


def give(law: Callable[..., Any]) -> str:
    """Register a function as a control law; return its name.

    Raises:
        BadArgument: Other processes cannot find it: it is a lambda, stands in another function, or in no file.
    """
    name, qualified = getattr(law, "__name__", ""), getattr(law, "__qualname__", "")
    place = _source_location(law)
    if not name.isidentifier() or qualified != name:
        what = "a lambda" if name == "<lambda>" else f"{qualified or law!r}, which stands in something else,"
        raise BadArgument(f"{place}law: {what} cannot be found by the processes of a study; expected {_FORM}").advise(
            ""
        )
    file = Path(inspect.getsourcefile(law) or "")
    if not file.is_file():
        text = f"law: {name} stands in no file, so the processes of a study cannot read it; write it to a file"
        raise BadArgument(f"{text}, in a notebook by %%writefile, and import it").advise("")
    parameters_of_function(law)
    if plugins.is_loading():
        raise BadArgument(
            f"{place}sweep is called while its file is read by another process; put the call under "
            "`if __name__ == '__main__':`"
        ).advise("")
    plugins.add(f"{file}::{name}")
    return name


def _source_location(law: Callable[..., Any]) -> str:
    try:
        return f"{inspect.getsourcefile(law)}:{inspect.getsourcelines(law)[1]}: "
    except (OSError, TypeError):
        return ""


def driven_by(spec: RunSpec, law: str) -> RunSpec:
    """Return a run whose robots are driven by a law: those of its controller, or all where it has none.

    Raises:
        BadArgument: It has several controllers.
    """
    scenario = spec.scenario
    if len(scenario.controllers) > 1:
        runs = ", ".join(controller.run for controller in scenario.controllers)
        raise BadArgument(
            f"law takes the place of the controller of a scenario, and this one has several: {runs}"
        ).advise("")
    parameter_names = {parameter.name for parameter in parameters_of_function(plugins.load("controllers", law).decide)}
    if scenario.controllers:
        (before,) = scenario.controllers
        arguments = tuple((name, words) for name, words in before.arguments if name in parameter_names)
        controller = replace(before, run=law, arguments=arguments)
    else:
        controller = Controller(law, tuple(robot.name for robot in scenario.robots))
    return replace(spec, scenario=replace(scenario, controllers=(controller,)), commands=())
