"""Robots of packages, and whether they move here as in their home simulators."""
