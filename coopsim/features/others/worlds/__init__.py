"""Worlds of other simulators, as files of coopsim: IR-SIM, Stage, ARGoS and SDF."""
