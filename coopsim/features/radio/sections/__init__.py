"""`[RADIO]` in scenarios."""
