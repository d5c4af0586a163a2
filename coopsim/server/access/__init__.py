"""Who may what: the roles of keys, who is trusted, and the wires that guests come in by."""
