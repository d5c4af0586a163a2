"""Lockstep: who owns which robot, who is waited for, and when the next tick may come."""
