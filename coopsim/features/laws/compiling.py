"""Makes the rules of control laws callable from compiled functions."""

from types import ModuleType

import numba

from coopsim.features.laws import steering_rules


def make_compilable(rules: ModuleType) -> None:
    """Let compiled functions call those of a module of rules, and those that all rules share."""
    for module in (steering_rules, rules):
        for var in list(vars(module).values()):
            if getattr(var, "__module__", "") == module.__name__ and hasattr(var, "__code__"):
                numba.extending.register_jitable(error_model="numpy")(var)
