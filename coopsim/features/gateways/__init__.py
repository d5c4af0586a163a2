"""Gateways: clients of a run that let programs of other middlewares see and drive its robots unchanged.

A gateway is a client process like any other. `table` says once what each module is called elsewhere, `messages` how its
readings are worded there, `gateway` follows a run, and each folder below is a thin codec of one middleware.
"""
