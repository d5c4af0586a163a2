"""`python -m coopsim` is `coopsim`."""

from coopsim.app.main import main

if __name__ == "__main__":
    main()
