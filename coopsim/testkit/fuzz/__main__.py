"""`python -m coopsim.testkit.fuzz` is `coopsim fuzz`."""

from coopsim.testkit.fuzz.command import fuzz

if __name__ == "__main__":
    fuzz()
