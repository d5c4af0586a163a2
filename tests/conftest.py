"""Settings of all tests."""

import os

# on a machine that runs several test files at once, a process may get no processor for seconds
os.environ.setdefault("COOPSIM_TIMEOUT", "10")
