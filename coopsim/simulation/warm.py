"""Compile all kernels into numba's cache: `python -m coopsim.simulation.warm`, once after an installation."""

import sys
import time

from coopsim.simulation.kernels import FIRST, KERNELS, prepare


def main() -> None:
    """Prepare the kernels of every module that has some; with `--first` only those that most runs need."""
    began = time.perf_counter()
    prepare(FIRST if "--first" in sys.argv[1:] else KERNELS)
    sys.stdout.write(f"kernels ready after {time.perf_counter() - began:.1f} s\n")


if __name__ == "__main__":
    main()
