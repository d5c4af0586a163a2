"""Commands that run and report studies."""
