"""Sections of files that give robots systems of components."""
