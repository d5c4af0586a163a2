"""Public checkers for people who write an engine, a device or a client."""
