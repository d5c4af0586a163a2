"""Bounds of the house as a program: `python tests/house [NAME ...]`."""

import sys

from house import main

sys.exit(main(sys.argv[1:]))
