"""Commands `coopsim game ...`."""
