"""Runs and replays in a browser: one address that serves the page, its data, and what its links permit."""
