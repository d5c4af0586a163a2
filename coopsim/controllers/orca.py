"""`orca`: robots go to places of their own and avoid each other by halves (ORCA).

python -m coopsim.controllers.orca --robots robot1 robot2 --goals across
"""

import sys
from collections.abc import Sequence

from coopsim.controllers.goers import run
from coopsim.controllers.reciprocal import PARAMETERS, Reciprocal, orca

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Robots go to places of their own and avoid each other by halves (ORCA)."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended."""
    return run("orca", _SUMMARY, Reciprocal, PARAMETERS, orca, arguments)


if __name__ == "__main__":
    sys.exit(main())
