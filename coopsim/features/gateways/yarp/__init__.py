"""YARP: ports of every module, a name server, the network clock; no package of YARP is needed."""
