"""Proof of recordings: all that they hold is done again and compared."""
