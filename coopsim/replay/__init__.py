"""What is done with recordings besides reading them: they are shown through the modules that made them.

Source: CoopDynSim, section III-A (play back).
"""
