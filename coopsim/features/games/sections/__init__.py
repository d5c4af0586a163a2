"""Sections of files for games: read, checked and written."""
