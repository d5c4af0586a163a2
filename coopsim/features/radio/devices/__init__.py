"""The device of a robot with a radio."""
