"""Sensors that robots of others have: the laser scanner, with presets after datasheets."""
