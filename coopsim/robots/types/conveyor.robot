# a conveyor belt: what lies on its top goes with it
[ROBOT]
summary     conveyor belt that carries what lies on it

[BODY]
type        box
size        3 0.6 0.1
mass        400
friction    1
wheels      no

[DEVICE_1]
type        belt
name        belt
paces       no
