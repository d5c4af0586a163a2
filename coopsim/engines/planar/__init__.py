"""The engine on pymunk: everything moves in the plane."""
