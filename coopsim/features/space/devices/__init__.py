"""Devices of quadrotors."""
