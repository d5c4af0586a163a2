"""`coopsim` in a process that ends with the window that started it, even if that is killed.

Standard input is a pipe whose other end the window holds. When the window is gone, the system closes it.
"""

import os
import signal
import sys
import threading


def main() -> None:
    """Run the command that the arguments name; end it as Ctrl-C does when standard input ends."""
    threading.Thread(target=_end_with_window, daemon=True).start()
    try:
        from coopsim.app.main import main as begin
    except KeyboardInterrupt:  # the window is gone while the program is still being read
        sys.exit(130)
    begin()


def _end_with_window() -> None:
    # not `sys.stdin`: a thread that waits in it would hold its lock while Python ends
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
