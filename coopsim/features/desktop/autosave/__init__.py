"""Autosave: edits that are not saved yet are kept on disk, and offered to the next window after a crash."""
