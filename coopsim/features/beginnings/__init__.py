"""Beginnings: files for what people write themselves, `coopsim new`, and runs that a program of ours begins."""
