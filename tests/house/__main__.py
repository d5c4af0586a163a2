"""Bounds of the house as a program: `python tests/house [NAME ...]`."""

import gc
import sys

from house import main

gc.disable()  # syntax trees stay until the end, and to search them for garbage takes long
sys.exit(main(sys.argv[1:]))
