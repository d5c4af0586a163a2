"""`python -m coopsim.testing.fuzz` is `coopsim fuzz`."""

from coopsim.testing.fuzz.command import fuzz

if __name__ == "__main__":
    fuzz()
