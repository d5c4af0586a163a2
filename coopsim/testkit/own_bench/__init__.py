"""Benchmarks of the parts of coopsim, for those who change them: checkouts have these, wheels leave them out."""
