"""A process that does runs of a study, one after the other: `python -m coopsim.features.studies.worker DESCRIPTOR`."""

import os
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection

from coopsim.features.studies.serving import serve


def main(arguments: Sequence[str]) -> int:
    """Do runs until the other end is closed; return the exit code."""
    return serve(Connection(int(arguments[0])))


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # threads of a control law may still wait
