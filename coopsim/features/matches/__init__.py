"""Events of a match, as those who watch it read them."""
