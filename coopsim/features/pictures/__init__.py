"""Pictures of scenes and recordings: the top view, plots over time and the page that needs no host."""
