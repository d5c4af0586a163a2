"""Names, interfaces and errors at the terminal: `coopsim describe`, `explain` and `completion`."""
