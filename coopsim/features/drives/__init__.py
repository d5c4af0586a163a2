"""Drives beside two wheels: omnidirectional ones and those of cars, and the odometry of both."""
