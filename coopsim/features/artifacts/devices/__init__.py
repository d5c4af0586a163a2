"""Devices of things that stand in a world."""
