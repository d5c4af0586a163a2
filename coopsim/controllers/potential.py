"""`potential`: robots go down an artificial potential to places of their own.

python -m coopsim.controllers.potential --robots robot1 robot2 --goals across
"""

import sys
from collections.abc import Sequence

from coopsim.controllers.goers import run
from coopsim.controllers.potentials import PARAMETERS, Potential, potential

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Robots go down an artificial potential to places of their own."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended."""
    return run("potential", _SUMMARY, Potential, PARAMETERS, potential, arguments)


if __name__ == "__main__":
    sys.exit(main())
