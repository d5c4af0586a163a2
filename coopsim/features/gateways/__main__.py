"""`python -m coopsim.features.gateways KIND ...`: a gateway as the launcher starts it, `coopsim gateway` otherwise."""

import sys

from coopsim.app.main import run

if __name__ == "__main__":
    sys.exit(run(["gateway", *sys.argv[1:]]))
