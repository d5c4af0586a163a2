"""`coopsim bench gateways`: round trips and loads of every gateway, beside its middleware alone."""
