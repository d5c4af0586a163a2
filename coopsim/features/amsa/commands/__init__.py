"""Commands on models of components."""
