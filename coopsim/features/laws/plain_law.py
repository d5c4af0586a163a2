"""Control laws that are plain functions of readings, as programs: their parameters become options."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from coopsim.client import Law
from coopsim.features.laws import options
from coopsim.features.laws.process import drive
from coopsim.interfaces import parameters_of_function
from coopsim.plugins import PlainLaw


def main_of(law: Any) -> Any:
    """Return the `main(arguments)` of a control law, whatever form it has: a module, that function, or a plain law."""
    return _main(law) if isinstance(law, PlainLaw) else getattr(law, "main", law)


def _main(law: PlainLaw) -> Callable[[Sequence[str] | None], int]:
    parameters = parameters_of_function(law.decide)
    summary = (law.decide.__doc__ or f"Robots do what {law.name} decides.").partition("\n")[0]

    def main(arguments: Sequence[str] | None = None) -> int:
        chosen = options.parser(law.name, summary, parameters).parse_args(arguments)
        values: dict[str, Any] = options.chosen(chosen, dict, parameters)
        return drive(law.name, chosen.robots, chosen.endpoint, lambda *_: _begun(law.decide, values))

    return main


def _begun(decide: Callable[..., Any], values: dict[str, Any]) -> Law:
    """Return the law of a run: a function with its parameters, or a new object, which may remember."""
    law: Law = decide(**values) if isinstance(decide, type) else partial(decide, **values)
    return law
