"""`python -m coopsim.features.web ...`: the page beside a run, `coopsim web` otherwise."""

import sys

from coopsim.app.main import run

if __name__ == "__main__":
    sys.exit(run(["web", *sys.argv[1:]]))
