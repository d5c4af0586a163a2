"""`python -m coopsim.features.laws.plugged [--plugin FILE]... NAME FILE ...`: a control law with what plugins bring.

FILE is the loose plugin that registers the law, "" for an installed one; those after `--plugin` bring
what the law uses.  Everything else goes to the law's `main`.
"""

import sys
from collections.abc import Sequence

from coopsim import plugins
from coopsim.errors import CoopsimError
from coopsim.features.laws.plain_law import main_of
from coopsim.plugins import blame


def main(arguments: Sequence[str]) -> int:
    """Run the law; return its exit code, 1 after a failure, which is reported with file and line."""
    words = list(arguments)
    beside = []
    while words[0] == "--plugin":
        beside.append(words[1])
        del words[:2]
    name, file, *rest = words
    try:
        for path in beside:
            plugins.add(path)
        if file:
            plugins.add(file)
        law = plugins.load("controllers", name)
        return _run(name, main_of(law), rest)
    except CoopsimError as problem:
        sys.stderr.write(f"{name}: {problem}\n")
        return 1


def _run(name: str, law: object, arguments: list[str]) -> int:
    if not callable(law):
        raise TypeError(f"the control law {name} is {law!r}")
    try:
        code = law(arguments)
    except CoopsimError:
        raise
    except Exception as problem:  # its author wants file and line of whatever it is
        raise blame(f"controller {name}", problem) from problem
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
