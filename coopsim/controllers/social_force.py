"""`social_force`: robots go to places of their own, pushed by forces of others and of walls.

python -m coopsim.controllers.social_force --robots robot1 robot2 --goals across
"""

import sys
from collections.abc import Sequence

from coopsim.controllers.goers import run
from coopsim.controllers.social import PARAMETERS, Social, social_force

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Robots go to places of their own, pushed by forces of others and of walls."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended."""
    return run("social_force", _SUMMARY, Social, PARAMETERS, social_force, arguments)


if __name__ == "__main__":
    sys.exit(main())
