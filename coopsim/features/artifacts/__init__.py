"""Things of a world that act: doors, lamps and conveyor belts, and the sensor that sees lamps."""
