"""`coopsim doctor`: what is missing on this machine."""
