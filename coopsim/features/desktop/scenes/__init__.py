"""Scenes to choose from, with pictures of them."""
