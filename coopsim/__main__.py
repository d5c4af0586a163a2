"""`python -m coopsim` is `coopsim`."""

import contextlib
import os
import sys
from typing import NoReturn


def _leave_out_current_folder() -> None:
    """Keep files of the current folder from being read in the place of modules, as `python -P` does."""
    with contextlib.suppress(FileNotFoundError):  # the folder was removed, which is told later
        if sys.path[:1] == [os.getcwd()]:
            del sys.path[0]


def main() -> NoReturn:
    """Run the command that the arguments name and exit with its code."""
    try:
        from coopsim.kept_methods import keep_methods  # not before: it reads modules that the current folder may have

        keep_methods()
        from coopsim.app.main import main as begin
    except KeyboardInterrupt:  # Ctrl-C while the program is still being read
        sys.exit(130)
    begin()


if __name__ == "__main__":
    _leave_out_current_folder()
    main()
