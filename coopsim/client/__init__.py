"""What a Python controller imports: connect() and the modules of robots, by name."""
