"""Settings of all tests."""

import os
import signal

# on a machine that runs several test files at once, a process may get no processor for seconds
os.environ.setdefault("COOPSIM_TIMEOUT", "10")

# no test opens a window on the desktop of whoever runs it
os.environ.pop("DISPLAY", None)

# a shell lets what it starts in the background ignore Ctrl-C, and so would the programs that the tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
