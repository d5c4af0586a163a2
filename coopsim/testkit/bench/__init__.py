"""`coopsim bench`: what is measured; every file beside `command.py` is a benchmark with a command of its name."""
