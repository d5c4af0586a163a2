"""Features above the core, each in a folder of its own: the core knows them by entry points alone."""
