"""The modules that answer: those of robots and those of the simulation."""
