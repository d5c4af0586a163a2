"""`[WIND]` in worlds and scenarios."""
