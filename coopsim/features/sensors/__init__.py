"""Sensors that robots of others have: IMU, compass, receivers of satellites, and laser scanners, after datasheets."""
