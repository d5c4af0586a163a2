"""Accuracy of engines and of imported robots, against closed forms and computations of their own."""
