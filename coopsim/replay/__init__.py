"""Replay, proof, comparison and continuation of recordings.

Source: CoopDynSim, section III-A (play back).
"""
