"""The flight engine: rigid bodies in free flight, thousands of them."""
