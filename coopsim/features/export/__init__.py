"""Recordings as tables, series and the files of other programs."""
