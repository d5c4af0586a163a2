"""The metrics that come with coopsim."""
