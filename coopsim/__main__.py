"""`python -m coopsim` is `coopsim`."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command that the arguments name and exit with its code."""
    try:
        from coopsim.app.main import main as begin
    except KeyboardInterrupt:  # Ctrl-C while the program is still being read
        sys.exit(130)
    begin()


if __name__ == "__main__":
    main()
