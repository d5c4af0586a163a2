"""Panels of the window on systems of components."""
