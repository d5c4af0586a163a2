"""Sensors that robots of others have: IMU, compass, GPS, and the laser scanner with presets after datasheets."""
