"""Tournaments of computer players: pairings, matches on all cores, win shares and ratings."""
