"""Answers messages: modules, barrier, conductor, robot threads, gateway."""
